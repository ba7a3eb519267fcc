package dev.tidemark.totals;

import dev.tidemark.common.Closing;
import dev.tidemark.common.EventClock;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.Item;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.RecordCache;
import dev.tidemark.common.Tick;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.WindowedSerdes;
import org.apache.kafka.streams.kstream.internals.TimeWindow;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.WindowStore;

/**
 * Adds late events to closed windows, as new versions on top of the final. A window without a final, because all of its
 * events were late, starts at version 2 with a previous total of 0.
 *
 * <p>The late events of one window and one interval of stream time, {@code [n × every, (n + 1) × every)}, become one
 * version. It is published once a late event or a {@link Tick} shows that the interval is over. So all that is pending is
 * of one interval and due at the same time. After the end of the input, when no time is left to wait for, and with an
 * interval of zero, each late event becomes a version of its own.
 *
 * <p>A closed window's sum may still be in the record cache, and behind it the tick that closes it for suppress. To read
 * the sum would make it younger than the tick, and a full cache might hand on the tick first. So the cache is flushed
 * before the first late event after a closing; the final then also stands before its corrections in the log.
 */
final class CorrectTotals implements ProcessorSupplier<String, Item, String, CorrectTotals.Result> {

    /** What comes out: versions of windows, and of each late event what became of it. */
    sealed interface Result {

        /** A new version of a window. */
        record Version(TotalRow row) implements Result {}

        /** What became of a late event. */
        record Settled(Outcome outcome) implements Result {}
    }

    /** What was published last of corrected windows. */
    static final String STORE = "corrections-by-window";

    /** What is going to be published of them. */
    static final String PENDING = "pending-corrections";

    private final EventWindows windows;
    private final long everyMillis;
    private final Duration retention;
    private final Map<String, String> changelog;

    /**
     * @param windows the pipeline's windows
     * @param every length of the intervals of stream time that make one version each; zero: each late event does
     * @param retention how far behind the latest window corrections are remembered
     * @param changelog settings of the changelog topic
     */
    CorrectTotals(EventWindows windows, Duration every, Duration retention, Map<String, String> changelog) {
        this.windows = windows;
        this.everyMillis = every.toMillis();
        this.retention = retention;
        this.changelog = changelog;
    }

    @Override
    public Processor<String, Item, String, Result> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(
                Stores.windowStoreBuilder(
                                Stores.persistentWindowStore(
                                        STORE, retention, Duration.ofMillis(windows.size()), false),
                                Serdes.String(),
                                VersionedTotal.serde())
                        .withLoggingEnabled(changelog),
                // The cache turns the changes that a burst makes to one window into one per commit.
                Stores.keyValueStoreBuilder(
                                Stores.persistentKeyValueStore(PENDING),
                                WindowedSerdes.timeWindowedSerdeFrom(String.class, windows.size()),
                                Correction.serde())
                        .withCachingEnabled()
                        .withLoggingEnabled(Map.of()));
    }

    private final class Task extends ContextualProcessor<String, Item, String, Result> {

        private static final long NEVER = Long.MAX_VALUE;
        /** So many pending corrections are held in memory while they are published. */
        private static final int PART = 10_000;

        private WindowStore<String, ValueAndTimestamp<WindowTotal>> finals;
        private WindowStore<String, VersionedTotal> corrections;
        private KeyValueStore<Windowed<String>, Correction> pending;
        private KeyValueStore<Long, Closing> closings;
        /** Start of the last window that was closed when the cache was flushed. */
        private long flushed = Long.MIN_VALUE;

        private long streamTime = Long.MIN_VALUE;
        /** The stream time at which all that is pending is published; never, if nothing is. */
        private long due = NEVER;

        @Override
        public void init(ProcessorContext<String, Result> context) {
            super.init(context);
            finals = context.getStateStore(TotalsTopology.TOTALS);
            corrections = context.getStateStore(STORE);
            pending = context.getStateStore(PENDING);
            closings = context.getStateStore(EventClock.CLOSINGS);
            try (KeyValueIterator<Windowed<String>, Correction> all = pending.all()) {
                if (all.hasNext()) {
                    due = dueAfter(all.next().value.streamTime());
                }
            }
        }

        @Override
        public void process(Record<String, Item> record) {
            if (record.value() instanceof LateEvent late) {
                goOnTo(late.streamTime());
                if (late.lastClosed() != flushed) {
                    RecordCache.flush(finals);
                    flushed = late.lastClosed();
                }
                context().forward(record.withValue(new Result.Settled(correct(late))));
            } else if (record.value() instanceof Tick tick) {
                goOnTo(tick.streamTime());
            }
        }

        private void goOnTo(long time) {
            streamTime = Math.max(streamTime, time);
            if (due != NEVER && due <= streamTime) {
                publishPending();
                due = NEVER;
            }
        }

        private Outcome correct(LateEvent late) {
            int version = 0;
            for (long start : late.starts()) {
                int next = correct(late, start).now().version();
                version = version == 0 ? next : version;
            }
            return new LateOutcome(late, windows).naming(version);
        }

        private Correction correct(LateEvent late, long start) {
            Windowed<String> window = new Windowed<>(late.event().key(), new TimeWindow(start, start + windows.size()));
            Correction begun = due == NEVER ? null : pending.get(window);
            Correction correction = (begun == null ? begin(window) : begun).plus(late);
            long end = dueAfter(late.streamTime());
            if (end <= streamTime) {
                publish(window, correction);
            } else {
                pending.put(window, correction);
                due = Math.min(due, end);
            }
            return correction;
        }

        private Correction begin(Windowed<String> window) {
            long start = window.window().start();
            Closing closing = Closing.of(start, closings);
            return Correction.of(
                    latest(window.key(), start), closing == null ? Closing.Cause.END_OF_INPUT : closing.cause());
        }

        private VersionedTotal latest(String key, long start) {
            VersionedTotal corrected = corrections.fetch(key, start);
            if (corrected != null) {
                return corrected;
            }
            ValueAndTimestamp<WindowTotal> closed = finals.fetch(key, start);
            return new VersionedTotal(VersionedTotal.FINAL, closed == null ? WindowTotal.EMPTY : closed.value());
        }

        /** The end of the interval that the time lies in. */
        private long dueAfter(long time) {
            return everyMillis == 0 ? time : (time / everyMillis + 1) * everyMillis;
        }

        /** In parts, because a store must not be changed while it is iterated over. */
        private void publishPending() {
            List<KeyValue<Windowed<String>, Correction>> part = new ArrayList<>();
            do {
                Windowed<String> from = part.isEmpty() ? null : part.get(part.size() - 1).key;
                part.clear();
                try (KeyValueIterator<Windowed<String>, Correction> rest = pending.range(from, null)) {
                    while (rest.hasNext() && part.size() < PART) {
                        part.add(rest.next());
                    }
                }
                for (KeyValue<Windowed<String>, Correction> next : part) {
                    publish(next.key, next.value);
                    pending.put(next.key, null);
                }
            } while (part.size() == PART);
        }

        private void publish(Windowed<String> window, Correction correction) {
            long start = window.window().start();
            corrections.put(window.key(), correction.now(), start);
            TotalRow row = TotalRow.corrected(window.key(), start, windows.endOf(start), correction);
            context().forward(new Record<>(window.key(), new Result.Version(row), row.streamTime()));
        }
    }
}
