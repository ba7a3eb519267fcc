package dev.tidemark.common;

import java.util.Set;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;

/**
 * Adds the outcomes that were not simply counted to the {@link LedgerCounts} of their task, and forwards what these have
 * gathered with the commit that it belongs to.
 *
 * @param ledgerCounts name of the connected {@link LedgerCounts}
 */
record GatherLedger(String ledgerCounts) implements ProcessorSupplier<String, Outcome, LedgerSource, LedgerRow> {

    @Override
    public Processor<String, Outcome, LedgerSource, LedgerRow> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(CommitHook.named(hook()));
    }

    private String hook() {
        return ledgerCounts + "-hook";
    }

    private final class Task extends ContextualProcessor<String, Outcome, LedgerSource, LedgerRow> {

        private LedgerCounts counts;

        @Override
        public void init(ProcessorContext<LedgerSource, LedgerRow> context) {
            super.init(context);
            counts = context.getStateStore(ledgerCounts);
            context.<CommitHook>getStateStore(hook()).beforeCommit(context, () -> counts.drain(this::forward));
        }

        @Override
        public void process(Record<String, Outcome> record) {
            counts.settle(record.value());
        }

        private void forward(LedgerSource source, LedgerRow sinceLastCommit) {
            context().forward(new Record<>(source, sinceLastCommit, context().currentSystemTimeMs()));
        }
    }
}
