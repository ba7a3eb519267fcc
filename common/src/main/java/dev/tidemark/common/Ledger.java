package dev.tidemark.common;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * Keeps the account of every source partition: takes the outcomes that were not simply counted, adds what
 * {@link LedgerCounts} gathered elsewhere, and forwards each changed row with the commit that it belongs to. Keeps one
 * meter per disposition, {@code tidemark.events}, and one for what was received.
 */
public final class Ledger implements ProcessorSupplier<String, Outcome, Ledger.Source, LedgerRow> {

    private static final String STORE = "ledger";
    private static final String HOOK = "ledger-hook";

    private final String pipeline;
    private final MeterRegistry meters;

    public Ledger(String pipeline, MeterRegistry meters) {
        this.pipeline = pipeline;
        this.meters = meters;
        // So that a disposition that has not occurred is a zero and not a gap.
        meter("received", 0);
        for (Disposition disposition : Disposition.values()) {
            meter(disposition.label(), 0);
        }
    }

    @Override
    public Processor<String, Outcome, Source, LedgerRow> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(
                Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(STORE), Serdes.String(), LedgerRow.serde())
                        .withLoggingEnabled(Map.of()),
                CommitHook.named(HOOK));
    }

    private void meter(String disposition, long count) {
        Counter.builder("tidemark.events")
                .description("input records by what became of them")
                .tag("pipeline", pipeline)
                .tag("disposition", disposition)
                .register(meters)
                .increment(count);
    }

    /**
     * A source partition.
     *
     * @param topic the input topic
     * @param partition its partition
     */
    public record Source(String topic, int partition) implements Comparable<Source> {

        @Override
        public int compareTo(Source other) {
            int byTopic = topic.compareTo(other.topic);
            return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
        }
    }

    private final class Task extends ContextualProcessor<String, Outcome, Source, LedgerRow> {

        private LedgerCounts counts;
        private KeyValueStore<String, LedgerRow> store;

        @Override
        public void init(ProcessorContext<Source, LedgerRow> context) {
            super.init(context);
            counts = context.getStateStore(LedgerCounts.NAME);
            store = context.getStateStore(STORE);
            context.<CommitHook>getStateStore(HOOK).beforeCommit(context, () -> counts.drain(this::publish));
        }

        @Override
        public void process(Record<String, Outcome> record) {
            counts.settle(record.value());
        }

        private void publish(Source source, LedgerRow sinceLastCommit) {
            String key = source.topic() + "-" + source.partition();
            LedgerRow row = store.get(key);
            row = row == null ? new LedgerRow() : row;
            row.add(sinceLastCommit);
            store.put(key, row);
            context().forward(new Record<>(source, row, context().currentSystemTimeMs()));
            meter("received", sinceLastCommit.received());
            for (Disposition disposition : Disposition.values()) {
                meter(disposition.label(), sinceLastCommit.count(disposition));
            }
        }
    }
}
