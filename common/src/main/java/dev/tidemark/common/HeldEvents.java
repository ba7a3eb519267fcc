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

    /** Hands out the events up to the given time, earliest first. */
    public void release(long until, Consumer<Event> receiver) {
        if (until <= released) {
            return;
        }
        while (!buckets.isEmpty() && buckets.firstKey() <= until) {
            Bucket bucket = buckets.firstEntry().getValue();
            bucket.release(until, receiver);
            if (bucket.start + BUCKET_MILLIS - 1 > until) {
                break;
            }
            buckets.remove(bucket.start);
            bucket.delete();
        }
        released = until;
        releasedChanged = true;
    }

    /** Whether no event waits. */
    public boolean isEmpty() {
        return buckets.isEmpty();
    }

    /**
     * Hands out the earliest buckets, whole, of which the next events may be as well; not to be mixed with {@link #release}.
     *
     * @param most with the bucket that makes so many it stops
     */
    public void releaseSome(int most, Consumer<Event> receiver) {
        for (int left = most; left > 0 && !buckets.isEmpty(); ) {
            Bucket bucket = buckets.pollFirstEntry().getValue();
            left -= bucket.size();
            bucket.release(Long.MAX_VALUE, receiver);
            bucket.delete();
        }
    }

    /**
     * Up to which time not too many events wait.
     *
     * @param until the time up to which is asked
     * @param most how many events are not too many; those that have the time of the last one are not counted
     * @return the given time, or an earlier one; behind what has been handed out
     */
    public long reach(long until, int most) {
        int left = most;
        for (Bucket bucket : buckets.headMap(until, true).values()) {
            if (bucket.size() > left) {
                long[] times = bucket.times(until);
                return times.length > left ? times[Math.max(0, left - 1)] : until;
            }
            left -= bucket.size();
        }
        return until;
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

        void release(long until, Consumer<Event> receiver) {
            begin();
            while (!waiting.isEmpty() && waiting.peek().time() <= until) {
                receiver.accept(waiting.remove());
            }
        }

        int size() {
            begin();
            return waiting.size();
        }

        /** Of those that wait, up to that one; in order. */
        long[] times(long until) {
            return waiting.stream()
                    .mapToLong(Event::time)
                    .filter(time -> time <= until)
                    .sorted()
                    .toArray();
        }

        private void begin() {
            if (waiting == null) {
                waiting = read();
            }
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
