package dev.tidemark.reconcile;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A pair, or an event without a partner. Its order is that of PostgreSQL's {@code key, left_id, right_id} with
 * {@code collate "C"}.
 *
 * @param key what the events have in common
 * @param leftId left event; empty if there is none
 * @param rightId right event; empty if there is none
 */
record Pair(String key, String leftId, String rightId) implements Comparable<Pair> {

    /** In the same order: neither keys nor ids contain the byte 0, which ends them here. */
    byte[] toBytes() {
        return (key + '\0' + leftId + '\0' + rightId).getBytes(StandardCharsets.UTF_8);
    }

    static Pair of(byte[] bytes) {
        String[] parts = new String(bytes, StandardCharsets.UTF_8).split("\0", -1);
        return new Pair(parts[0], parts[1], parts[2]);
    }

    boolean isMatch() {
        return !leftId.isEmpty() && !rightId.isEmpty();
    }

    @Override
    public int compareTo(Pair other) {
        return equals(other) ? 0 : Arrays.compareUnsigned(toBytes(), other.toBytes());
    }

    /**
     * When its events happened, in epoch milliseconds, and where they are.
     *
     * @param left of the left event; {@link #NONE} if there is none
     * @param right of the right event; {@link #NONE} if there is none
     * @param partition source partition of one of them; -1 if it is not known
     */
    record Times(long left, long right, int partition) {

        static final long NONE = Long.MIN_VALUE;

        byte[] toBytes() {
            return ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES)
                    .putLong(left)
                    .putLong(right)
                    .putInt(partition)
                    .array();
        }

        static Times of(byte[] bytes) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            return new Times(buffer.getLong(), buffer.getLong(), buffer.getInt());
        }

        boolean areThoseOf(Times other) {
            return left == other.left && right == other.right;
        }

        /** The time that the row is about. */
        long event() {
            return left == NONE ? right : left;
        }

        long latest() {
            return Math.max(left, right);
        }
    }
}
