package dev.tidemark.common;

import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.Bytes;

/**
 * Under what an {@link IdBlock} lies in the store. In the store's order a generation is together, and so is a run, with
 * what is not sorted yet behind the runs.
 *
 * @param generation start of the generation in epoch milliseconds
 * @param run number of the sorted run in the generation, or {@link #RECENT}
 * @param blocks how many blocks the run has; 0 for recent ids
 * @param block number of the block, below 2<sup>15</sup>
 */
record BlockKey(long generation, int run, int blocks, int block) {

    /** In place of a run: ids in the order in which they came. */
    static final int RECENT = Integer.MAX_VALUE;

    private static final int BYTES = Long.BYTES + Integer.BYTES + 2 * Short.BYTES;

    static BlockKey ofRecent(long generation, int block) {
        return new BlockKey(generation, RECENT, 0, block);
    }

    static BlockKey of(Bytes bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes.get());
        return new BlockKey(buffer.getLong(), buffer.getInt(), buffer.getShort(), buffer.getShort());
    }

    Bytes bytes() {
        return Bytes.wrap(ByteBuffer.allocate(BYTES)
                .putLong(generation)
                .putInt(run)
                .putShort((short) blocks)
                .putShort((short) block)
                .array());
    }
}
