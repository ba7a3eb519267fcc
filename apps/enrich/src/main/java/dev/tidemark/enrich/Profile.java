package dev.tidemark.enrich;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What the table says of a key from a time on.
 *
 * @param time from when on, in epoch milliseconds, as its record says; null if nothing tells it
 * @param partition where the record lies; -1 if it is not known
 * @param offset where the record lies; -1 if it is not known
 * @param json the fields that were taken, as one JSON object
 */
record Profile(Long time, int partition, long offset, String json) {

    /** Begins with the time, which is not null. */
    byte[] toBytes() {
        byte[] text = json.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Long.BYTES + Integer.BYTES + Long.BYTES + text.length)
                .putLong(time)
                .putInt(partition)
                .putLong(offset)
                .put(text)
                .array();
    }

    static Profile fromBytes(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        long time = buffer.getLong();
        int partition = buffer.getInt();
        long offset = buffer.getLong();
        String json = new String(bytes, buffer.position(), buffer.remaining(), StandardCharsets.UTF_8);
        return new Profile(time, partition, offset, json);
    }
}
