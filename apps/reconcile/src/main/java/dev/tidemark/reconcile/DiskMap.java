package dev.tidemark.reconcile;

import java.nio.file.Path;
import java.util.NoSuchElementException;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.IndexType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/**
 * A map from bytes to bytes on disk, in the order of the unsigned bytes of its keys, that takes about 100 MB of memory
 * outside of the heap however large it becomes. It is empty at first and worthless after a crash. Safe for use by many
 * threads; one that reads and writes the same key must keep others from it.
 */
final class DiskMap implements AutoCloseable {

    private static final long WRITE_BUFFER = 32L << 20;
    private static final int WRITE_BUFFERS = 2;
    private static final long CACHE = 32L << 20;
    private static final double FILTER_BITS = 10;

    static {
        RocksDB.loadLibrary();
    }

    private final Path directory;
    private final LRUCache cache = new LRUCache(CACHE);
    private final BloomFilter filter = new BloomFilter(FILTER_BITS);
    private final Options options = new Options();
    private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
    private final RocksDB db;

    /** @param directory is made; whoever made the one around it deletes it */
    DiskMap(Path directory) {
        this.directory = directory;
        BlockBasedTableConfig table = new BlockBasedTableConfig();
        table.setBlockCache(cache);
        table.setFilterPolicy(filter);
        table.setCacheIndexAndFilterBlocks(true);
        // In one piece, those of a large file would fit into no shard of the cache, and be read again for every key.
        table.setIndexType(IndexType.kTwoLevelIndexSearch);
        table.setPartitionFilters(true);
        table.setPinTopLevelIndexAndFilter(true);
        options.setCreateIfMissing(true)
                .setErrorIfExists(true)
                .setWriteBufferSize(WRITE_BUFFER)
                .setMaxWriteBufferNumber(WRITE_BUFFERS)
                .setTableFormatConfig(table);
        try {
            db = RocksDB.open(options, directory.toString());
        } catch (RocksDBException e) {
            closeSettings(); // nobody closes what a constructor that fails has made
            throw failed(e);
        }
    }

    /** The value, or null. */
    byte[] get(byte[] key) {
        try {
            return db.get(key);
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    void put(byte[] key, byte[] value) {
        try {
            db.put(unlogged, key, value);
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    /** All entries, as they are now. */
    Cursor cursor() {
        RocksIterator iterator = db.newIterator();
        iterator.seekToFirst();
        return new Cursor(iterator);
    }

    /** Bytes that it takes outside of the heap: what is not on disk yet, and what was read from there. */
    long memory() {
        try {
            return db.getLongProperty("rocksdb.size-all-mem-tables") + cache.getUsage();
        } catch (RocksDBException e) {
            throw failed(e);
        }
    }

    private CouldNotTellException failed(RocksDBException e) {
        return new CouldNotTellException(
                "Cannot keep events in " + directory.getParent() + " (" + e.getMessage()
                        + "); set tidemark.reconcile.directory to one with enough space that this process may write to.",
                e);
    }

    @Override
    public void close() {
        db.close();
        closeSettings();
    }

    private void closeSettings() {
        unlogged.close();
        options.close();
        filter.close();
        cache.close();
    }

    /** Entries in the order of their keys. Not thread-safe. */
    final class Cursor implements AutoCloseable {

        private final RocksIterator iterator;

        private Cursor(RocksIterator iterator) {
            this.iterator = iterator;
        }

        boolean hasNext() {
            if (iterator.isValid()) {
                return true;
            }
            try {
                iterator.status();
            } catch (RocksDBException e) {
                throw failed(e);
            }
            return false;
        }

        /** Key and value of the next entry. */
        Entry next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Entry entry = new Entry(iterator.key(), iterator.value());
            iterator.next();
            return entry;
        }

        @Override
        public void close() {
            iterator.close();
        }
    }

    /** An entry. */
    record Entry(byte[] key, byte[] value) {}
}
