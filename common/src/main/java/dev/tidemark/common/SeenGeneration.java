package dev.tidemark.common;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The sorted runs of one generation. Nearly every event is new, and a run has to be asked only about one that the filters
 * over many runs cannot tell to be new. Each of these is for twice as many ids as the one before; the first is for a
 * quarter more than the generation before had, so that mostly there is one.
 */
final class SeenGeneration {

    private final KeyValueStore<Bytes, byte[]> store;
    private final long start;
    private final List<SortedRun> runs = new ArrayList<>();
    private final List<IdFilter> filters = new ArrayList<>();
    private final long expected;
    private long size;

    /**
     * @param store where the blocks lie
     * @param start start of the generation in epoch milliseconds
     * @param before the generation before, or null
     */
    SeenGeneration(KeyValueStore<Bytes, byte[]> store, long start, SeenGeneration before) {
        this.store = store;
        this.start = start;
        this.expected = before == null ? 0 : before.size + before.size / 4;
    }

    long start() {
        return start;
    }

    int runs() {
        return runs.size();
    }

    /** How many ids are in its runs. */
    long size() {
        return size;
    }

    /** Takes notice of a block that lies in the store; the blocks of a run come one after the other. */
    void add(BlockKey key, IdBlock block) {
        if (key.block() == 0) {
            runs.add(new SortedRun(key.blocks()));
            makeRoom((long) key.blocks() * IdBlock.CAPACITY);
        }
        last(runs).add(block);
        last(filters).addAll(block);
        size += block.size();
    }

    /** What is kept in a run under the hash of the given id, or null. */
    SeenId find(SeenId sought) {
        return mightHold(sought) ? findInRuns(sought) : null;
    }

    List<BlockKey> keys() {
        List<BlockKey> keys = new ArrayList<>();
        for (int run = 0; run < runs.size(); run++) {
            for (int block = 0; block < runs.get(run).blocks(); block++) {
                keys.add(key(run, block));
            }
        }
        return keys;
    }

    long heapBytes() {
        return runs.stream().mapToLong(SortedRun::heapBytes).sum()
                + filters.stream().mapToLong(IdFilter::heapBytes).sum();
    }

    private boolean mightHold(SeenId sought) {
        for (IdFilter filter : filters) {
            if (filter.mightHold(sought)) {
                return true;
            }
        }
        return false;
    }

    private SeenId findInRuns(SeenId sought) {
        for (int number = runs.size() - 1; number >= 0; number--) {
            int run = number;
            SeenId found = runs.get(run).find(sought, block -> read(key(run, block)));
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private IdBlock read(BlockKey key) {
        return new IdBlock(store.get(key.bytes()));
    }

    private BlockKey key(int run, int block) {
        return new BlockKey(start, run, runs.get(run).blocks(), block);
    }

    private void makeRoom(long ids) {
        if (filters.isEmpty()) {
            filters.add(new IdFilter(Math.max(expected, ids)));
        } else if (last(filters).room() < ids) {
            filters.add(new IdFilter(Math.max(2 * last(filters).capacity(), ids)));
        }
    }

    private static <T> T last(List<T> list) {
        return list.get(list.size() - 1);
    }
}
