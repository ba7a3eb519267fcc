package dev.tidemark.common;

import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Ids that no longer change and lie in the store, sorted by the head of their hash. In memory are only the head of each
 * block's first id, and a filter.
 */
final class SortedRun {

    private final long[] heads;
    private final IdFilter filter;
    private int added;

    /** @param blocks how many blocks will be added */
    SortedRun(int blocks) {
        heads = new long[blocks];
        filter = new IdFilter((long) blocks * IdBlock.CAPACITY);
    }

    /** The 48 bits of an id's hash by which it is sorted, for the first half of the hash. */
    static long head(long high) {
        return high >> 16;
    }

    /** Adds the next block in order. */
    void add(IdBlock block) {
        heads[added] = head(block.high(0));
        filter.addAll(block);
        added++;
    }

    /**
     * What is kept under the hash of the given id, or null.
     *
     * @param blocks reads a block by its number
     */
    SeenId find(SeenId sought, IntFunction<IdBlock> blocks) {
        if (!filter.mightHold(sought)) {
            return null;
        }
        long head = head(sought.high());
        for (int block = lastUpTo(head); block >= 0; block--) {
            SeenId found = blocks.apply(block).find(sought);
            // Ids of one head may have begun in the block before.
            if (found != null || heads[block] < head) {
                return found;
            }
        }
        return null;
    }

    int blocks() {
        return heads.length;
    }

    long heapBytes() {
        return filter.heapBytes() + (long) heads.length * Long.BYTES;
    }

    /** The last block whose first id has a head of at most this; -1 if there is none. */
    private int lastUpTo(long head) {
        int found = Arrays.binarySearch(heads, head);
        if (found < 0) {
            return -found - 2;
        }
        while (found + 1 < heads.length && heads[found + 1] == head) {
            found++;
        }
        return found;
    }
}
