package dev.tidemark.common;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
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

/**
 * Decides which windows are closed, once for all operators behind it, from a clock that survives restarts.
 *
 * <p>The clock is the greatest event time seen on the source partition; the watermark is the clock less the grace; a
 * window is closed when the watermark has reached its end. Events whose window is open are forwarded under their event
 * time; the others become {@link LateEvent}s or, beyond the correction horizon, too-late. Whenever a window end is
 * passed, and on the first occasion after a start, a {@link Tick} tells the operators, whose own idea of time is lost at
 * every restart and stands still without events. What is not an event passes. Record headers end here, because what
 * comes out of the operators stands for many records.
 *
 * <p>A source partition without events for {@code idleAfter} of wall clock goes on with the elapsed wall time. An
 * {@link EndOfInput} closes every window; all that comes after is late. Events on time are counted in the connected
 * {@link LedgerCounts}.
 *
 * @param <K> type of the incoming record keys, which play no part; the outgoing key is the event's
 */
public final class EventClock<K> implements ProcessorSupplier<K, Item, String, Item> {

    /** Store of {@link Closing}s by the start of the last window that they closed. */
    public static final String CLOSINGS = "closings";
    /** Store of the clock by source partition, as of the last commit. */
    public static final String CLOCK = "event-clock";

    private static final String HOOK = "event-clock-hook";

    private final EventWindows windows;
    private final long graceMillis;
    private final long horizonMillis;
    private final long idleMillis;
    private final String settings;
    private boolean notingLateness;

    /**
     * @param windows the pipeline's windows
     * @param grace how long after a window's end its final waits for stragglers
     * @param horizon how long after closing a window still accepts late events
     * @param idleAfter wall time without an event after which the clock goes on by itself
     * @param settings the settings that the state depends on, for people; state of other settings is refused
     */
    public EventClock(EventWindows windows, Duration grace, Duration horizon, Duration idleAfter, String settings) {
        this.windows = windows;
        this.graceMillis = grace.toMillis();
        this.horizonMillis = horizon.toMillis();
        this.idleMillis = idleAfter.toMillis();
        this.settings = settings;
    }

    /** Notes in the connected {@link LatenessCounts}, too, how late each event is. */
    public EventClock<K> notingLateness() {
        notingLateness = true;
        return this;
    }

    @Override
    public Processor<K, Item, String, Item> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(
                Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(CLOCK), Serdes.String(), SourceClock.serde())
                        .withLoggingEnabled(Map.of()),
                Stores.keyValueStoreBuilder(
                                Stores.persistentKeyValueStore(CLOSINGS), Closing.keySerde(), Closing.serde())
                        .withLoggingEnabled(Map.of()),
                CommitHook.named(HOOK));
    }

    private final class Task extends ContextualProcessor<K, Item, String, Item> {

        private static final long UNKNOWN = -1;

        private final IdleTimer idleTimer = new IdleTimer(idleMillis);
        private KeyValueStore<String, SourceClock> clocks;
        private KeyValueStore<Long, Closing> closings;
        private LedgerCounts counts;
        /** Null unless lateness is noted. */
        private LatenessCounts lateness;

        private Origin source;
        private long clock = UNKNOWN;
        private boolean ended;
        private boolean changed;
        /** Start of the last closed window; the operators know of it once they have been ticked. */
        private long closed = Long.MIN_VALUE;

        private boolean ticked;
        /** Closings up to this start are beyond the horizon since the last commit. */
        private long forgettable = Long.MIN_VALUE;

        @Override
        public void init(ProcessorContext<String, Item> context) {
            if (clocks != null) {
                throw new RevivedTaskException();
            }
            super.init(context);
            clocks = context.getStateStore(CLOCK);
            closings = context.getStateStore(CLOSINGS);
            counts = context.getStateStore(LedgerCounts.NAME);
            lateness = notingLateness ? context.getStateStore(LatenessCounts.NAME) : null;
            context.<CommitHook>getStateStore(HOOK).beforeCommit(context, this::store);
            load();
            idleTimer.start(context.currentSystemTimeMs(), clock);
            context.schedule(idleTimer.interval(), PunctuationType.WALL_CLOCK_TIME, this::goOnWhenIdle);
        }

        @Override
        public void process(Record<K, Item> record) {
            if (record.value() instanceof Event event) {
                process(event, record);
            } else if (record.value() instanceof EndOfInput end) {
                end(end);
            } else {
                if (record.value() instanceof Outcome outcome
                        && !outcome.disposition().isRefusal()) {
                    idleTimer.sawEvent(context().currentSystemTimeMs(), clock);
                }
                forward(null, record.value(), record);
            }
        }

        private void process(Event event, Record<K, Item> record) {
            if (source == null) {
                source = event.origin();
            }
            tickAfterStart();
            noteLateness(event);
            if (ended && event.time() > clock) {
                clock = event.time(); // Nothing is left to be closed by it.
                changed = true;
            }
            long end = windows.endOf(windows.lastStartOf(event.time()));
            if (ended || clock != UNKNOWN && end <= clock - graceMillis) {
                late(event, end, record);
            } else {
                advance(event.time(), Closing.Cause.WATERMARK);
                counts.count(event);
                context().forward(new Record<>(event.key(), event, event.time()));
            }
            idleTimer.sawEvent(context().currentSystemTimeMs(), clock);
        }

        private void noteLateness(Event event) {
            if (lateness != null) {
                long firstEnd = windows.endOf(windows.startsOf(event.time())[0]);
                lateness.note(event, ended ? Long.MAX_VALUE : clock, firstEnd);
            }
        }

        private void late(Event event, long end, Record<K, Item> record) {
            if (end + horizonMillis <= clock - graceMillis) {
                String reason = "its window closed more than " + Duration.ofMillis(horizonMillis) + " ago";
                forward(event.key(), Outcome.of(event, Disposition.TOO_LATE, reason), record);
            } else {
                forward(event.key(), new LateEvent(event, clock, closed), record);
            }
        }

        private void end(EndOfInput end) {
            if (source == null) {
                source = end.origin();
            }
            if (clock != UNKNOWN) {
                tickAfterStart();
            }
            ended = true;
            if (clock != UNKNOWN) {
                close(windows.lastStartOf(clock), Closing.Cause.END_OF_INPUT);
            }
            changed = true;
        }

        private void goOnWhenIdle(long now) {
            long time = idleTimer.check(now);
            if (time < 0 || clock == UNKNOWN || ended) {
                return;
            }
            SourceContext.run(context(), source, () -> {
                tickAfterStart();
                advance(time, Closing.Cause.IDLE);
            });
        }

        private void advance(long time, Closing.Cause cause) {
            if (time <= clock) {
                return;
            }
            clock = time;
            long lastClosed = windows.lastClosed(clock - graceMillis);
            if (ticked) {
                close(lastClosed, cause);
            } else {
                closed = lastClosed;
                closings.put(closed, new Closing(clock, cause));
                ticked = true;
            }
            // While nothing is closed, a clock that only went on by itself need not be remembered.
            changed |= cause != Closing.Cause.IDLE;
        }

        private void close(long lastClosed, Closing.Cause cause) {
            if (lastClosed > closed) {
                closed = lastClosed;
                changed = true;
                closings.put(closed, new Closing(clock, cause));
                tick();
            }
        }

        /** The operators restart without time; until they are told, a closed window would open again for them. */
        private void tickAfterStart() {
            if (!ticked && clock != UNKNOWN) {
                closed = ended ? windows.lastStartOf(clock) : windows.lastClosed(clock - graceMillis);
                ticked = true;
                tick();
            }
        }

        private void tick() {
            if (closed < 0) {
                return; // No event is older than the epoch, so nothing is closed yet.
            }
            context()
                    .forward(new Record<>(Tick.KEY, new Tick(ended ? Long.MAX_VALUE : clock), windows.tickFor(closed)));
        }

        private void forward(String key, Item item, Record<K, Item> record) {
            context().forward(new Record<>(key, item, record.timestamp()));
        }

        private void load() {
            try (KeyValueIterator<String, SourceClock> stored = clocks.all()) {
                if (stored.hasNext()) {
                    var entry = stored.next();
                    if (!entry.value.settings().equals(settings)) {
                        throw new StartRefusedException(
                                "The state of " + context().applicationId()
                                        + " was written with " + entry.value.settings() + ", but the settings are now "
                                        + settings + "; restore them, use a new pipeline name, or delete the state.");
                    }
                    source = sourceOf(entry.key);
                    clock = entry.value.time();
                    ended = entry.value.ended();
                }
            }
        }

        private void store() {
            if (changed && source != null) {
                clocks.put(source.topic() + "-" + source.partition(), new SourceClock(clock, ended, settings));
                changed = false;
                forgetClosings();
            }
        }

        /** Finals are published after this hook, so what was needed at the last commit may be needed once more. */
        private void forgetClosings() {
            if (forgettable != Long.MIN_VALUE) {
                List<Long> old = new ArrayList<>();
                try (KeyValueIterator<Long, Closing> all = closings.range(Long.MIN_VALUE, forgettable)) {
                    all.forEachRemaining(closing -> old.add(closing.key));
                }
                old.forEach(closings::delete);
            }
            forgettable = clock - graceMillis - horizonMillis - windows.size();
        }

        private static Origin sourceOf(String key) {
            int hyphen = key.lastIndexOf('-');
            return new Origin(key.substring(0, hyphen), Integer.parseInt(key.substring(hyphen + 1)), -1);
        }
    }
}
