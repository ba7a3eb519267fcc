package dev.tidemark.reconcile;

import dev.tidemark.common.Event;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;

/**
 * An event as the input has it, with what distinguishes it from others of the same id. Times are epoch milliseconds.
 *
 * @param key what it is grouped by
 * @param time its event time
 * @param amount in units of the last decimal place
 * @param payload hash of its payload; 0 where that does not count
 * @param partition source partition of its first record
 * @param offset offset of that record
 * @param arrival timestamp of that record
 * @param times how many records have it
 */
record Sighting(String key, long time, long amount, long payload, int partition, long offset, long arrival, int times) {

    /** Which of several events with one id came first, as far as their records tell. */
    static final Comparator<Sighting> FIRST_COME = Comparator.comparingLong(Sighting::arrival)
            .thenComparingInt(Sighting::partition)
            .thenComparingLong(Sighting::offset);

    private static final int FIXED = 5 * Long.BYTES + 3 * Integer.BYTES;

    static Sighting of(Event event, long payload) {
        return new Sighting(
                event.key(),
                event.time(),
                event.amount(),
                payload,
                event.origin().partition(),
                event.origin().offset(),
                event.arrival(),
                1);
    }

    boolean isSameAs(Sighting other) {
        return time == other.time && amount == other.amount && payload == other.payload && key.equals(other.key);
    }

    Sighting again(Sighting later) {
        return new Sighting(key, time, amount, payload, partition, offset, arrival, times + later.times);
    }

    static byte[] toBytes(List<Sighting> sightings) {
        byte[][] keys = new byte[sightings.size()][];
        int length = 0;
        for (int i = 0; i < keys.length; i++) {
            keys[i] = sightings.get(i).key.getBytes(StandardCharsets.UTF_8);
            length += FIXED + keys[i].length;
        }
        ByteBuffer buffer = ByteBuffer.allocate(length);
        for (int i = 0; i < keys.length; i++) {
            sightings.get(i).writeTo(buffer);
            buffer.putInt(keys[i].length).put(keys[i]);
        }
        return buffer.array();
    }

    private void writeTo(ByteBuffer buffer) {
        buffer.putLong(time)
                .putLong(amount)
                .putLong(payload)
                .putInt(partition)
                .putLong(offset)
                .putLong(arrival)
                .putInt(times);
    }

    static Sighting readFrom(ByteBuffer buffer) {
        long time = buffer.getLong();
        long amount = buffer.getLong();
        long payload = buffer.getLong();
        int partition = buffer.getInt();
        long offset = buffer.getLong();
        long arrival = buffer.getLong();
        int times = buffer.getInt();
        byte[] key = new byte[buffer.getInt()];
        buffer.get(key);
        return new Sighting(
                new String(key, StandardCharsets.UTF_8), time, amount, payload, partition, offset, arrival, times);
    }
}
