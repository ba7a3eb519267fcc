package org.apache.kafka.streams.processor.internals;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.internals.ProcessorStateManager.StateStoreMetadata;

/** Restores the stores of a task from changelogs in memory. It stands in this package because Kafka's methods do. */
public final class StateRestoration {

    private StateRestoration() {}

    /**
     * Applies to each store what its changelog holds beyond the offset that the store has kept.
     *
     * @param stores the stores of a task that is initialized and not yet running
     * @param changelogs the records of a partition; the place in the list is the offset
     */
    public static void restore(
            ProcessorStateManager stores, Function<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> changelogs) {
        for (TopicPartition partition : stores.changelogPartitions()) {
            StateStoreMetadata store = stores.storeMetadata(partition);
            List<ConsumerRecord<byte[], byte[]>> changelog = changelogs.apply(partition);
            int from = store.offset() == null ? 0 : Math.toIntExact(store.offset() + 1);
            stores.restore(store, changelog.subList(from, changelog.size()), OptionalLong.empty());
        }
    }
}
