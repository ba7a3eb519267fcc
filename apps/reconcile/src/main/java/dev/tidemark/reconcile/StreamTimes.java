package dev.tidemark.reconcile;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * How far the events of the input say that time has gone, by source partition, in epoch milliseconds. What goes on by
 * itself while the input is quiet is not in the input, so the app may be further than this, but never less far. One thread
 * may write the times of a partition while others write those of others.
 */
final class StreamTimes {

    private static final long UNKNOWN = Long.MIN_VALUE;
    private static final long ENDED = Long.MAX_VALUE;

    /** So many intervals of a partition are remembered; before them, everything may wait. */
    private static final int MOST_INTERVALS = 100_000;

    private final long[] times;
    private final boolean together;
    private final long interval;
    /** By partition: intervals that its time has come to, with the offset where it did. */
    private final List<ArrayDeque<Begin>> begins = new ArrayList<>();

    private record Begin(long interval, long offset) {}

    /**
     * @param together whether one clock is told the events of all partitions
     * @param interval how long late events wait to become a version together, in stream time; zero: not at all
     */
    StreamTimes(int partitions, boolean together, Duration interval) {
        this.times = new long[partitions];
        this.together = together;
        this.interval = interval.toMillis();
        Arrays.fill(times, UNKNOWN);
        times().forEach(time -> begins.add(new ArrayDeque<>()));
    }

    int partitions() {
        return times.length;
    }

    void saw(int partition, long time, long offset) {
        times[partition] = Math.max(times[partition], time);
        if (interval > 0) {
            ArrayDeque<Begin> known = begins.get(partition);
            long now = times[partition] / interval;
            if (known.isEmpty() || known.getLast().interval < now) {
                known.add(new Begin(now, offset));
                if (known.size() > MOST_INTERVALS) {
                    known.remove();
                }
            }
        }
    }

    /** Whether a late event from there may still wait: the interval in which it came is not over, as far as the input says. */
    boolean mayWait(int partition, long offset) {
        if (interval == 0 || partition >= times.length) {
            return false;
        }
        long clock = together ? times().min().orElse(UNKNOWN) : times[partition];
        if (clock == UNKNOWN || clock == ENDED) {
            return clock == UNKNOWN;
        }
        long first = Long.MAX_VALUE;
        for (Begin begin : begins.get(partition)) {
            if (begin.interval >= clock / interval) {
                first = begin.offset;
                break;
            }
        }
        boolean forgotten = begins.get(partition).size() == MOST_INTERVALS
                && begins.get(partition).getFirst().interval >= clock / interval;
        return forgotten || offset >= first;
    }

    private LongStream times() {
        return LongStream.of(times);
    }

    /** The input says that no more will come. */
    void end(int partition) {
        times[partition] = ENDED;
    }

    /** Whether events of this partition are in closed windows if these end then. */
    boolean isClosed(int partition, long windowEnd, long graceMillis) {
        long time = together ? times().min().orElse(UNKNOWN) : times[partition];
        return time == ENDED || time != UNKNOWN && time - graceMillis >= windowEnd;
    }
}
