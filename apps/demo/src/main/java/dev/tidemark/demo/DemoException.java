package dev.tidemark.demo;

/** The demo cannot go on; the message is one sentence for the person who started it. */
final class DemoException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DemoException(String message) {
        super(message);
    }

    DemoException(String message, Throwable cause) {
        super(message, cause);
    }
}
