package dev.tidemark.profiles;

import dev.tidemark.common.EventWindows;
import dev.tidemark.common.ExactSum;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * A sum for the present day or week and for those to come, because an event may be ahead of the clock. What is past is
 * forgotten. Immutable.
 *
 * @param present start of the present day or week in epoch milliseconds
 * @param sums what belongs to it and to later ones, by their start; not to be modified
 */
record PeriodSums(long present, TreeMap<Long, ExactSum> sums) {

    static final PeriodSums NONE = new PeriodSums(0, new TreeMap<>());

    /** As of a time; one that is past changes nothing. */
    PeriodSums at(long time, EventWindows periods) {
        long start = periods.lastStartOf(time);
        return start <= present ? this : new PeriodSums(start, new TreeMap<>(sums.tailMap(start)));
    }

    /** With an amount for the day or week of that time, unless it is past. */
    PeriodSums plus(long time, long amount, EventWindows periods) {
        long start = periods.lastStartOf(time);
        if (start < present) {
            return this;
        }
        TreeMap<Long, ExactSum> more = new TreeMap<>(sums);
        more.merge(start, ExactSum.of(amount), ExactSum::plus);
        return new PeriodSums(present, more);
    }

    /** The sum of the present day or week. */
    ExactSum now() {
        return sums.getOrDefault(present, ExactSum.ZERO);
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(present);
        out.writeInt(sums.size());
        for (Map.Entry<Long, ExactSum> sum : sums.entrySet()) {
            out.writeLong(sum.getKey());
            Binary.writeSum(out, sum.getValue());
        }
    }

    static PeriodSums read(DataInput in) throws IOException {
        long present = in.readLong();
        TreeMap<Long, ExactSum> sums = new TreeMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            sums.put(in.readLong(), Binary.readSum(in));
        }
        return new PeriodSums(present, sums);
    }
}
