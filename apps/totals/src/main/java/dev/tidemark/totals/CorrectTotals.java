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
import org.apache.kafka.streams.processor.PunctuationType;
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
 * version. It is published once a late event or a {@link Tick} shows that the interval is over: {@value #PART} windows at
 * once, and the others bit by bit, because a transaction must not take long. After the end of the input, when no time is
 * left to wait for, and with an interval of zero, each late event becomes a version of its own.
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

    /** So many pending corrections are published at once. */
    static final int PART = 10_000;

    /** How long it waits, by the wall clock, to publish more of what is due. */
    private static final Duration PART_INTERVAL = Duration.ofMillis(100);

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

        private WindowStore<String, ValueAndTimestamp<WindowTotal>> finals;
        private WindowStore<String, VersionedTotal> corrections;
        private KeyValueStore<Windowed<String>, Correction> pending;
        private KeyValueStore<Long, Closing> closings;
        /** Start of the last window that was closed when the cache was flushed. */
        private long flushed = Long.MIN_VALUE;

        private long streamTime = Long.MIN_VALUE;
        /** No pending correction is due at an earlier stream time; {@link #NEVER} if none is pending. */
        private long due = NEVER;
        /** The last one that was published of those that are due now; null while none is. */
        private Windowed<String> published;
        /** When the first is due of those that were pending too shortly to be published with them. */
        private long dueNext = NEVER;

        @Override
        public void init(ProcessorContext<String, Result> context) {
            super.init(context);
            finals = context.getStateStore(TotalsTopology.TOTALS);
            corrections = context.getStateStore(STORE);
            pending = context.getStateStore(PENDING);
            closings = context.getStateStore(EventClock.CLOSINGS);
            try (KeyValueIterator<Windowed<String>, Correction> all = pending.all()) {
                due = all.hasNext() ? Long.MIN_VALUE : NEVER; // They may be of two intervals.
            }
            context.schedule(PART_INTERVAL, PunctuationType.WALL_CLOCK_TIME, now -> publishSome());
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
            publishSome();
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
            if (begun != null && isDue(begun)) {
                publish(window, begun);
                pending.delete(window);
                begun = null;
            }
            Correction correction = (begun == null ? begin(window) : begun).plus(late);
            if (isDue(correction)) {
                publish(window, correction);
            } else {
                pending.put(window, correction);
                expectAt(dueAfter(correction.streamTime()));
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

        private boolean isDue(Correction correction) {
            return dueAfter(correction.streamTime()) <= streamTime;
        }

        private void expectAt(long time) {
            due = Math.min(due, time);
            dueNext = Math.min(dueNext, time);
        }

        /** It goes through all that is pending, in parts, because a store must not be changed while it is iterated over. */
        private void publishSome() {
            if (due == NEVER || due > streamTime) {
                return;
            }
            List<KeyValue<Windowed<String>, Correction>> part = new ArrayList<>();
            try (KeyValueIterator<Windowed<String>, Correction> rest = pending.range(published, null)) {
                while (rest.hasNext() && part.size() < PART) {
                    KeyValue<Windowed<String>, Correction> next = rest.next();
                    if (isDue(next.value)) {
                        part.add(next);
                    } else {
                        dueNext = Math.min(dueNext, dueAfter(next.value.streamTime()));
                    }
                }
            }
            for (KeyValue<Windowed<String>, Correction> next : part) {
                publish(next.key, next.value);
                pending.delete(next.key);
            }
            if (part.size() == PART) {
                published = part.get(PART - 1).key;
            } else {
                published = null;
                due = dueNext;
                dueNext = NEVER;
            }
        }

        private void publish(Windowed<String> window, Correction correction) {
            long start = window.window().start();
            corrections.put(window.key(), correction.now(), start);
            TotalRow row = TotalRow.corrected(window.key(), start, windows.endOf(start), correction);
            context().forward(new Record<>(window.key(), new Result.Version(row), row.streamTime()));
        }
    }
}
