package dev.tidemark.common;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The ids of the events that were accepted lately, to recognise a repetition.
 *
 * <p>An id is remembered until the stream time has moved on by the retention since the event was accepted, rounded up to
 * a quarter of the retention: ids are kept in generations of a quarter, by the greatest event time when they were accepted,
 * and a generation is forgotten as a whole. With one source partition the answer depends on the order of the log alone: a
 * replay and a restart give the same. With several, nothing is forgotten before the slowest of them has come so far, so
 * that a backlog which is read unevenly forgets no earlier than live traffic does.
 *
 * <p>An id is 128 bits of hash, beside 64 bits that stand for the content and the place in the log. The ids that came
 * last are in memory ({@link RecentIds}); {@link #flush} writes them to the store as they come, in blocks. When there are
 * 65,536 of them, or when their generation ends, they are written once more, as a {@link SortedRun}, and leave the
 * memory. What stays there of a run are filters of about three bytes per id, which tell for nearly every new event that
 * it is new, and else which block of which run to read ({@link SeenGeneration}).
 *
 * <p>Not thread-safe.
 */
final class SeenEvents {

    private static final int GENERATIONS = 4;
    /** How many blocks are deleted with one commit, so that a large generation does not hold up the events. */
    private static final int DELETED_AT_ONCE = 4096;
    /** Sorts behind every generation. */
    private static final Bytes STREAM_TIME = new BlockKey(Long.MAX_VALUE, 0, 0, 0).bytes();

    private final KeyValueStore<Bytes, byte[]> store;
    private final long generationMillis;
    private final DeduplicateScope scope;
    private final boolean byPayload;
    private final int mostRecent;
    private final HashStream128 hash = Hashing.xxh3_128().hashStream();

    /** Oldest first. */
    private final ArrayDeque<SeenGeneration> generations = new ArrayDeque<>();
    /** The ids of the last generation that are in none of its runs. */
    private RecentIds recent = new RecentIds();
    /** What is still in the store of generations that are forgotten. */
    private final ArrayDeque<Bytes> forgotten = new ArrayDeque<>();

    /** Greatest event time, which says in which generation an event is accepted. */
    private long streamTime = -1;
    /** How far all source partitions have come, which says what is forgotten. */
    private long clock = -1;

    /** A generation of which only the end is left in the store. */
    private long cutOff = Long.MIN_VALUE;

    private long storedStreamTime = -1;
    private long storedClock = -1;

    SeenEvents(KeyValueStore<Bytes, byte[]> store, Duration retention, DeduplicateScope scope) {
        this(store, retention, scope, false, RecentIds.MOST);
    }

    /** @param byPayload whether the payload is part of the content, too */
    SeenEvents(KeyValueStore<Bytes, byte[]> store, Duration retention, DeduplicateScope scope, boolean byPayload) {
        this(store, retention, scope, byPayload, RecentIds.MOST);
    }

    /** @param mostRecent how many ids become a run, at most {@link RecentIds#MOST} */
    SeenEvents(KeyValueStore<Bytes, byte[]> store, Duration retention, DeduplicateScope scope, int mostRecent) {
        this(store, retention, scope, false, mostRecent);
    }

    private SeenEvents(
            KeyValueStore<Bytes, byte[]> store,
            Duration retention,
            DeduplicateScope scope,
            boolean byPayload,
            int mostRecent) {
        this.store = store;
        this.byPayload = byPayload;
        this.generationMillis = Math.max(1, (retention.toMillis() + GENERATIONS - 1) / GENERATIONS);
        this.scope = scope;
        this.mostRecent = mostRecent;
        load();
    }

    /**
     * Remembers the event and returns null, or returns the earlier one with the same identity.
     *
     * @param clock how far the stream time has come, over all source partitions; less than the event's time, if this one
     *     is ahead of others
     */
    Earlier remember(Event event, long clock) {
        advance(Math.max(event.time(), clock));
        forget(clock);
        SeenId id = identify(event);
        SeenId earlier = find(id);
        if (earlier != null) {
            return new Earlier(earlier.content() == id.content(), earlier.partition(), earlier.offset());
        }
        recent.add(id);
        if (recent.size() >= mostRecent) {
            sortRecent();
        }
        return null;
    }

    /** Writes what was remembered since the last call. */
    void flush() {
        recent.store((number, block) -> store.put(recentKey(number), block));
        for (int deleted = 0; deleted < DELETED_AT_ONCE && !forgotten.isEmpty(); deleted++) {
            store.put(forgotten.remove(), null);
        }
        if (streamTime != storedStreamTime || clock != storedClock) {
            store.put(
                    STREAM_TIME,
                    ByteBuffer.allocate(2 * Long.BYTES)
                            .putLong(streamTime)
                            .putLong(clock)
                            .array());
            storedStreamTime = streamTime;
            storedClock = clock;
        }
    }

    /** How many ids are remembered. */
    long size() {
        return recent.size()
                + generations.stream().mapToLong(SeenGeneration::size).sum();
    }

    /** How much memory the ids take. */
    long heapBytes() {
        return recent.heapBytes()
                + generations.stream().mapToLong(SeenGeneration::heapBytes).sum();
    }

    private void advance(long time) {
        streamTime = Math.max(streamTime, time);
        long start = generationOf(streamTime);
        // Generations go by their start, which stays comparable when the retention is changed.
        if (generations.isEmpty() || start > generations.getLast().start()) {
            sortRecent();
            begin(start);
        }
    }

    private void forget(long time) {
        if (time > clock) {
            clock = time;
            while (isForgotten(generations.getFirst().start())) {
                generations.remove().keys().forEach(key -> forgotten.add(key.bytes()));
            }
        }
    }

    private long generationOf(long time) {
        return time - time % generationMillis;
    }

    private boolean isForgotten(long generation) {
        return generation < generationOf(clock) - GENERATIONS * generationMillis;
    }

    private void begin(long start) {
        generations.add(new SeenGeneration(store, start, generations.peekLast()));
    }

    private SeenId find(SeenId sought) {
        SeenId found = recent.find(sought);
        for (Iterator<SeenGeneration> latestFirst = generations.descendingIterator();
                found == null && latestFirst.hasNext(); ) {
            found = latestFirst.next().find(sought);
        }
        return found;
    }

    private void sortRecent() {
        if (recent.size() == 0) {
            return;
        }
        SeenGeneration generation = generations.getLast();
        int run = generation.runs();
        List<IdBlock> blocks = recent.sorted();
        for (int number = 0; number < blocks.size(); number++) {
            BlockKey key = new BlockKey(generation.start(), run, blocks.size(), number);
            store.put(key.bytes(), blocks.get(number).bytes());
            generation.add(key, blocks.get(number));
        }
        for (int number = 0; number < recent.storedBlocks(); number++) {
            store.put(recentKey(number), null);
        }
        recent = new RecentIds();
    }

    private Bytes recentKey(int number) {
        return BlockKey.ofRecent(generations.getLast().start(), number).bytes();
    }

    private void load() {
        byte[] time = store.get(STREAM_TIME);
        if (time == null) {
            return;
        }
        ByteBuffer times = ByteBuffer.wrap(time);
        streamTime = times.getLong();
        clock = times.getLong();
        storedStreamTime = streamTime;
        storedClock = clock;
        try (KeyValueIterator<Bytes, byte[]> entries = store.all()) {
            while (entries.hasNext()) {
                KeyValue<Bytes, byte[]> entry = entries.next();
                if (!entry.key.equals(STREAM_TIME)) {
                    load(entry.key, entry.value);
                }
            }
        }
    }

    private void load(Bytes bytes, byte[] value) {
        BlockKey key = BlockKey.of(bytes);
        boolean first = generations.isEmpty()
                || key.generation() > generations.getLast().start();
        if (first && isCutOff(key)) {
            cutOff = key.generation();
        }
        if (isForgotten(key.generation()) || key.generation() == cutOff) {
            forgotten.add(bytes);
            return;
        }
        if (first) {
            begin(key.generation());
        }
        IdBlock block = new IdBlock(value);
        if (key.run() == BlockKey.RECENT) {
            recent.load(block);
        } else {
            generations.getLast().add(key, block);
        }
    }

    /** Whether its generation has lost what was before: it had been forgotten when the retention was shorter. */
    private static boolean isCutOff(BlockKey first) {
        return first.run() != BlockKey.RECENT && (first.run() > 0 || first.block() > 0);
    }

    private SeenId identify(Event event) {
        hash.reset();
        if (scope == DeduplicateScope.KEY) {
            hash.putString(event.key());
        }
        HashValue128 identity = hash.putString(event.id()).get();
        hash.reset();
        hash.putLong(event.time()).putLong(event.amount());
        if (scope == DeduplicateScope.GLOBAL) {
            hash.putString(event.key());
        }
        if (byPayload) {
            hash.putByteArray(event.payload());
        }
        return new SeenId(
                identity.getMostSignificantBits(),
                identity.getLeastSignificantBits(),
                hash.getAsLong(),
                event.origin().partition(),
                event.origin().offset());
    }

    /**
     * The event that had the same identity.
     *
     * @param sameContent whether what else makes the event is the same, too
     * @param partition its source partition
     * @param offset its offset
     */
    record Earlier(boolean sameContent, int partition, long offset) {}
}
