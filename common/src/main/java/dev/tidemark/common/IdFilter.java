package dev.tidemark.common;

/**
 * Tells for sure that an id is not in a set, and is wrong about one in eighty that are not when it is full. Takes ten bits
 * per id.
 *
 * <p>It is the split block Bloom filter of Apache Parquet: each id sets one bit in each of the eight words of one block,
 * so that a question touches one or two cache lines.
 */
final class IdFilter {

    private static final int BITS_PER_ID = 10;
    private static final int WORDS = 8;
    private static final int[] SALTS = {
        0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31
    };

    private final long capacity;
    private final int[] words;
    private long size;

    /** @param capacity how many ids it is made for */
    IdFilter(long capacity) {
        this.capacity = capacity;
        long blocks = capacity * BITS_PER_ID / (WORDS * Integer.SIZE) + 1;
        this.words = new int[Math.toIntExact(blocks * WORDS)];
    }

    long capacity() {
        return capacity;
    }

    /** How many more ids it is made for. */
    long room() {
        return capacity - size;
    }

    void addAll(IdBlock block) {
        for (int index = 0; index < block.size(); index++) {
            add(block.low(index));
        }
    }

    private void add(long hash) {
        int block = blockOf(hash);
        for (int i = 0; i < WORDS; i++) {
            words[block + i] |= bit(hash, i);
        }
        size++;
    }

    boolean mightHold(SeenId id) {
        int block = blockOf(id.low());
        for (int i = 0; i < WORDS; i++) {
            if ((words[block + i] & bit(id.low(), i)) == 0) {
                return false;
            }
        }
        return true;
    }

    long heapBytes() {
        return (long) words.length * Integer.BYTES;
    }

    /** The first half of the hash tells the block, the second one the bits. */
    private int blockOf(long hash) {
        return (int) ((hash >>> 32) * (words.length / WORDS) >>> 32) * WORDS;
    }

    private static int bit(long hash, int word) {
        return 1 << ((int) hash * SALTS[word] >>> 27);
    }
}
