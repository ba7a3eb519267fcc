package dev.tidemark.common;

/**
 * A task was to go on with its old processors after a failure. The operators of the DSL keep their time in memory and do
 * not forget it then, so that events that are read again would be dropped as late. The thread has to be replaced; a new
 * one makes new processors.
 */
final class RevivedTaskException extends RuntimeException {

    private static final long serialVersionUID = 1;

    RevivedTaskException() {
        super("a failed task was to be revived with the time of its operators still in memory");
    }
}
