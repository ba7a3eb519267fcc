package dev.tidemark.totals;

import dev.tidemark.common.Closing;
import dev.tidemark.common.EventClock;
import dev.tidemark.common.EventWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;

/** Describes what suppress lets through as version 1, with what closed the window. */
final class PublishFinals extends ContextualProcessor<Windowed<String>, WindowTotal, TotalRow.Id, TotalRow> {

    private final EventWindows windows;
    private KeyValueStore<Long, Closing> closings;

    PublishFinals(EventWindows windows) {
        this.windows = windows;
    }

    @Override
    public void init(ProcessorContext<TotalRow.Id, TotalRow> context) {
        super.init(context);
        closings = context.getStateStore(EventClock.CLOSINGS);
    }

    @Override
    public void process(Record<Windowed<String>, WindowTotal> record) {
        long start = record.key().window().start();
        TotalRow row = TotalRow.ofFinal(
                record.key().key(), start, windows.endOf(start), record.value(), Closing.of(start, closings));
        context().forward(record.withKey(row.id()).withValue(row));
    }
}
