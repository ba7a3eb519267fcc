package dev.tidemark.profiles;

import dev.tidemark.common.Event;
import dev.tidemark.common.ExactSum;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serde;

/**
 * Events of a key of which each is at most the gap away from the next. Times are epoch milliseconds.
 *
 * @param start time of the first event
 * @param firstId its id; of several at that time, the least
 * @param end time of the last event
 * @param lastId its id; of several at that time, the greatest
 * @param count how many events
 * @param amount what was spent
 * @param lateIds ids of late events in it that no published row names yet, at most {@value #MAX_LATE_IDS}
 */
record Session(long start, String firstId, long end, String lastId, long count, ExactSum amount, List<String> lateIds) {

    static final int MAX_LATE_IDS = 10;

    /** No events yet. */
    static final Session NONE = new Session(Long.MAX_VALUE, "", Long.MIN_VALUE, "", 0, ExactSum.ZERO, List.of());

    static Session of(Event event, boolean late) {
        return new Session(
                event.time(),
                event.id(),
                event.time(),
                event.id(),
                1,
                ExactSum.of(event.amount()),
                late ? List.of(event.id()) : List.of());
    }

    /** With an event more; null, which is not kept, if it is none: a tick only moves the time of the operators. */
    Session plus(Arrival arrival) {
        return arrival instanceof Arrival.Came came ? merge(of(came.event(), came.late())) : null;
    }

    Session merge(Session other) {
        if (count == 0) {
            return other;
        }
        if (other.count == 0) {
            return this;
        }
        boolean first = start < other.start || start == other.start && firstId.compareTo(other.firstId) <= 0;
        boolean last = end > other.end || end == other.end && lastId.compareTo(other.lastId) >= 0;
        List<String> late = Stream.concat(lateIds.stream(), other.lateIds.stream())
                .limit(MAX_LATE_IDS)
                .toList();
        return new Session(
                first ? start : other.start,
                first ? firstId : other.firstId,
                last ? end : other.end,
                last ? lastId : other.lastId,
                count + other.count,
                amount.plus(other.amount),
                late);
    }

    /** This session once a row has named its late events. */
    Session named() {
        return new Session(start, firstId, end, lastId, count, amount, List.of());
    }

    static Serde<Session> serde() {
        return Binary.serde(Session::write, Session::read);
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(start);
        Binary.writeText(out, firstId);
        out.writeLong(end);
        Binary.writeText(out, lastId);
        out.writeLong(count);
        Binary.writeSum(out, amount);
        out.writeByte(lateIds.size());
        for (String id : lateIds) {
            Binary.writeText(out, id);
        }
    }

    static Session read(DataInput in) throws IOException {
        long start = in.readLong();
        String firstId = Binary.readText(in);
        long end = in.readLong();
        String lastId = Binary.readText(in);
        long count = in.readLong();
        ExactSum amount = Binary.readSum(in);
        String[] late = new String[in.readByte()];
        for (int i = 0; i < late.length; i++) {
            late[i] = Binary.readText(in);
        }
        return new Session(start, firstId, end, lastId, count, amount, List.of(late));
    }
}
