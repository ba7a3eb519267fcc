package dev.tidemark.common;

import java.nio.ByteBuffer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;

/**
 * How windows came to be closed.
 *
 * @param streamTime the clock's time that closed them, in epoch milliseconds
 * @param cause what moved the clock
 */
public record Closing(long streamTime, Cause cause) {

    /** Where it most often is: of a range, all that was written since the last commit is copied. */
    private static final long NEAR_MILLIS = 10_000;

    /** What moved the clock. */
    public enum Cause {
        WATERMARK("watermark"),
        IDLE("idle"),
        END_OF_INPUT("end-of-input");

        private final String label;

        Cause(String label) {
            this.label = label;
        }

        /** The name used in topics and tables. */
        public String label() {
            return label;
        }
    }

    /** The closing of the window with that start, from the store {@link EventClock#CLOSINGS}; null while it is open. */
    public static Closing of(long windowStart, ReadOnlyKeyValueStore<Long, Closing> closings) {
        long near = windowStart + NEAR_MILLIS;
        Closing closing = first(windowStart, near, closings);
        return closing == null ? first(near + 1, Long.MAX_VALUE, closings) : closing;
    }

    private static Closing first(long from, long to, ReadOnlyKeyValueStore<Long, Closing> closings) {
        try (KeyValueIterator<Long, Closing> found = closings.range(from, to)) {
            return found.hasNext() ? found.next().value : null;
        }
    }

    /** Writes the sign bit inverted, so that negative numbers sort before the others. */
    static Serde<Long> keySerde() {
        return Serdes.serdeFrom(
                (topic, key) -> ByteBuffer.allocate(Long.BYTES)
                        .putLong(key ^ Long.MIN_VALUE)
                        .array(),
                (topic, bytes) -> ByteBuffer.wrap(bytes).getLong() ^ Long.MIN_VALUE);
    }

    static Serde<Closing> serde() {
        return Serdes.serdeFrom(
                (topic, closing) -> closing == null
                        ? null
                        : ByteBuffer.allocate(9)
                                .putLong(closing.streamTime)
                                .put((byte) closing.cause.ordinal())
                                .array(),
                (topic, bytes) -> {
                    if (bytes == null) {
                        return null;
                    }
                    ByteBuffer buffer = ByteBuffer.wrap(bytes);
                    return new Closing(buffer.getLong(), Cause.values()[buffer.get()]);
                });
    }
}
