package dev.tidemark.common;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * Decides which windows are closed, once for all operators behind it, from a clock that survives restarts.
 *
 * <p>The clock is the greatest event time seen on the source partition or, over several of them, the least of theirs (see
 * {@link SourceTimes}); the watermark is the clock less the grace; a window is closed when the watermark has reached its
 * end. Events with an open window are forwarded under their event time; for the closed windows they become
 * {@link LateEvent}s or, beyond the correction horizon, too-late. An event that is ahead of the clock by more than the slack
 * waits until the clock comes near ({@link HeldEvents}), so that the operators' time is never ahead of the clock by more
 * than that. While a topic that has to be read first is behind, late events wait as well.
 *
 * <p>Whenever a window end or a multiple of {@code tickEvery} is passed, and on the first occasion after a start, a
 * {@link Tick} tells the operators, whose own idea of time is lost at every restart and stands still without events. What is
 * neither an event nor progress passes. Record headers end here, because what comes out of the operators stands for many
 * records.
 *
 * <p>When the last source partition has ended and all that waited is handed out, every window is closed; all that comes after
 * is late. Events on time are
 * counted in the connected {@link LedgerCounts}, and so are those that wait.
 */
public final class EventClock implements ProcessorSupplier<String, Item, String, Item> {

    /** Store of {@link Closing}s by the start of the last window that they closed. */
    public static final String CLOSINGS = "closings";

    private static final Duration DOUBT_INTERVAL = Duration.ofSeconds(5);
    /** So many events that waited are handed out at once. */
    static final int MOST_AT_ONCE = 10_000;

    private static final Duration HAND_OUT_INTERVAL = Duration.ofMillis(100);

    private static final String HELD = "held-events";
    private static final String WAITING = "held-late-events";
    private static final String HOOK = "event-clock-hook";

    private final EventWindows windows;
    private final long graceMillis;
    private final long horizonMillis;
    private final Alignment alignment;
    private final long tickMillis;
    private final StateTerms terms;
    private final String ledgerCounts;
    private boolean notingLateness;
    private boolean notingClosings = true;

    /**
     * @param windows the pipeline's windows
     * @param grace how long after a window's end its final waits for stragglers
     * @param horizon how long after closing a window still accepts late events
     * @param alignment how several source partitions are brought together
     * @param tickEvery at which multiples of stream time there is a tick, too; zero: only when windows close
     * @param terms the settings that the state depends on; state of other settings is refused
     * @param ledgerCounts name of the connected {@link LedgerCounts}
     */
    public EventClock(
            EventWindows windows,
            Duration grace,
            Duration horizon,
            Alignment alignment,
            Duration tickEvery,
            StateTerms terms,
            String ledgerCounts) {
        this.windows = windows;
        this.graceMillis = grace.toMillis();
        this.horizonMillis = horizon.toMillis();
        this.alignment = alignment;
        this.tickMillis = tickEvery.toMillis();
        this.terms = terms;
        this.ledgerCounts = ledgerCounts;
    }

    /** Notes in the connected {@link LatenessCounts}, too, how late each event is. */
    public EventClock notingLateness() {
        notingLateness = true;
        return this;
    }

    /** Does not note how windows came to be closed, for those who do not ask. */
    public EventClock withoutClosings() {
        notingClosings = false;
        return this;
    }

    @Override
    public Processor<String, Item, String, Item> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        Set<StoreBuilder<?>> stores = new HashSet<>(Set.of(StoredClock.builder(), CommitHook.named(HOOK)));
        if (notingClosings) {
            stores.add(Stores.keyValueStoreBuilder(
                            Stores.persistentKeyValueStore(CLOSINGS), Closing.keySerde(), Closing.serde())
                    .withLoggingEnabled(Map.of()));
        }
        if (alignment.isNeeded()) {
            stores.add(events(HELD));
        }
        if (!alignment.first().isEmpty()) {
            stores.add(events(WAITING));
        }
        return stores;
    }

    private static StoreBuilder<KeyValueStore<Bytes, byte[]>> events(String name) {
        return Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(name), Serdes.Bytes(), Serdes.ByteArray())
                .withLoggingEnabled(Map.of());
    }

    private Outcome beyondHorizon(Event event, int beyond, int all) {
        String ago = " closed more than " + SettingRules.show(Duration.ofMillis(horizonMillis)) + " ago";
        if (beyond < all) {
            String which = beyond + " of its " + all + " windows";
            return Outcome.of(event, Disposition.PARTLY_LATE, which + ago + "; the others were open");
        }
        return Outcome.of(event, Disposition.TOO_LATE, (all == 1 ? "its window" : "its windows") + ago);
    }

    private final class Task extends ContextualProcessor<String, Item, String, Item> {

        private static final long UNKNOWN = SourceTimes.UNKNOWN;

        private final long slackMillis = alignment.slack().toMillis();
        private StoredClock stored;
        /** Null unless closings are noted. */
        private NotedClosings closings;

        private LedgerCounts counts;
        /** Null unless lateness is noted. */
        private LatenessCounts lateness;

        private SourceTimes sources;
        /** Null where nothing has to be aligned. */
        private HeldEvents held;
        /** Late events; null unless something has to be read first. */
        private HeldEvents waiting;

        private long clock = UNKNOWN;
        private boolean ended;
        private boolean changed;
        /** What moves the clock on when the rest of what waits is handed out; null if there is no rest. */
        private Closing.Cause unfinished;
        /** Whether there may be a rest of before the start. */
        private boolean resumed;
        /** Start of the last closed window; the operators know of it once they have been ticked. */
        private long closed = Long.MIN_VALUE;

        private boolean ticked;

        @Override
        public void init(ProcessorContext<String, Item> context) {
            if (stored != null) {
                throw new RevivedTaskException();
            }
            super.init(context);
            stored = new StoredClock(context.getStateStore(StoredClock.STORE), terms);
            closings = notingClosings ? new NotedClosings(context.getStateStore(CLOSINGS)) : null;
            counts = context.getStateStore(ledgerCounts);
            lateness = notingLateness ? context.getStateStore(LatenessCounts.NAME) : null;
            sources = new SourceTimes(
                    alignment.routes().getAsInt(),
                    true,
                    alignment.first(),
                    alignment.since().getAsLong());
            if (alignment.isNeeded()) {
                held = new HeldEvents(context.getStateStore(HELD), alignment.bytes());
                context.schedule(DOUBT_INTERVAL, PunctuationType.WALL_CLOCK_TIME, this::doubtIdleness);
                context.schedule(HAND_OUT_INTERVAL, PunctuationType.WALL_CLOCK_TIME, this::goOnHandingOut);
            }
            if (!alignment.first().isEmpty()) {
                waiting = new HeldEvents(context.getStateStore(WAITING), alignment.bytes());
            }
            context.<CommitHook>getStateStore(HOOK).beforeCommit(context, this::store);
            load();
        }

        @Override
        public void process(Record<String, Item> record) {
            if (record.value() instanceof Event event) {
                tickAfterStart();
                process(event, record);
            } else if (record.value() instanceof Progress progress) {
                tickAfterStart();
                process(progress);
            } else {
                context().forward(new Record<>(null, record.value(), record.timestamp()));
            }
        }

        private void process(Event event, Record<String, Item> record) {
            if (ended && event.time() > clock) {
                clock = event.time(); // Nothing is left to be closed by it.
                changed = true;
                tickAfterStart(); // The input may have ended before there was a time to tell.
            }
            sources.saw(event);
            // An event closes no window of its own, but a clock that hands out bit by bit what waited may be that far
            // behind.
            if (unfinished == null) {
                advance(Closing.Cause.WATERMARK);
            } else {
                goOn(unfinished);
            }
            long[] starts = windows.startsOf(event.time());
            int closedStarts = ended ? starts.length : closedAmong(starts);
            noteLateness(event, starts);
            if (closedStarts > 0 && waiting != null && !isFirst(event) && sources.behind()) {
                counts.hold(event);
                waiting.hold(event);
            } else if (closedStarts > 0) {
                late(event, starts, closedStarts, record.timestamp());
            } else if (held != null && event.time() > clock + slackMillis) {
                counts.hold(event);
                held.hold(event);
            } else {
                onTime(event);
            }
        }

        private int closedAmong(long[] starts) {
            int count = 0;
            while (count < starts.length && starts[count] <= closed) {
                count++;
            }
            return count;
        }

        private void noteLateness(Event event, long[] starts) {
            if (lateness != null) {
                lateness.note(event, ended ? Long.MAX_VALUE : clock, windows.endOf(starts[0]));
            }
        }

        private void onTime(Event event) {
            counts.count(event);
            forwardToOperators(event);
        }

        private void forwardToOperators(Event event) {
            context().forward(new Record<>(event.key(), event, event.time()));
        }

        /** The first of its windows are closed; the operators, who know that, count it in the others. */
        private void late(Event event, long[] starts, int closedStarts, long timestamp) {
            if (closedStarts < starts.length) {
                forwardToOperators(event);
            }
            Item item = lateItem(event, starts, closedStarts);
            context().forward(new Record<>(event.key(), item, timestamp));
        }

        private boolean isFirst(Event event) {
            return alignment.first().contains(event.origin().topic());
        }

        private Item lateItem(Event event, long[] starts, int closedStarts) {
            int beyond = 0;
            while (beyond < closedStarts && windows.endOf(starts[beyond]) + horizonMillis <= clock - graceMillis) {
                beyond++;
            }
            // A clock that went on by itself must not be behind what it has told, not even after a restart.
            changed |= beyond > 0;
            if (beyond < closedStarts) {
                long[] corrected = Arrays.copyOfRange(starts, beyond, closedStarts);
                return new LateEvent(event, clock, closed, corrected, closedStarts < starts.length);
            }
            return beyondHorizon(event, beyond, starts.length);
        }

        private void process(Progress progress) {
            sources.saw(progress, context().currentSystemTimeMs());
            Closing.Cause cause = progress.idleMillis() > 0 ? Closing.Cause.IDLE : Closing.Cause.WATERMARK;
            goOn(unfinished == null ? cause : unfinished);
        }

        /** First late events that waited, as the clock was when they came; then the clock, and what waited for it. */
        private void goOn(Closing.Cause cause) {
            unfinished = null;
            if (!handOutLate()) {
                unfinished = cause;
            } else if (!ended && sources.ended()) {
                handOutAndEnd();
            } else {
                advance(cause);
            }
        }

        /** The rest of very much that waited is handed out although no record comes: the input may have ended. */
        private void goOnHandingOut(long now) {
            if (unfinished != null || resumed) {
                resumed = false;
                Closing.Cause cause = unfinished == null ? Closing.Cause.WATERMARK : unfinished;
                Origin source = new Origin(
                        alignment.bytes().topics().get(0), context().taskId().partition(), -1);
                SourceContext.run(context(), source, () -> {
                    tickAfterStart();
                    goOn(cause);
                });
            }
        }

        /** Whether none of them waits any more, or all have to go on waiting. */
        private boolean handOutLate() {
            if (waiting == null || waiting.isEmpty() || sources.behind()) {
                return true;
            }
            waiting.releaseSome(MOST_AT_ONCE, event -> {
                counts.release(event);
                long[] starts = windows.startsOf(event.time());
                late(event, starts, ended ? starts.length : closedAmong(starts), event.arrival());
            });
            return waiting.isEmpty();
        }

        /** An idle source partition says so again and again, at least with each commit; it may be silent because it is gone. */
        private void doubtIdleness(long now) {
            Object commitMillis = context().appConfigs().get(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG);
            long patience = DOUBT_INTERVAL.toMillis() + 2 * Long.parseLong(commitMillis.toString());
            sources.doubtIdleness(now - patience);
        }

        private void handOutAndEnd() {
            long reached = held == null ? Long.MAX_VALUE : held.reach(Long.MAX_VALUE, MOST_AT_ONCE);
            if (reached == Long.MAX_VALUE) {
                end();
            } else {
                unfinished = Closing.Cause.END_OF_INPUT;
                goOnTo(Math.max(clock, reached - slackMillis), Closing.Cause.END_OF_INPUT);
            }
        }

        private void end() {
            ended = true;
            changed = true;
            clock = Math.max(clock, sources.latestTime());
            if (clock != UNKNOWN) {
                close(windows.lastStartOf(clock), Closing.Cause.END_OF_INPUT, true);
            }
        }

        private void advance(Closing.Cause cause) {
            long time = sources.advance(clock);
            if (!ended && time > clock) {
                goOnTo(reach(time, cause), cause);
            }
        }

        private void goOnTo(long now, Closing.Cause cause) {
            boolean tickDue = tickMillis > 0 && clock / tickMillis < now / tickMillis;
            clock = now;
            // While there is no tick and nothing to hand out, a clock that only went on by itself need not be
            // remembered.
            changed |= tickDue || held != null || cause != Closing.Cause.IDLE;
            close(windows.lastClosed(clock - graceMillis), cause, tickDue);
        }

        /**
         * How far the clock may go on at once: when very many events wait, some are handed out at a time, because a
         * transaction must not take long.
         */
        private long reach(long time, Closing.Cause cause) {
            if (held == null) {
                return time;
            }
            long until = time + slackMillis;
            long reached = held.reach(until, MOST_AT_ONCE);
            if (reached == until) {
                return time;
            }
            sources.lookAgain();
            unfinished = cause;
            return Math.max(clock, reached - slackMillis);
        }

        /** Events that waited belong to windows that are open until then, so they go first. */
        private void close(long lastClosed, Closing.Cause cause, boolean tickDue) {
            boolean closing = lastClosed > closed;
            if (closing) {
                closed = lastClosed;
                changed = true;
                if (closings != null) {
                    closings.note(closed, new Closing(clock, cause));
                }
            }
            ticked = true;
            if (held != null) {
                held.release(ended ? Long.MAX_VALUE : clock + slackMillis, event -> {
                    counts.release(event);
                    onTime(event);
                });
            }
            if (closing || tickDue) {
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
            Tick tick = new Tick(ended ? Long.MAX_VALUE : clock);
            context().forward(new Record<>(Tick.KEY, tick, windows.tickFor(closed)));
        }

        private void load() {
            Optional<SourceClock> last = stored.load(sources, context().applicationId());
            changed = last.isEmpty(); // The terms are stored with it.
            last.ifPresent(then -> {
                clock = then.time();
                ended = then.ended();
                resumed = held != null;
                if (held == null && !ended) {
                    // It may have been further by itself, and then was not stored again; what was seen since is known.
                    // No window ends in between: that would have been stored.
                    clock = sources.advance(clock);
                }
            });
        }

        private void store() {
            stored.storeSources(sources);
            if (held != null) {
                held.flush();
            }
            if (waiting != null) {
                waiting.flush();
            }
            if (changed) {
                stored.store(clock, ended);
                changed = false;
                if (closings != null) {
                    closings.beforeCommit(clock - graceMillis - horizonMillis - windows.size());
                }
            }
        }
    }
}
