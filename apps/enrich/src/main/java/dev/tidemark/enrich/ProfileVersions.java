package dev.tidemark.enrich;

import dev.tidemark.common.TimeQueue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * What the table says of each key, and what it said before. Of what was valid before the beginning of history, the last
 * version of a key is kept, and that only if it is no deletion. The latest version of a key stands under the key alone,
 * where one look-up finds it, the earlier ones under key and time; beside them stands a queue of their times. Not
 * thread-safe.
 *
 * <p>Kafka's own store of versions is not used: it does not take a version that is older than its history, although it may
 * be the last of its key, and does not find those before the last any more once it has been opened again.
 */
final class ProfileVersions {

    /** No key of an event begins with it. */
    private static final byte QUEUE = 0;

    private static final int MOST_NOTED = 10_000;

    private final KeyValueStore<Bytes, byte[]> store;
    private final TimeQueue times;
    private long beginning = -1;
    /** Keys of which nothing is left that was over when history began where it does; some of them. */
    private final Set<String> forgotten = new HashSet<>();

    ProfileVersions(KeyValueStore<Bytes, byte[]> store) {
        this.store = store;
        this.times = new TimeQueue(store, QUEUE);
    }

    /**
     * From a time on, the table says something else.
     *
     * @param time in epoch milliseconds, as the profile says, too
     * @param profile null: it has nothing for the key
     */
    void put(String key, long time, Profile profile) {
        byte[] version = toBytes(time, profile);
        byte[] latest = store.get(keyOf(key));
        if (latest != null && timeOf(latest) > time) {
            store.put(keyOf(key, time), version);
        } else {
            if (latest != null && timeOf(latest) < time) {
                store.put(keyOf(key, timeOf(latest)), latest);
            }
            store.put(keyOf(key), version);
        }
        if (time <= beginning) {
            forget(key);
            return;
        }
        times.add(time, Bytes.wrap(key.getBytes(StandardCharsets.UTF_8)));
    }

    /** What the table said of a key as of a time; null if it had nothing. */
    Profile asOf(String key, long time) {
        byte[] latest = store.get(keyOf(key));
        if (latest == null || timeOf(latest) <= time) {
            return profileOf(latest);
        }
        try (KeyValueIterator<Bytes, byte[]> lastFirst = store.reverseRange(keyOf(key, 0), keyOf(key, time))) {
            return lastFirst.hasNext() ? profileOf(lastFirst.next().value) : null;
        }
    }

    /** The latest that the table says of a key; null if it has nothing. */
    Profile latest(String key) {
        return profileOf(store.get(keyOf(key)));
    }

    /** Whether a version would already be over when history begins. */
    boolean isOver(String key, long time) {
        if (time >= beginning) {
            return false;
        }
        byte[] latest = store.get(keyOf(key));
        if (latest == null || timeOf(latest) <= beginning) {
            return latest != null && timeOf(latest) > time;
        }
        try (KeyValueIterator<Bytes, byte[]> later = store.range(keyOf(key, time + 1), keyOf(key, beginning))) {
            return later.hasNext();
        }
    }

    /** History goes on; nothing before that time is asked for any more. */
    void beginAt(long time) {
        if (time > beginning) {
            beginning = time;
            forgotten.clear();
        }
    }

    /** Forgets some of what is over. */
    void forgetSome() {
        times.drainSome(beginning, bytes -> {
            String key = new String(bytes.get(), StandardCharsets.UTF_8);
            if (forgotten.size() >= MOST_NOTED) {
                forgotten.clear();
            }
            if (forgotten.add(key)) {
                forget(key);
            }
        });
    }

    private void forget(String key) {
        List<KeyValue<Bytes, byte[]>> before = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> earlier = store.range(keyOf(key, 0), keyOf(key, beginning))) {
            earlier.forEachRemaining(before::add);
        }
        byte[] latest = store.get(keyOf(key));
        if (latest != null && timeOf(latest) <= beginning) {
            before.add(KeyValue.pair(keyOf(key), latest));
        }
        int kept = !before.isEmpty() && profileOf(before.get(before.size() - 1).value) != null ? 1 : 0;
        for (int i = 0; i < before.size() - kept; i++) {
            store.delete(before.get(i).key);
        }
    }

    /** A deletion is its time alone. */
    private static byte[] toBytes(long time, Profile profile) {
        return profile == null ? ByteBuffer.allocate(Long.BYTES).putLong(time).array() : profile.toBytes();
    }

    private static long timeOf(byte[] version) {
        return ByteBuffer.wrap(version).getLong();
    }

    /** @param version null, too, says nothing */
    private static Profile profileOf(byte[] version) {
        return version == null || version.length == Long.BYTES ? null : Profile.fromBytes(version);
    }

    private static Bytes keyOf(String key) {
        return Bytes.wrap((key + '\0').getBytes(StandardCharsets.UTF_8));
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
