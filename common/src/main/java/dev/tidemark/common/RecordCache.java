package dev.tidemark.common;

import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.internals.CachedStateStore;

/** Access to the record cache of a store, which Kafka Streams otherwise empties when it commits. */
public final class RecordCache {

    private RecordCache() {}

    /**
     * Hands on what the cache of a store holds, in the order in which it was written, as a commit would.
     *
     * @param store a store as a processor's context gives it
     */
    public static void flush(StateStore store) {
        ((CachedStateStore<?, ?>) store).flushCache();
    }
}
