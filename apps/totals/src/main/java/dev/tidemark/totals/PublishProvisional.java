package dev.tidemark.totals;

import dev.tidemark.common.EventWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Describes the state of an open window as version 0, under the greatest event time that it contains. */
final class PublishProvisional extends ContextualProcessor<Windowed<String>, WindowTotal, TotalRow.Id, TotalRow> {

    private final EventWindows windows;

    PublishProvisional(EventWindows windows) {
        this.windows = windows;
    }

    @Override
    public void process(Record<Windowed<String>, WindowTotal> record) {
        long start = record.key().window().start();
        TotalRow row = TotalRow.provisional(
                record.key().key(), start, windows.endOf(start), record.value(), record.timestamp());
        context().forward(record.withKey(row.id()).withValue(row));
    }
}
