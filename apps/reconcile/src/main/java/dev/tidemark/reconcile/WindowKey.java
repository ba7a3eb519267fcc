package dev.tidemark.reconcile;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A window of a key. Its order is that of PostgreSQL's {@code key collate "C", window_start}: by the bytes of the key in
 * UTF-8, then by time.
 *
 * @param key what the events are grouped by
 * @param start start of the window in epoch milliseconds, not negative
 */
record WindowKey(String key, long start) implements Comparable<WindowKey> {

    private static final int TAIL = 1 + Long.BYTES;

    /** In the same order: no key contains the byte 0, which ends it here. */
    byte[] toBytes() {
        byte[] text = key.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(text.length + TAIL)
                .put(text)
                .put((byte) 0)
                .putLong(start)
                .array();
    }

    static WindowKey of(byte[] bytes) {
        int length = bytes.length - TAIL;
        return new WindowKey(
                new String(bytes, 0, length, StandardCharsets.UTF_8),
                ByteBuffer.wrap(bytes).getLong(length + 1));
    }

    @Override
    public int compareTo(WindowKey other) {
        int byKey = key.equals(other.key)
                ? 0
                : Arrays.compareUnsigned(
                        key.getBytes(StandardCharsets.UTF_8), other.key.getBytes(StandardCharsets.UTF_8));
        return byKey != 0 ? byKey : Long.compare(start, other.start);
    }
}
