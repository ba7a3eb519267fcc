package dev.tidemark.profiles;

import dev.tidemark.common.Disposition;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.JsonRow;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.SettingRules;
import dev.tidemark.profiles.CorrectSessions.Result;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Adds events that the operators would drop to the sessions that they belong to. If what they make together is finished,
 * it is published at once as a correction; if not, that is done when it is.
 *
 * @param windows the seconds by which the clock closes
 * @param grace how far the watermark is behind the clock
 * @param gap the longest time between two events of a session
 */
record CorrectSessions(EventWindows windows, Duration grace, Duration gap)
        implements ProcessorSupplier<String, Arrival, String, Result> {

    /** What comes out. */
    sealed interface Result {

        /** A row to be published. */
        record Published(SessionRow row) implements Result {}

        /** What became of an event. */
        record Settled(Outcome outcome) implements Result {}
    }

    @Override
    public Processor<String, Arrival, String, Result> get() {
        return new Task();
    }

    /** What became of a late event. */
    Outcome late(Arrival.Came came) {
        return Outcome.of(
                came.event(),
                Disposition.LATE,
                "it came when the stream time was " + JsonRow.timeText(came.streamTime()) + ", more than the grace of "
                        + SettingRules.show(grace) + " behind");
    }

    private final class Task extends ContextualProcessor<String, Arrival, String, Result> {

        private SessionBook book;
        private long finishedBefore;

        @Override
        public void init(ProcessorContext<String, Result> context) {
            super.init(context);
            book = new SessionBook(context, windows, gap.toMillis());
        }

        @Override
        public void process(Record<String, Arrival> record) {
            if (record.value() instanceof Arrival.Ticked tick) {
                finishedBefore =
                        tick.ended() ? Long.MAX_VALUE : record.timestamp() - windows.gracePeriodMs() - gap.toMillis();
            } else if (record.value() instanceof Arrival.Came came) {
                context().forward(record.withValue(new Result.Settled(correct(came))));
            }
        }

        private Outcome correct(Arrival.Came came) {
            String key = came.event().key();
            Session session = book.add(key, Session.of(came.event(), true));
            boolean finished = session.end() < finishedBefore;
            List<SessionRow> rows =
                    finished ? book.publish(key, session, SessionRow.FINAL + 1, came.streamTime()) : List.of();
            rows.forEach(row -> context().forward(new Record<>(key, new Result.Published(row), came.streamTime())));
            Outcome late = late(came);
            return rows.isEmpty()
                    ? late
                    : late.correcting(
                            session.start(), rows.get(rows.size() - 1).id().version());
        }
    }
}
