package dev.tidemark.enrich;

import dev.tidemark.common.TimeQueue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * What the table says of each key, and what it said before, by key and time. Of what was valid before the beginning of
 * history, the last version of a key is kept, and that only if it is no deletion. Beside the versions stands a queue of
 * their times. Not thread-safe.
 *
 * <p>Kafka's own store of versions is not used: it does not take a version that is older than its history, although it may
 * be the last of its key, and does not find those before the last any more once it has been opened again.
 */
final class ProfileVersions {

    /** No key of an event begins with it. */
    private static final byte QUEUE = 0;

    private static final byte[] DELETED = {};
    private static final long NEVER = Long.MAX_VALUE;

    private final KeyValueStore<Bytes, byte[]> store;
    private final TimeQueue times;
    private long beginning = -1;

    ProfileVersions(KeyValueStore<Bytes, byte[]> store) {
        this.store = store;
        this.times = new TimeQueue(store, QUEUE);
    }

    /**
     * From a time on, the table says something else.
     *
     * @param profile null: it has nothing for the key
     */
    void put(String key, long time, Profile profile) {
        store.put(keyOf(key, time), profile == null ? DELETED : profile.toBytes());
        if (time <= beginning) {
            forget(key);
            return;
        }
        times.add(time, Bytes.wrap(key.getBytes(StandardCharsets.UTF_8)));
    }

    /** What the table said of a key as of a time; null if it had nothing. */
    Profile asOf(String key, long time) {
        try (KeyValueIterator<Bytes, byte[]> latestFirst = store.reverseRange(keyOf(key, 0), keyOf(key, time))) {
            return latestFirst.hasNext() ? read(latestFirst.next().value) : null;
        }
    }

    /** The latest that the table says of a key; null if it has nothing. */
    Profile latest(String key) {
        return asOf(key, NEVER);
    }

    /** Whether a version would already be over when history begins. */
    boolean isOver(String key, long time) {
        if (time >= beginning) {
            return false;
        }
        try (KeyValueIterator<Bytes, byte[]> later = store.range(keyOf(key, time + 1), keyOf(key, beginning))) {
            return later.hasNext();
        }
    }

    /** History goes on; nothing before that time is asked for any more. */
    void beginAt(long time) {
        beginning = time;
        times.drain(time, key -> forget(new String(key.get(), StandardCharsets.UTF_8)));
    }

    private void forget(String key) {
        List<KeyValue<Bytes, byte[]>> before = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> versions = store.range(keyOf(key, 0), keyOf(key, beginning))) {
            versions.forEachRemaining(before::add);
        }
        int kept = !before.isEmpty() && read(before.get(before.size() - 1).value) != null ? 1 : 0;
        for (int i = 0; i < before.size() - kept; i++) {
            store.delete(before.get(i).key);
        }
    }

    private static Profile read(byte[] value) {
        return value.length == 0 ? null : Profile.fromBytes(value);
    }

    /** No key contains the character that ends it here. */
    static Bytes keyOf(String key, long time) {
        byte[] text = key.getBytes(StandardCharsets.UTF_8);
        return Bytes.wrap(ByteBuffer.allocate(text.length + 1 + Long.BYTES)
                .put(text)
                .put((byte) 0)
                .putLong(time)
                .array());
    }
}
