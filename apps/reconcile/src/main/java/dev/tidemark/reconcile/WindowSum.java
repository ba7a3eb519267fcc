package dev.tidemark.reconcile;

import dev.tidemark.common.ExactSum;
import java.nio.ByteBuffer;

/**
 * What the events of one key and window add up to. Amounts are in units of the last decimal place.
 *
 * @param total exact sum of the amounts
 * @param count how many events
 * @param minimum smallest amount
 * @param maximum greatest amount
 * @param partition source partition of one of them
 */
record WindowSum(ExactSum total, long count, long minimum, long maximum, int partition) {

    private static final int BYTES = ExactSum.BYTES + 3 * Long.BYTES + Integer.BYTES;

    static WindowSum of(long amount, int partition) {
        return new WindowSum(ExactSum.of(amount), 1, amount, amount, partition);
    }

    WindowSum plus(WindowSum other) {
        return new WindowSum(
                total.plus(other.total),
                count + other.count,
                Math.min(minimum, other.minimum),
                Math.max(maximum, other.maximum),
                partition);
    }

    byte[] toBytes() {
        ByteBuffer buffer = ByteBuffer.allocate(BYTES);
        total.writeTo(buffer);
        return buffer.putLong(count)
                .putLong(minimum)
                .putLong(maximum)
                .putInt(partition)
                .array();
    }

    static WindowSum of(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new WindowSum(
                ExactSum.readFrom(buffer), buffer.getLong(), buffer.getLong(), buffer.getLong(), buffer.getInt());
    }
}
