package dev.tidemark.common;

/** The app cannot start as things are; the message is one sentence that says what, where and what to do. */
public final class StartRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public StartRefusedException(String sentence) {
        super(sentence);
    }

    StartRefusedException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
