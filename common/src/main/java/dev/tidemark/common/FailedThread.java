package dev.tidemark.common;

import java.util.List;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What to do after a stream thread has failed. */
final class FailedThread {

    /** The brokers were away for longer than the clients wait; or a task may not go on with the processors that it had. */
    private static final List<Class<? extends Exception>> PASSING = List.of(
            TimeoutException.class,
            TransactionAbortableException.class,
            TransactionAbortedException.class,
            RevivedTaskException.class);

    private FailedThread() {}

    /**
     * Whether a new thread can go on from the last commit. Not so for a topic that is gone: the producer waits for that,
     * too, but the brokers have said that there is none.
     */
    static boolean canBeReplaced(Throwable error) {
        return !isBehind(error, UnknownTopicOrPartitionException.class)
                && (PASSING.stream().anyMatch(passing -> isBehind(error, passing)) || isUnacknowledged(error));
    }

    /** The producer has no class of its own for this, and uses the same one for what would fail again at once. */
    private static boolean isUnacknowledged(Throwable error) {
        Throwable first = error;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        return first instanceof KafkaException
                && first.getMessage() != null
                && first.getMessage().contains("hasn't received acknowledgment");
    }

    /** Whether an exception of a type is an error or has led to it. */
    static boolean isBehind(Throwable error, Class<? extends Exception> type) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }
}
