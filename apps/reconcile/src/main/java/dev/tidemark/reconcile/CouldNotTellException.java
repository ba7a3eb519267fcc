package dev.tidemark.reconcile;

/** The recount cannot say whether anything differs; the message is one sentence that says what, where and what to do. */
public final class CouldNotTellException extends RuntimeException {

    private static final long serialVersionUID = 1;

    CouldNotTellException(String sentence) {
        super(sentence);
    }

    CouldNotTellException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
