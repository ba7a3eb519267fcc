package dev.tidemark.common;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.WriteBufferManager;

/**
 * Lets all RocksDB stores of the process share one piece of memory: half of it for what is not on disk yet, the rest for
 * blocks that were read, indexes and Bloom filters. By default each store, and each segment of a window store, would take
 * up to 100 MB of its own.
 *
 * <p>What has been written since the last commit comes on top; {@code statestore.uncommitted.max.bytes} bounds it.
 */
public final class StateMemory implements RocksDBConfigSetter {

    /** Setting of the streams client: the size of the memory in bytes. */
    public static final String SIZE = "tidemark.state.memory";

    /**
     * Much smaller than a memtable, because it is what a store takes that holds next to nothing, and most are of that
     * kind.
     */
    private static final int ARENA_BLOCK = 64 * 1024;

    /** Never closed, because open stores rely on it. */
    private static final Map<Long, Shared> BY_SIZE = new ConcurrentHashMap<>();

    @Override
    public void setConfig(String storeName, Options options, Map<String, Object> configs) {
        Shared shared = BY_SIZE.computeIfAbsent(Long.valueOf(configs.get(SIZE).toString()), Shared::ofSize);
        BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
        table.setBlockCache(shared.cache);
        table.setCacheIndexAndFilterBlocks(true);
        table.setCacheIndexAndFilterBlocksWithHighPriority(true);
        table.setPinTopLevelIndexAndFilter(true);
        options.setTableFormatConfig(table);
        options.setOptimizeFiltersForHits(false); // Most keys that are asked for are new.
        options.setWriteBufferManager(shared.writeBuffers);
        options.setArenaBlockSize(ARENA_BLOCK);
    }

    @Override
    public void close(String storeName, Options options) {
        // What the store used is still used by others.
    }

    private record Shared(Cache cache, WriteBufferManager writeBuffers) {

        private static final int ANY_NUMBER_OF_SHARDS = -1;
        private static final boolean MAY_BE_EXCEEDED = false;
        private static final double FOR_INDEXES_AND_FILTERS = 0.3;

        static Shared ofSize(long bytes) {
            Cache cache = new LRUCache(bytes, ANY_NUMBER_OF_SHARDS, MAY_BE_EXCEEDED, FOR_INDEXES_AND_FILTERS);
            // Memtables are charged to the cache, so that both together stay within its size.
            return new Shared(cache, new WriteBufferManager(bytes / 2, cache));
        }
    }
}
