package dev.tidemark.common;

import java.nio.ByteBuffer;
import java.util.Comparator;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * A bin of durations on one day. It begins at a whole number of seconds and ends where the next one begins: after a
 * second up to an hour, after a minute up to a day, after an hour up to 366 days. One more bin holds what is less than 0,
 * and one what is longer.
 *
 * <p>So no bin mixes durations on different sides of a whole second up to an hour, a whole minute up to a day, and a whole
 * hour up to 366 days: {@code duration >= boundary} holds for all of a bin or for nothing of it.
 *
 * @param day UTC day of the event time, in days since the epoch
 * @param fromSeconds where the bin begins, in seconds; {@link #NEGATIVE} for all that is less than 0
 */
public record LatenessBin(int day, int fromSeconds) implements Comparable<LatenessBin> {

    /** Begin of the bin of everything that is less than 0. */
    public static final int NEGATIVE = -1;

    private static final long DAY_MILLIS = 86_400_000;
    private static final int MINUTE = 60;
    private static final int HOUR = 60 * MINUTE;
    private static final int DAY = 24 * HOUR;
    private static final int LONGEST = 366 * DAY;

    private static final Comparator<LatenessBin> ORDER =
            Comparator.comparingInt(LatenessBin::day).thenComparingInt(LatenessBin::fromSeconds);

    /**
     * The bin of a duration.
     *
     * @param eventTime in epoch milliseconds, not negative
     * @param duration in milliseconds
     */
    static LatenessBin of(long eventTime, long duration) {
        return new LatenessBin((int) (eventTime / DAY_MILLIS), beginOf(duration));
    }

    private static int beginOf(long duration) {
        if (duration < 0) {
            return NEGATIVE;
        }
        int seconds = (int) Math.min(duration / 1000, LONGEST);
        return seconds - seconds % width(seconds);
    }

    private static int width(int seconds) {
        if (seconds < HOUR) {
            return 1;
        }
        return seconds < DAY ? MINUTE : HOUR;
    }

    static Serde<LatenessBin> serde() {
        return Serdes.serdeFrom(
                (topic, bin) -> ByteBuffer.allocate(2 * Integer.BYTES)
                        .putInt(bin.day)
                        .putInt(bin.fromSeconds)
                        .array(),
                (topic, bytes) -> {
                    ByteBuffer buffer = ByteBuffer.wrap(bytes);
                    return new LatenessBin(buffer.getInt(), buffer.getInt());
                });
    }

    @Override
    public int compareTo(LatenessBin other) {
        return ORDER.compare(this, other);
    }
}
