package dev.tidemark.common;

import java.nio.ByteBuffer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * Running counts of one {@link LatenessBin}: the events whose required grace lies in it, and the events whose arrival
 * was so long after their event time. Mutable; not thread-safe.
 */
public final class LatenessRow {

    private long events;
    private ExactSum amount = ExactSum.ZERO;
    private ExactSum absoluteAmount = ExactSum.ZERO;
    private long arrivals;

    LatenessRow() {}

    /** Counts an event whose required grace lies in the bin. */
    void require(long eventAmount) {
        events++;
        amount = amount.plus(eventAmount);
        absoluteAmount = eventAmount < 0 ? absoluteAmount.minus(eventAmount) : absoluteAmount.plus(eventAmount);
    }

    /** Counts an event whose arrival was so long after its event time. */
    void arrive() {
        arrivals++;
    }

    void add(LatenessRow other) {
        events += other.events;
        amount = amount.plus(other.amount);
        absoluteAmount = absoluteAmount.plus(other.absoluteAmount);
        arrivals += other.arrivals;
    }

    /** How many events have a required grace in the bin. */
    public long events() {
        return events;
    }

    /** Sum of the amounts of {@link #events}. */
    public ExactSum amount() {
        return amount;
    }

    /** Sum of the amounts of {@link #events} without their signs. */
    public ExactSum absoluteAmount() {
        return absoluteAmount;
    }

    /** How many events arrived so long after their event time. */
    public long arrivals() {
        return arrivals;
    }

    static Serde<LatenessRow> serde() {
        return Serdes.serdeFrom(
                (topic, row) -> row == null ? null : row.toBytes(),
                (topic, bytes) -> bytes == null ? null : fromBytes(bytes));
    }

    private byte[] toBytes() {
        ByteBuffer buffer = ByteBuffer.allocate(2 * Long.BYTES + 2 * ExactSum.BYTES);
        buffer.putLong(events);
        amount.writeTo(buffer);
        absoluteAmount.writeTo(buffer);
        return buffer.putLong(arrivals).array();
    }

    private static LatenessRow fromBytes(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        LatenessRow row = new LatenessRow();
        row.events = buffer.getLong();
        row.amount = ExactSum.readFrom(buffer);
        row.absoluteAmount = ExactSum.readFrom(buffer);
        row.arrivals = buffer.getLong();
        return row;
    }
}
