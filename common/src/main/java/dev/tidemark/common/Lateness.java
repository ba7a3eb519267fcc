package dev.tidemark.common;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * Keeps how late events are: adds what {@link LatenessCounts} gathered to running counts per bin, and forwards each
 * changed row with the commit that it belongs to. From these rows follows what every other grace would have meant. They
 * are kept for ever, because an event of any day may still come.
 *
 * @param <K> type of the incoming record keys, which play no part
 * @param <V> type of the incoming values; they play no part either, the stream only gives the processor its place
 */
public final class Lateness<K, V> implements ProcessorSupplier<K, V, Lateness.Id, LatenessRow> {

    private static final String STORE = "lateness";
    private static final String HOOK = "lateness-hook";

    @Override
    public Processor<K, V, Id, LatenessRow> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(
                Stores.keyValueStoreBuilder(
                                Stores.persistentKeyValueStore(STORE), LatenessBin.serde(), LatenessRow.serde())
                        .withLoggingEnabled(Map.of()),
                CommitHook.named(HOOK));
    }

    /**
     * What a row is about.
     *
     * @param partition partition of the task that counted; the counts of all partitions add up
     * @param bin the bin
     */
    public record Id(int partition, LatenessBin bin) {}

    private final class Task extends ContextualProcessor<K, V, Id, LatenessRow> {

        private KeyValueStore<LatenessBin, LatenessRow> store;

        @Override
        public void init(ProcessorContext<Id, LatenessRow> context) {
            super.init(context);
            store = context.getStateStore(STORE);
            LatenessCounts counts = context.getStateStore(LatenessCounts.NAME);
            context.<CommitHook>getStateStore(HOOK).beforeCommit(context, () -> counts.drain(this::publish));
        }

        @Override
        public void process(Record<K, V> record) {}

        private void publish(LatenessBin bin, LatenessRow sinceLastCommit) {
            LatenessRow row = store.get(bin);
            row = row == null ? new LatenessRow() : row;
            row.add(sinceLastCommit);
            store.put(bin, row);
            Id id = new Id(context().taskId().partition(), bin);
            context().forward(new Record<>(id, row, context().currentSystemTimeMs()));
        }
    }
}
