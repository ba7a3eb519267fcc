package dev.tidemark.common;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
 * Counts what was received and what became of it by source partition, and forwards each changed row with the commit that
 * it belongs to. Keeps one meter per disposition, {@code tidemark.events}, and one for what was received.
 *
 * @param <K> type of the incoming record keys, which play no part
 */
public final class Ledger<K> implements ProcessorSupplier<K, Item, Ledger.Source, LedgerRow> {

    private static final String STORE = "ledger";
    private static final String HOOK = "ledger-hook";

    private final String pipeline;
    private final MeterRegistry meters;

    public Ledger(String pipeline, MeterRegistry meters) {
        this.pipeline = pipeline;
        this.meters = meters;
    }

    @Override
    public Processor<K, Item, Source, LedgerRow> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(
                Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(STORE), Serdes.String(), LedgerRow.serde())
                        .withLoggingEnabled(Map.of()),
                CommitHook.named(HOOK));
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

        private String storeKey() {
            return topic + "-" + partition;
        }
    }

    private final class Task extends ContextualProcessor<K, Item, Source, LedgerRow> {

        private final Map<Source, LedgerRow> rows = new HashMap<>();
        private final TreeMap<Source, LedgerRow> changed = new TreeMap<>();
        private final long[] settled = new long[Disposition.values().length];
        private long received;
        private KeyValueStore<String, LedgerRow> store;
        private Origin latest;
        private LedgerRow latestRow;

        @Override
        public void init(ProcessorContext<Source, LedgerRow> context) {
            super.init(context);
            store = context.getStateStore(STORE);
            context.<CommitHook>getStateStore(HOOK).beforeCommit(context, this::publish);
        }

        @Override
        public void process(Record<K, Item> record) {
            if (record.value() instanceof Received item) {
                row(item.origin()).receive(item);
                received++;
            } else if (record.value() instanceof Outcome outcome) {
                row(outcome.origin()).settle(outcome);
                settled[outcome.disposition().ordinal()]++;
            }
        }

        private LedgerRow row(Origin origin) {
            if (latest == null
                    || latest.partition() != origin.partition()
                    || !latest.topic().equals(origin.topic())) {
                latest = origin;
                latestRow = null;
            }
            if (latestRow == null) {
                Source source = new Source(origin.topic(), origin.partition());
                latestRow = rows.computeIfAbsent(source, this::stored);
                changed.put(source, latestRow);
            }
            return latestRow;
        }

        private LedgerRow stored(Source source) {
            LedgerRow row = store.get(source.storeKey());
            return row == null ? new LedgerRow() : row;
        }

        private void publish() {
            changed.forEach((source, row) -> {
                store.put(source.storeKey(), row);
                context().forward(new Record<>(source, row, context().currentSystemTimeMs()));
            });
            changed.clear();
            latestRow = null;
            count();
        }

        private void count() {
            for (Disposition disposition : Disposition.values()) {
                add(disposition.label(), settled[disposition.ordinal()]);
                settled[disposition.ordinal()] = 0;
            }
            add("received", received);
            received = 0;
        }

        private void add(String disposition, long count) {
            Counter.builder("tidemark.events")
                    .description("input records by what became of them")
                    .tag("pipeline", pipeline)
                    .tag("disposition", disposition)
                    .register(meters)
                    .increment(count);
        }
    }
}
