package dev.tidemark.totals;

import dev.tidemark.common.Closing;
import dev.tidemark.common.Disposition;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventClock;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.JsonRow;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.RecordCache;
import java.time.Duration;
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
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.WindowStore;

/**
 * Adds late events to closed windows, each as a new version on top of the final. A window without a final, because all
 * of its events were late, starts at version 2 with a previous total of 0.
 *
 * <p>A closed window's sum may still be in the record cache, and behind it the tick that closes it for suppress. To read
 * the sum would make it younger than the tick, and a full cache might hand on the tick first. So the cache is flushed
 * before the first late event after a closing; the final then also stands before its corrections in the log.
 */
final class CorrectTotals implements ProcessorSupplier<String, LateEvent, String, Correction> {

    private static final String STORE = "corrections-by-window";

    private final EventWindows windows;
    private final Duration retention;
    private final Map<String, String> changelog;

    /**
     * @param windows the pipeline's windows
     * @param retention how far behind the latest window corrections are remembered
     * @param changelog settings of the changelog topic
     */
    CorrectTotals(EventWindows windows, Duration retention, Map<String, String> changelog) {
        this.windows = windows;
        this.retention = retention;
        this.changelog = changelog;
    }

    @Override
    public Processor<String, LateEvent, String, Correction> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(Stores.windowStoreBuilder(
                        Stores.persistentWindowStore(STORE, retention, Duration.ofMillis(windows.size()), false),
                        Serdes.String(),
                        VersionedTotal.serde())
                .withLoggingEnabled(changelog));
    }

    private final class Task extends ContextualProcessor<String, LateEvent, String, Correction> {

        private WindowStore<String, ValueAndTimestamp<WindowTotal>> finals;
        private WindowStore<String, VersionedTotal> corrections;
        private KeyValueStore<Long, Closing> closings;
        /** Start of the last window that was closed when the cache was flushed. */
        private long flushed = Long.MIN_VALUE;

        @Override
        public void init(ProcessorContext<String, Correction> context) {
            super.init(context);
            finals = context.getStateStore(TotalsTopology.TOTALS);
            corrections = context.getStateStore(STORE);
            closings = context.getStateStore(EventClock.CLOSINGS);
        }

        @Override
        public void process(Record<String, LateEvent> record) {
            LateEvent late = record.value();
            if (late.lastClosed() != flushed) {
                RecordCache.flush(finals);
                flushed = late.lastClosed();
            }
            context().forward(record.withValue(correct(late)));
        }

        private Correction correct(LateEvent late) {
            Event event = late.event();
            long start = windows.lastStartOf(event.time());
            VersionedTotal before = latest(event.key(), start);
            VersionedTotal now =
                    new VersionedTotal(before.version() + 1, before.total().plus(event));
            corrections.put(event.key(), now, start);
            return correction(late, start, before, now);
        }

        private VersionedTotal latest(String key, long start) {
            VersionedTotal corrected = corrections.fetch(key, start);
            if (corrected != null) {
                return corrected;
            }
            ValueAndTimestamp<WindowTotal> closed = finals.fetch(key, start);
            return new VersionedTotal(VersionedTotal.FINAL, closed == null ? WindowTotal.EMPTY : closed.value());
        }

        private Correction correction(LateEvent late, long start, VersionedTotal before, VersionedTotal now) {
            long end = windows.endOf(start);
            Closing closing = Closing.of(start, closings);
            Closing.Cause closedBy = closing == null ? Closing.Cause.END_OF_INPUT : closing.cause();
            String reason = "its window had closed at " + JsonRow.timeText(end) + " when the stream time was "
                    + JsonRow.timeText(late.streamTime());
            return new Correction(
                    TotalRow.corrected(now, before.total(), late, start, end, closedBy),
                    Outcome.of(late.event(), Disposition.LATE, reason).correcting(start, now.version()));
        }
    }
}
