package dev.tidemark.enrich;

import dev.tidemark.common.Event;
import dev.tidemark.common.ItemBytes;
import dev.tidemark.common.TimeQueue;
import java.nio.ByteBuffer;
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

    /** No key of an event begins with it. */
    private static final byte QUEUE = 0;

    private static final long NEVER = Long.MAX_VALUE;

    private final KeyValueStore<Bytes, byte[]> store;
    private final ItemBytes bytes;
    private final TimeQueue times;

    MissingEvents(KeyValueStore<Bytes, byte[]> store, ItemBytes bytes) {
        this.store = store;
        this.bytes = bytes;
        this.times = new TimeQueue(store, QUEUE);
    }

    void remember(Event event) {
        Bytes key = keyOf(event);
        store.put(key, bytes.toBytes(event));
        times.add(event.time(), key);
    }

    /** Those of a key from a time on, in the order of their times. */
    List<Event> of(String key, long from) {
        List<Event> events = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> found =
                store.range(ProfileVersions.keyOf(key, from), ProfileVersions.keyOf(key, NEVER))) {
            found.forEachRemaining(entry -> events.add((Event) bytes.fromBytes(entry.value)));
        }
        return events;
    }

    void remove(Event event) {
        Bytes key = keyOf(event);
        store.delete(key);
        times.remove(event.time(), key);
    }

    /** Forgets events before a time, some of them each time. */
    void forgetBefore(long time) {
        times.drainSome(time - 1, store::delete);
    }

    private static Bytes keyOf(Event event) {
        byte[] prefix = ProfileVersions.keyOf(event.key(), event.time()).get();
        return Bytes.wrap(ByteBuffer.allocate(prefix.length + Integer.BYTES + Long.BYTES)
                .put(prefix)
                .putInt(event.origin().partition())
                .putLong(event.origin().offset())
                .array());
    }
}
