package dev.tidemark.common;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The ids of the events that were accepted lately, to recognise a repetition.
 *
 * <p>An id is remembered until the stream time has moved on by the retention since the event was accepted, rounded up to
 * a quarter of the retention. The answer depends on the order of the log alone: a replay and a restart give the same.
 *
 * <p>Ids are kept in memory in generations of a quarter of the retention, by the stream time at which they were
 * accepted, as 128 bits of hash beside 64 bits that stand for the content and the place in the log; about 50 bytes each.
 * {@link #flush} appends what is new to the store in packed chunks, so that one record of the changelog carries up to
 * {@value #CHUNK} ids. Not thread-safe.
 */
final class SeenEvents {

    private static final int GENERATIONS = 4;
    private static final int CHUNK = 8192;
    /** Sorts behind every generation, whose starts are not negative. */
    private static final Bytes STREAM_TIME = chunkKey(Long.MAX_VALUE, 0);

    private final KeyValueStore<Bytes, byte[]> store;
    private final DeduplicateScope scope;
    private final long generationMillis;
    private final TreeMap<Long, Generation> generations = new TreeMap<>();
    private final HashStream128 hash = Hashing.xxh3_128().hashStream();
    private Generation current;
    /** The generations, oldest first. */
    private Generation[] searched = {};

    private long streamTime = -1;
    private long storedStreamTime = -1;

    SeenEvents(KeyValueStore<Bytes, byte[]> store, Duration retention, DeduplicateScope scope) {
        this.store = store;
        this.scope = scope;
        this.generationMillis = Math.max(1, (retention.toMillis() + GENERATIONS - 1) / GENERATIONS);
        load();
    }

    /** Remembers the event and returns null, or returns the earlier one with the same key and id. */
    Earlier remember(Event event) {
        advance(event.time());
        hash.reset();
        if (scope == DeduplicateScope.KEY) {
            hash.putString(event.key());
        }
        HashValue128 id = hash.putString(event.id()).get();
        long content = contentOf(event);
        for (int i = searched.length - 1; i >= 0; i--) {
            Generation generation = searched[i];
            int slot = generation.find(id.getMostSignificantBits(), id.getLeastSignificantBits());
            if (slot >= 0) {
                return new Earlier(
                        generation.content(slot) == content, generation.partition(slot), generation.offset(slot));
            }
        }
        current.add(
                id.getMostSignificantBits(),
                id.getLeastSignificantBits(),
                content,
                event.origin().partition(),
                event.origin().offset());
        return null;
    }

    /** Writes what was remembered since the last call. */
    void flush() {
        generations.forEach((start, generation) -> generation.flush(start));
        if (streamTime != storedStreamTime) {
            store.put(STREAM_TIME, ByteBuffer.allocate(8).putLong(streamTime).array());
            storedStreamTime = streamTime;
        }
    }

    /** How many ids are remembered. */
    long size() {
        return generations.values().stream().mapToLong(Generation::size).sum();
    }

    private void advance(long time) {
        if (time > streamTime) {
            streamTime = time;
            // Generations go by their start, which stays comparable when the retention is changed.
            long start = time - time % generationMillis;
            if (current == null || start > generations.lastKey()) {
                current = new Generation();
                generations.put(start, current);
                while (generations.firstKey() < start - GENERATIONS * generationMillis) {
                    forget(generations.firstKey());
                }
                searched = generations.values().toArray(new Generation[0]);
            }
        }
    }

    private void forget(long start) {
        int chunks = generations.remove(start).chunks;
        for (int chunk = 0; chunk < chunks; chunk++) {
            store.delete(chunkKey(start, chunk));
        }
    }

    private void load() {
        try (KeyValueIterator<Bytes, byte[]> chunks = store.all()) {
            while (chunks.hasNext()) {
                KeyValue<Bytes, byte[]> chunk = chunks.next();
                ByteBuffer value = ByteBuffer.wrap(chunk.value);
                if (chunk.key.equals(STREAM_TIME)) {
                    streamTime = value.getLong();
                    storedStreamTime = streamTime;
                } else {
                    long start = ByteBuffer.wrap(chunk.key.get()).getLong();
                    current = generations.computeIfAbsent(start, s -> new Generation());
                    current.load(value);
                }
            }
        }
        searched = generations.values().toArray(new Generation[0]);
    }

    private long contentOf(Event event) {
        hash.reset();
        if (scope == DeduplicateScope.GLOBAL) {
            hash.putString(event.key());
        }
        return hash.putLong(event.time()).putLong(event.amount()).getAsLong();
    }

    private static Bytes chunkKey(long generation, int chunk) {
        return Bytes.wrap(
                ByteBuffer.allocate(12).putLong(generation).putInt(chunk).array());
    }

    /**
     * The event that had the same key and id.
     *
     * @param sameContent whether event time and amount are the same, too
     * @param partition its source partition
     * @param offset its offset
     */
    record Earlier(boolean sameContent, int partition, long offset) {}

    /** An open-addressing table of ids; the ids stand in {@code entries} in the order in which they came. */
    private final class Generation {

        private static final int WIDTH = 4;
        private static final int BLOCK = 1024;
        private static final int PARTITION_SHIFT = 44;

        /** Blocks of entries, so that growing never copies them. */
        private final List<long[]> blocks = new ArrayList<>();

        private int[] table = new int[1024];
        private int size;
        private int flushed;
        private int chunks;

        int size() {
            return size;
        }

        /** The slot with this id, or -1. */
        int find(long high, long low) {
            int mask = table.length - 1;
            for (int at = (int) low & mask; table[at] != 0; at = at + 1 & mask) {
                int slot = table[at] - 1;
                if (get(slot, 0) == high && get(slot, 1) == low) {
                    return slot;
                }
            }
            return -1;
        }

        void add(long high, long low, long content, int partition, long offset) {
            if (size >= table.length / 2) {
                grow();
            }
            if (size % BLOCK == 0) {
                blocks.add(new long[BLOCK * WIDTH]);
            }
            long[] block = blocks.get(size / BLOCK);
            int at = size % BLOCK * WIDTH;
            block[at] = high;
            block[at + 1] = low;
            block[at + 2] = content;
            block[at + 3] = (long) partition << PARTITION_SHIFT | offset;
            insert(size, low);
            size++;
        }

        long content(int slot) {
            return get(slot, 2);
        }

        int partition(int slot) {
            return (int) (get(slot, 3) >>> PARTITION_SHIFT);
        }

        long offset(int slot) {
            return get(slot, 3) & (1L << PARTITION_SHIFT) - 1;
        }

        void flush(long start) {
            while (flushed < size) {
                int end = Math.min(size, flushed + CHUNK);
                ByteBuffer chunk = ByteBuffer.allocate((end - flushed) * WIDTH * Long.BYTES);
                for (int slot = flushed; slot < end; slot++) {
                    for (int field = 0; field < WIDTH; field++) {
                        chunk.putLong(get(slot, field));
                    }
                }
                store.put(chunkKey(start, chunks), chunk.array());
                chunks++;
                flushed = end;
            }
        }

        void load(ByteBuffer chunk) {
            while (chunk.hasRemaining()) {
                long high = chunk.getLong();
                long low = chunk.getLong();
                long content = chunk.getLong();
                long place = chunk.getLong();
                add(high, low, content, (int) (place >>> PARTITION_SHIFT), place & (1L << PARTITION_SHIFT) - 1);
            }
            flushed = size;
            chunks++;
        }

        private long get(int slot, int field) {
            return blocks.get(slot / BLOCK)[slot % BLOCK * WIDTH + field];
        }

        private void insert(int slot, long low) {
            int mask = table.length - 1;
            int at = (int) low & mask;
            while (table[at] != 0) {
                at = at + 1 & mask;
            }
            table[at] = slot + 1;
        }

        private void grow() {
            table = new int[table.length * 2];
            for (int slot = 0; slot < size; slot++) {
                insert(slot, get(slot, 1));
            }
        }
    }
}
