package dev.tidemark.common;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * Running counts and amounts of one source partition: what was received on one side, what became of it on the other.
 * Mutable; not thread-safe.
 */
public final class LedgerRow {

    private static final Disposition[] DISPOSITIONS = Disposition.values();

    private long received;
    private ExactSum receivedAmount = ExactSum.ZERO;
    private long held;
    private ExactSum heldAmount = ExactSum.ZERO;
    private long streamTime = -1;
    private final long[] counts = new long[DISPOSITIONS.length];
    private final ExactSum[] amounts = new ExactSum[DISPOSITIONS.length];

    LedgerRow() {
        Arrays.fill(amounts, ExactSum.ZERO);
    }

    /** Counts a record as received; the amount is null where the record is not an event. */
    void receive(Long amount) {
        received++;
        if (amount != null) {
            receivedAmount = receivedAmount.plus(amount);
        }
    }

    void hold(long amount) {
        held++;
        heldAmount = heldAmount.plus(amount);
    }

    void release(long amount) {
        held--;
        heldAmount = heldAmount.minus(amount);
    }

    void count(Event event) {
        settle(Disposition.COUNTED, event.amount());
        streamTime = Math.max(streamTime, event.time());
    }

    void settle(Outcome outcome) {
        settle(outcome.disposition(), outcome.amount() == null ? 0 : outcome.amount());
        if (outcome.eventTime() != null && wasAccepted(outcome.disposition())) {
            streamTime = Math.max(streamTime, outcome.eventTime());
        }
    }

    /** Or is the repetition of an event that was, and so has the same time. */
    private static boolean wasAccepted(Disposition disposition) {
        return !disposition.isRefusal() && disposition != Disposition.CONFLICTING;
    }

    private void settle(Disposition disposition, long amount) {
        int index = disposition.ordinal();
        counts[index]++;
        amounts[index] = amounts[index].plus(amount);
    }

    void add(LedgerRow other) {
        received += other.received;
        receivedAmount = receivedAmount.plus(other.receivedAmount);
        held += other.held;
        heldAmount = heldAmount.plus(other.heldAmount);
        streamTime = Math.max(streamTime, other.streamTime);
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
            amounts[i] = amounts[i].plus(other.amounts[i]);
        }
    }

    /** How many records were read. */
    public long received() {
        return received;
    }

    /** Sum of the amounts of all records that could be read as events, of the far future, too. */
    public ExactSum receivedAmount() {
        return receivedAmount;
    }

    /**
     * How many events wait, between two tasks or for slower source partitions. What was gathered in one task since its
     * last commit may be negative.
     */
    public long held() {
        return held;
    }

    /** Sum of the amounts of the events that wait. */
    public ExactSum heldAmount() {
        return heldAmount;
    }

    /** How many records have this disposition. */
    public long count(Disposition disposition) {
        return counts[disposition.ordinal()];
    }

    /** Sum of the amounts of the records with this disposition. */
    public ExactSum amount(Disposition disposition) {
        return amounts[disposition.ordinal()];
    }

    /** Greatest event time among the accepted events in epoch milliseconds; -1 if there is none. */
    public long streamTime() {
        return streamTime;
    }

    static Serde<LedgerRow> serde() {
        return Serdes.serdeFrom(
                (topic, row) -> row == null ? null : row.toBytes(),
                (topic, bytes) -> bytes == null ? null : fromBytes(bytes));
    }

    private byte[] toBytes() {
        ByteBuffer buffer = ByteBuffer.allocate(
                3 * Long.BYTES + 2 * ExactSum.BYTES + counts.length * (Long.BYTES + ExactSum.BYTES));
        buffer.putLong(received).putLong(held).putLong(streamTime);
        receivedAmount.writeTo(buffer);
        heldAmount.writeTo(buffer);
        for (int i = 0; i < counts.length; i++) {
            buffer.putLong(counts[i]);
            amounts[i].writeTo(buffer);
        }
        return buffer.array();
    }

    private static LedgerRow fromBytes(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        LedgerRow row = new LedgerRow();
        row.received = buffer.getLong();
        row.held = buffer.getLong();
        row.streamTime = buffer.getLong();
        row.receivedAmount = ExactSum.readFrom(buffer);
        row.heldAmount = ExactSum.readFrom(buffer);
        for (int i = 0; i < row.counts.length; i++) {
            row.counts[i] = buffer.getLong();
            row.amounts[i] = ExactSum.readFrom(buffer);
        }
        return row;
    }
}
