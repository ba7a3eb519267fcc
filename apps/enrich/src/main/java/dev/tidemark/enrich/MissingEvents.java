package dev.tidemark.enrich;

import dev.tidemark.common.Event;
import dev.tidemark.common.ItemBytes;
import dev.tidemark.common.TimeQueue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
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
    /** So many are in memory at once. */
    private static final int PAGE = 1_000;

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

    /** Hands out those of a key from a time on, in the order of their times; the receiver may remove them. */
    void forEach(String key, long from, Consumer<Event> receiver) {
        Bytes last = ProfileVersions.keyOf(key, NEVER);
        Bytes next = ProfileVersions.keyOf(key, from);
        while (next != null) {
            List<KeyValue<Bytes, byte[]>> page = page(next, last);
            page.forEach(entry -> receiver.accept((Event) bytes.fromBytes(entry.value)));
            next = page.size() < PAGE ? null : behind(page.get(PAGE - 1).key);
        }
    }

    private List<KeyValue<Bytes, byte[]>> page(Bytes first, Bytes last) {
        List<KeyValue<Bytes, byte[]>> page = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> found = store.range(first, last)) {
            while (found.hasNext() && page.size() < PAGE) {
                page.add(found.next());
            }
        }
        return page;
    }

    /** The least key that is greater. */
    private static Bytes behind(Bytes key) {
        return Bytes.wrap(Arrays.copyOf(key.get(), key.get().length + 1));
    }

    void remove(Event event) {
        Bytes key = keyOf(event);
        store.delete(key);
        times.remove(event.time(), key);
    }

    /** Forgets some of the events before a time. */
    void forgetSomeBefore(long time) {
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
