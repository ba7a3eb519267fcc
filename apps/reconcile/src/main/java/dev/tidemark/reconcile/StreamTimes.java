package dev.tidemark.reconcile;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * How far the events of the input say that time has gone, by source partition, in epoch milliseconds. What goes on by
 * itself while the input is quiet is not in the input, so the app may be further than this, but never less far. One thread
 * may write the times of a partition while others write those of others.
 */
final class StreamTimes {

    private static final long UNKNOWN = Long.MIN_VALUE;
    private static final long ENDED = Long.MAX_VALUE;

    private final long[] times;
    private final boolean together;

    /** @param together whether one clock is told the events of all partitions */
    StreamTimes(int partitions, boolean together) {
        this.times = new long[partitions];
        this.together = together;
        Arrays.fill(times, UNKNOWN);
    }

    int partitions() {
        return times.length;
    }

    void saw(int partition, long time) {
        times[partition] = Math.max(times[partition], time);
    }

    /** The input says that no more will come. */
    void end(int partition) {
        times[partition] = ENDED;
    }

    /** Whether events of this partition are in closed windows if these end then. */
    boolean isClosed(int partition, long windowEnd, long graceMillis) {
        long time = together
                ? IntStream.range(0, times.length)
                        .mapToLong(i -> times[i])
                        .min()
                        .orElse(UNKNOWN)
                : times[partition];
        return time == ENDED || time != UNKNOWN && time - graceMillis >= windowEnd;
    }
}
