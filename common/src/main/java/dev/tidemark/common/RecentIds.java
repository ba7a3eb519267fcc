package dev.tidemark.common;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The ids that came last, in memory: blocks of them in the order in which they came, and an open-addressing table of
 * their places there. About 45 bytes per id.
 */
final class RecentIds {

    /** So many can be sorted by 48 bits of hash with their place in the other 16. */
    static final int MOST = 1 << 16;

    private static final int FIRST_TABLE = 256;

    private final List<IdBlock> blocks = new ArrayList<>();
    /** Place of an id plus one; 0 is free. */
    private int[] table = new int[FIRST_TABLE];

    private int size;
    private int stored;

    int size() {
        return size;
    }

    /** What is kept under the hash of the given id, or null. */
    SeenId find(SeenId sought) {
        int mask = table.length - 1;
        for (int at = (int) sought.low() & mask; table[at] != 0; at = at + 1 & mask) {
            int place = table[at] - 1;
            if (blockOf(place).isAt(place % IdBlock.CAPACITY, sought)) {
                return blockOf(place).get(place % IdBlock.CAPACITY);
            }
        }
        return null;
    }

    void add(SeenId id) {
        if (size >= table.length / 2) {
            grow();
        }
        if (size % IdBlock.CAPACITY == 0) {
            blocks.add(IdBlock.ofSize(IdBlock.CAPACITY));
        }
        blockOf(size).set(size % IdBlock.CAPACITY, id);
        insert(size, id.low());
        size++;
    }

    /** Hands over, by number, the blocks with ids that were added since the last call; the last one may be partial. */
    void store(BiConsumer<Integer, byte[]> store) {
        if (stored == size) {
            return;
        }
        for (int number = stored / IdBlock.CAPACITY; number < blocks.size(); number++) {
            int ids = Math.min(IdBlock.CAPACITY, size - number * IdBlock.CAPACITY);
            store.accept(number, Arrays.copyOf(blocks.get(number).bytes(), ids * IdBlock.WIDTH));
        }
        stored = size;
    }

    /** How many blocks have been handed over, partial ones included. */
    int storedBlocks() {
        return (stored + IdBlock.CAPACITY - 1) / IdBlock.CAPACITY;
    }

    /** Adds a block that was handed over. */
    void load(IdBlock block) {
        for (int index = 0; index < block.size(); index++) {
            add(block.get(index));
        }
        stored = size;
    }

    /** All ids, sorted as {@link SortedRun} needs them. */
    List<IdBlock> sorted() {
        long[] order = new long[size];
        for (int place = 0; place < size; place++) {
            long high = blockOf(place).high(place % IdBlock.CAPACITY);
            order[place] = SortedRun.head(high) << 16 | place;
        }
        Arrays.sort(order);
        List<IdBlock> sorted = new ArrayList<>();
        for (int from = 0; from < size; from += IdBlock.CAPACITY) {
            IdBlock block = IdBlock.ofSize(Math.min(IdBlock.CAPACITY, size - from));
            for (int index = 0; index < block.size(); index++) {
                int place = (int) order[from + index] & MOST - 1;
                blockOf(place).copy(place % IdBlock.CAPACITY, block, index);
            }
            sorted.add(block);
        }
        return sorted;
    }

    long heapBytes() {
        return (long) blocks.size() * IdBlock.CAPACITY * IdBlock.WIDTH + (long) table.length * Integer.BYTES;
    }

    private IdBlock blockOf(int place) {
        return blocks.get(place / IdBlock.CAPACITY);
    }

    private void insert(int place, long low) {
        int mask = table.length - 1;
        int at = (int) low & mask;
        while (table[at] != 0) {
            at = at + 1 & mask;
        }
        table[at] = place + 1;
    }

    private void grow() {
        table = new int[table.length * 2];
        for (int place = 0; place < size; place++) {
            insert(place, blockOf(place).low(place % IdBlock.CAPACITY));
        }
    }
}
