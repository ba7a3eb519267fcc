package dev.tidemark.enrich;

import dev.tidemark.common.Event;
import dev.tidemark.common.ItemBytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The events that were published without a profile, by key and time, until they are forgotten; beside them stands a queue
 * of their times. Not thread-safe.
 */
final class MissingEvents {

    /** So many events are forgotten at once. */
    private static final int PART = 1_000;
    /** No key of an event begins with it. */
    private static final byte QUEUE = 0;

    private static final byte[] QUEUED = {1};
    private static final long NEVER = Long.MAX_VALUE;

    private final KeyValueStore<Bytes, byte[]> store;
    private final ItemBytes bytes;
    /** No event in the queue is earlier. It is never searched before, where much has been deleted. */
    private long earliest;

    MissingEvents(KeyValueStore<Bytes, byte[]> store, ItemBytes bytes) {
        this.store = store;
        this.bytes = bytes;
        this.earliest = firstFrom(0);
    }

    void remember(Event event) {
        Bytes key = keyOf(event);
        store.put(key, bytes.toBytes(event));
        store.put(queueKey(event.time(), key), QUEUED);
        earliest = Math.min(earliest, event.time());
    }

    /** Those of a key from a time on, in the order of their times. */
    List<Event> of(String key, long from) {
        List<Event> events = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> found = store.range(keyOf(key, from), keyOf(key, NEVER))) {
            found.forEachRemaining(entry -> events.add((Event) bytes.fromBytes(entry.value)));
        }
        return events;
    }

    void remove(Event event) {
        Bytes key = keyOf(event);
        store.delete(key);
        store.delete(queueKey(event.time(), key));
    }

    /** Forgets the events before a time. */
    void forgetBefore(long time) {
        while (earliest < time) {
            List<Bytes> part = queued(time);
            for (Bytes queued : part) {
                store.delete(keyIn(queued));
                store.delete(queued);
            }
            earliest = firstFrom(part.size() < PART ? time : timeIn(part.get(PART - 1)));
        }
    }

    private List<Bytes> queued(long before) {
        List<Bytes> part = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> queue = store.range(queueKey(earliest), queueKey(before))) {
            while (queue.hasNext() && part.size() < PART) {
                part.add(queue.next().key);
            }
        }
        return part;
    }

    private long firstFrom(long time) {
        try (KeyValueIterator<Bytes, byte[]> queue = store.range(queueKey(time), queueKey(NEVER))) {
            return queue.hasNext() ? timeIn(queue.next().key) : NEVER;
        }
    }

    private static long timeIn(Bytes queueKey) {
        return ByteBuffer.wrap(queueKey.get()).getLong(1);
    }

    private static Bytes queueKey(long time) {
        return queueKey(time, Bytes.wrap(new byte[0]));
    }

    private static Bytes queueKey(long time, Bytes key) {
        return Bytes.wrap(ByteBuffer.allocate(1 + Long.BYTES + key.get().length)
                .put(QUEUE)
                .putLong(time)
                .put(key.get())
                .array());
    }

    private static Bytes keyIn(Bytes queueKey) {
        byte[] whole = queueKey.get();
        byte[] key = new byte[whole.length - 1 - Long.BYTES];
        System.arraycopy(whole, 1 + Long.BYTES, key, 0, key.length);
        return Bytes.wrap(key);
    }

    private static Bytes keyOf(Event event) {
        byte[] prefix = keyOf(event.key(), event.time()).get();
        return Bytes.wrap(ByteBuffer.allocate(prefix.length + Integer.BYTES + Long.BYTES)
                .put(prefix)
                .putInt(event.origin().partition())
                .putLong(event.origin().offset())
                .array());
    }

    /** No key of an event contains the character that ends it here. */
    private static Bytes keyOf(String key, long time) {
        byte[] text = key.getBytes(StandardCharsets.UTF_8);
        return Bytes.wrap(ByteBuffer.allocate(text.length + 1 + Long.BYTES)
                .put(text)
                .put((byte) 0)
                .putLong(time)
                .array());
    }
}
