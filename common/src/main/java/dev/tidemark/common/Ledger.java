package dev.tidemark.common;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
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
 * Keeps the account of every source partition: adds up what {@link GatherLedger} brings from the tasks and forwards each
 * changed row. Keeps one meter per disposition, {@code tidemark.events}, and one for what was received.
 *
 * <p>With several tasks, what one has passed on may be known here after what the next made of it; such a row, with less
 * than nothing held, is not forwarded.
 */
final class Ledger implements ProcessorSupplier<LedgerSource, LedgerRow, LedgerSource, LedgerRow> {

    static final String STORE = "ledger";

    private final String pipeline;
    private final MeterRegistry meters;

    Ledger(String pipeline, MeterRegistry meters) {
        this.pipeline = pipeline;
        this.meters = meters;
        // So that a disposition that has not occurred is a zero and not a gap.
        meter("received", 0);
        for (Disposition disposition : Disposition.values()) {
            meter(disposition.label(), 0);
        }
    }

    @Override
    public Processor<LedgerSource, LedgerRow, LedgerSource, LedgerRow> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(STORE), LedgerSource.serde(), LedgerRow.serde())
                .withLoggingEnabled(Map.of()));
    }

    private void meter(String disposition, long count) {
        Counter.builder("tidemark.events")
                .description("input records by what became of them")
                .tag("pipeline", pipeline)
                .tag("disposition", disposition)
                .register(meters)
                .increment(count);
    }

    private final class Task extends ContextualProcessor<LedgerSource, LedgerRow, LedgerSource, LedgerRow> {

        private KeyValueStore<LedgerSource, LedgerRow> store;

        @Override
        public void init(ProcessorContext<LedgerSource, LedgerRow> context) {
            super.init(context);
            store = context.getStateStore(STORE);
        }

        @Override
        public void process(Record<LedgerSource, LedgerRow> record) {
            LedgerRow entry = record.value();
            LedgerRow row = store.get(record.key());
            row = row == null ? new LedgerRow() : row;
            row.add(entry);
            store.put(record.key(), row);
            if (row.held() >= 0) {
                context().forward(record.withValue(row));
            }
            meter("received", entry.received());
            for (Disposition disposition : Disposition.values()) {
                meter(disposition.label(), entry.count(disposition));
            }
        }
    }
}
