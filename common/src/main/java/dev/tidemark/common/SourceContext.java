package dev.tidemark.common;

import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.processor.internals.InternalProcessorContext;
import org.apache.kafka.streams.processor.internals.ProcessorRecordContext;

/**
 * Lets a punctuation forward as if a record of a source partition had come. Without that the records that it forwards
 * have no topic, and the buffer of suppress fails on them with a NullPointerException at the next commit.
 */
final class SourceContext {

    private SourceContext() {}

    static void run(ProcessingContext context, Origin source, Runnable action) {
        InternalProcessorContext<?, ?> internal = (InternalProcessorContext<?, ?>) context;
        ProcessorRecordContext before = internal.recordContext();
        long timestamp = before == null ? 0 : before.timestamp();
        internal.setRecordContext(new ProcessorRecordContext(
                timestamp, source.offset(), source.partition(), source.topic(), new RecordHeaders()));
        try {
            action.run();
        } finally {
            internal.setRecordContext(before);
        }
    }
}
