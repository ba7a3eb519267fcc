package dev.tidemark.common;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Events that wait, for slower source partitions or until a time has come, handed out in the order of event time.
 *
 * <p>They lie in buckets of event time. Those that came since the last commit are in memory; {@link #flush} packs them
 * into chunks of the store, so that memory holds one bucket and what a commit interval brings. What has been handed out
 * of a bucket stays in the store until the whole bucket has; how far that has come is stored with it. Not thread-safe.
 */
public final class HeldEvents {

    /** Length of a bucket; must not change while events wait in stores. */
    private static final long BUCKET_MILLIS = 10_000;

    private static final int CHUNK_BYTES = 256 * 1024;
    private static final int PENDING_BYTES = 16 * 1024 * 1024;
    /** Sorts behind every chunk, whose buckets are not negative. */
    private static final Bytes RELEASED = chunkKey(Long.MAX_VALUE, 0);

    private static final Comparator<Event> BY_TIME = Comparator.comparingLong(Event::time)
            .thenComparing(event -> event.origin().topic())
            .thenComparingInt(event -> event.origin().partition())
            .thenComparingLong(event -> event.origin().offset());

    private final KeyValueStore<Bytes, byte[]> store;
    private final ItemBytes bytes;
    private final TreeMap<Long, Bucket> buckets = new TreeMap<>();
    /** Events up to this time have been handed out. */
    private long released = Long.MIN_VALUE;

    private boolean releasedChanged;
    private long pendingBytes;

    /**
     * @param store what waits, as of the last commit
     * @param bytes how events are written
     */
    public HeldEvents(KeyValueStore<Bytes, byte[]> store, ItemBytes bytes) {
        this.store = store;
        this.bytes = bytes;
        load();
    }

    /** Keeps an event, whose time is beyond what has been handed out. */
    public void hold(Event event) {
        if (event.time() <= released) {
            throw new IllegalStateException("an event of " + event.time() + " cannot be held, because those up to "
                    + released + " have been handed out");
        }
        pendingBytes += bucketOf(event.time()).hold(event);
        if (pendingBytes > PENDING_BYTES) {
            flush();
        }
    }

    /**
     * Hands out the events up to a time, earliest first.
     *
     * @param most how many are enough for one call; the rest of those with the time of the last one are handed out, too
     * @return up to which time all of them have been handed out now; the given one, or an earlier one if there were more
     */
    public long release(long until, int most, Consumer<Event> receiver) {
        if (until <= released) {
            return until;
        }
        long last = until;
        int left = most;
        while (last == until && !buckets.isEmpty() && buckets.firstKey() <= until) {
            Bucket bucket = buckets.firstEntry().getValue();
            left -= bucket.release(until, left, receiver);
            if (left <= 0 && bucket.isWaiting(until)) {
                last = bucket.lastReleased;
            } else if (bucket.start + BUCKET_MILLIS - 1 <= until) {
                buckets.remove(bucket.start);
                bucket.delete();
                if (left <= 0 && !buckets.isEmpty() && buckets.firstKey() <= until) {
                    last = buckets.firstKey() - 1;
                }
            } else {
                break;
            }
        }
        released = last;
        releasedChanged = true;
        return last;
    }

    /** Writes what came since the last call. */
    public void flush() {
        buckets.values().forEach(Bucket::flush);
        pendingBytes = 0;
        if (releasedChanged && !buckets.isEmpty()) {
            store.put(
                    RELEASED, ByteBuffer.allocate(Long.BYTES).putLong(released).array());
            releasedChanged = false;
        }
    }

    private Bucket bucketOf(long time) {
        return buckets.computeIfAbsent(time - time % BUCKET_MILLIS, Bucket::new);
    }

    private void load() {
        try (KeyValueIterator<Bytes, byte[]> chunks = store.all()) {
            while (chunks.hasNext()) {
                KeyValue<Bytes, byte[]> chunk = chunks.next();
                if (chunk.key.equals(RELEASED)) {
                    released = ByteBuffer.wrap(chunk.value).getLong();
                } else {
                    long start = ByteBuffer.wrap(chunk.key.get()).getLong();
                    buckets.computeIfAbsent(start, Bucket::new).chunks++;
                }
            }
        }
    }

    private static Bytes chunkKey(long bucket, int chunk) {
        return Bytes.wrap(ByteBuffer.allocate(12).putLong(bucket).putInt(chunk).array());
    }

    /** Events of one span of event time; once it is being handed out, they are in memory, too. */
    private final class Bucket {

        private final long start;
        private final List<byte[]> pending = new ArrayList<>();
        private int chunks;
        private PriorityQueue<Event> waiting;
        private long lastReleased = Long.MIN_VALUE;

        Bucket(long start) {
            this.start = start;
        }

        int hold(Event event) {
            byte[] value = bytes.toBytes(event);
            pending.add(value);
            if (waiting != null) {
                waiting.add(event);
            }
            return value.length;
        }

        int release(long until, int most, Consumer<Event> receiver) {
            if (waiting == null) {
                waiting = read();
            }
            int count = 0;
            while (isWaiting(until) && (count < most || waiting.peek().time() == lastReleased)) {
                Event event = waiting.remove();
                lastReleased = event.time();
                receiver.accept(event);
                count++;
            }
            return count;
        }

        /** After it has begun to hand out. */
        boolean isWaiting(long until) {
            return !waiting.isEmpty() && waiting.peek().time() <= until;
        }

        private PriorityQueue<Event> read() {
            PriorityQueue<Event> events = new PriorityQueue<>(BY_TIME);
            for (int chunk = 0; chunk < chunks; chunk++) {
                ByteBuffer buffer = ByteBuffer.wrap(store.get(chunkKey(start, chunk)));
                while (buffer.hasRemaining()) {
                    byte[] value = new byte[buffer.getInt()];
                    buffer.get(value);
                    add(value, events);
                }
            }
            pending.forEach(value -> add(value, events));
            return events;
        }

        private void add(byte[] value, PriorityQueue<Event> events) {
            Event event = (Event) bytes.fromBytes(value);
            if (event.time() > released) {
                events.add(event);
            }
        }

        void flush() {
            int from = 0;
            while (from < pending.size()) {
                int to = from;
                int size = 0;
                do {
                    size += Integer.BYTES + pending.get(to).length;
                    to++;
                } while (to < pending.size() && size + Integer.BYTES + pending.get(to).length <= CHUNK_BYTES);
                ByteBuffer chunk = ByteBuffer.allocate(size);
                pending.subList(from, to)
                        .forEach(event -> chunk.putInt(event.length).put(event));
                store.put(chunkKey(start, chunks), chunk.array());
                chunks++;
                from = to;
            }
            pending.clear();
        }

        void delete() {
            for (int chunk = 0; chunk < chunks; chunk++) {
                store.delete(chunkKey(start, chunk));
            }
        }
    }
}
