package dev.tidemark.profiles;

import dev.tidemark.common.EventWindows;
import java.time.Duration;
import java.util.Set;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;

/**
 * Publishes a session when it is finished. A late event may have made it longer at its beginning while it was held back,
 * so it is read once more; what has become part of a session that is not finished yet is published with that.
 *
 * @param windows the seconds by which the clock closes
 * @param gap the longest time between two events of a session
 * @param published the store of what was published
 */
record PublishSessions(EventWindows windows, Duration gap, StoreBuilder<?> published)
        implements ProcessorSupplier<Windowed<String>, Session, SessionRow.Id, SessionRow> {

    @Override
    public Processor<Windowed<String>, Session, SessionRow.Id, SessionRow> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(published);
    }

    private final class Task extends ContextualProcessor<Windowed<String>, Session, SessionRow.Id, SessionRow> {

        private SessionBook book;

        @Override
        public void init(ProcessorContext<SessionRow.Id, SessionRow> context) {
            super.init(context);
            book = new SessionBook(context, windows, gap.toMillis());
        }

        @Override
        public void process(Record<Windowed<String>, Session> record) {
            String key = record.key().key();
            long end = record.key().window().end();
            Session session = book.at(key, end);
            if (session != null && session.end() == end) {
                for (SessionRow row : book.publish(key, session, SessionRow.FINAL, record.timestamp())) {
                    context().forward(new Record<>(row.id(), row, row.streamTime()));
                }
            }
        }
    }
}
