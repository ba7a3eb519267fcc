package dev.tidemark.pairs;

import dev.tidemark.common.Closing;
import dev.tidemark.common.CommitHook;
import dev.tidemark.common.Disposition;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventClock;
import dev.tidemark.common.Item;
import dev.tidemark.common.ItemBytes;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.LedgerCounts;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.PairsProperties;
import dev.tidemark.common.Side;
import dev.tidemark.common.Tick;
import dev.tidemark.pairs.UnmatchedEvents.Remembered;
import dev.tidemark.pairs.UnmatchedEvents.State;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serdes;
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
 * Decides what is published of what the join says. It is told first what the join has found for an event, then of the
 * event itself.
 *
 * <p>A match is published at once. An event for which the join knows no partner waits here until a {@link Tick} says that
 * none can come any more. Then it is published as unmatched, once, and remembered.
 *
 * <p>An event that comes later than the grace may belong to events that are unmatched already. What is remembered of those
 * makes version 2. It is counted if it changes nothing that was published; else it is late, and so is one that itself
 * comes too late to be waited for and has no partner. What comes when nothing is waited for that it may belong to is not
 * seen by the join, and so is always remembered.
 */
final class CompletePairs implements ProcessorSupplier<String, CompletePairs.Told, String, CompletePairs.Result> {

    /** What comes in. */
    sealed interface Told {

        /** What the join has found; one of the two may be null. */
        record Joined(Item left, Item right) implements Told {}

        /** An event, which the join has been told of before, or a tick. */
        record Came(Item item) implements Told {}
    }

    /** What comes out: rows, and what became of events that are not simply counted. */
    sealed interface Result {

        /** A row to be published. */
        record Published(PairRow row) implements Result {}

        /** What became of an event. */
        record Settled(Outcome outcome) implements Result {}
    }

    private static final String STORE = "unmatched-events";
    private static final String HOOK = "complete-pairs-hook";

    private final PairsProperties settings;
    private final Deadlines deadlines;
    private final ItemBytes bytes;
    private final String ledgerCounts;
    private final PairWords words;

    /**
     * @param deadlines until when events are waited for and remembered
     * @param bytes how events are written
     * @param ledgerCounts name of the connected {@link LedgerCounts}
     */
    CompletePairs(PairsProperties settings, Deadlines deadlines, ItemBytes bytes, String ledgerCounts) {
        this.settings = settings;
        this.deadlines = deadlines;
        this.bytes = bytes;
        this.ledgerCounts = ledgerCounts;
        this.words = new PairWords(settings);
    }

    @Override
    public Processor<String, Told, String, Result> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(
                // The cache spares those that find their partner soon the way to the disk.
                Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(STORE), Serdes.Bytes(), Serdes.ByteArray())
                        .withCachingEnabled()
                        .withLoggingEnabled(Map.of()),
                EntryNumbers.store(),
                CommitHook.named(HOOK));
    }

    private final class Task extends ContextualProcessor<String, Told, String, Result> {

        private final Duration grace = settings.grace();
        private UnmatchedEvents unmatched;
        private KeyValueStore<Long, Closing> closings;
        private LedgerCounts counts;
        private boolean ended;

        /** How many partners the join has found for the event that is being processed. */
        private int matches;
        /** The first of each side of what it has matched that has not waited: the event itself, and one with a partner. */
        private final Map<Side, Event> notWaiting = new EnumMap<>(Side.class);
        /** Whether it has found a partner that is remembered here. */
        private boolean foundRemembered;

        @Override
        public void init(ProcessorContext<String, Result> context) {
            super.init(context);
            unmatched = new UnmatchedEvents(context.getStateStore(STORE), bytes, deadlines);
            closings = context.getStateStore(EventClock.CLOSINGS);
            counts = context.getStateStore(ledgerCounts);
            EntryNumbers numbers = new EntryNumbers(context, PairsTopology.LEFTS, PairsTopology.RIGHTS);
            context.<CommitHook>getStateStore(HOOK).beforeCommit(context, numbers::save);
        }

        @Override
        public void process(Record<String, Told> record) {
            if (record.value() instanceof Told.Joined joined) {
                process(joined);
            } else if (record.value() instanceof Told.Came came) {
                process(came.item());
                matches = 0;
                notWaiting.clear();
                foundRemembered = false;
            }
        }

        private void process(Told.Joined joined) {
            if (joined.left() instanceof Event left && joined.right() instanceof Event right) {
                match(left, right);
            } else if (joined.left() instanceof Event left) {
                unmatched.put(Side.LEFT, left, null, State.WAITING);
            } else if (joined.right() instanceof Event right) {
                unmatched.put(Side.RIGHT, right, null, State.WAITING);
            }
        }

        private void process(Item item) {
            if (item instanceof Tick tick) {
                goOnTo(tick);
            } else if (item instanceof LateEvent late) {
                complete(late);
            } else if (item instanceof Event event) {
                if (foundRemembered) {
                    throw new IllegalStateException(
                            "an event on time belongs to one that is unmatched already, " + event.origin());
                }
                noteBroken(event, broken(sideOf(event), event, List.of()));
            }
        }

        /** Pairs with events that are remembered are left to {@link #complete}, which knows of more of them. */
        private void match(Event left, Event right) {
            if (isRemembered(Side.LEFT, left) || isRemembered(Side.RIGHT, right)) {
                foundRemembered = true;
                return;
            }
            matches++;
            publish(PairRow.matched(left, right));
        }

        /** It waits no longer, if it did. */
        private boolean isRemembered(Side side, Event event) {
            State state = unmatched.find(side, event);
            if (state == State.WAITING) {
                unmatched.remove(side, event, state);
            } else if (state == null) {
                notWaiting.putIfAbsent(side, event);
            }
            return state == State.ALONE || state == State.COMPLETED;
        }

        private void complete(LateEvent late) {
            Event event = late.event();
            Side side = sideOf(event);
            List<Remembered> completed = unmatched.partners(side, event);
            for (Remembered partner : completed) {
                complete(side, late, partner);
            }
            String broken = broken(side, event, completed);
            if (!completed.isEmpty()) {
                noteCompleted(side, late);
                Event first = completed.get(0).event();
                String reason = words.completes(side, first, completed.size(), late.streamTime());
                settle(late, broken == null ? reason : reason + "; " + broken, PairRow.CORRECTED);
            } else if (matches == 0 && (ended || deadlines.unmatched(side, event) <= late.lastClosed())) {
                String reason = words.unmatchedAndLate(side, late.streamTime());
                publishUnmatched(side, event, unmatched.find(side, event), reason, late.streamTime());
                settle(late, reason, PairRow.FIRST);
            } else {
                counts.count(event);
                noteBroken(event, broken);
            }
        }

        private void complete(Side side, LateEvent late, Remembered partner) {
            Event event = late.event();
            Event other = partner.event();
            publish(
                    side == Side.LEFT
                            ? PairRow.corrected(event, other, event, late.streamTime())
                            : PairRow.corrected(other, event, event, late.streamTime()));
            if (partner.state() == State.ALONE) {
                unmatched.put(side.other(), other, State.ALONE, State.COMPLETED);
            }
        }

        /**
         * Which expectation the event breaks, in words, or null: it may have several partners, or one that has another one.
         *
         * @param completed its partners beside those that the join has matched
         */
        private String broken(Side side, Event event, List<Remembered> completed) {
            if (settings.expect().isLimited(side) && matches + completed.size() > 1) {
                return words.broken(side, event);
            }
            if (!settings.expect().isLimited(side.other())) {
                return null;
            }
            return Stream.concat(
                            Stream.ofNullable(notWaiting.get(side.other())),
                            completed.stream()
                                    .filter(partner -> partner.state() == State.COMPLETED)
                                    .map(Remembered::event))
                    .findFirst()
                    .map(partner -> words.broken(side.other(), partner))
                    .orElse(null);
        }

        private void noteCompleted(Side side, LateEvent late) {
            State state = unmatched.find(side, late.event());
            if (!deadlines.isJoinable(late)) {
                unmatched.put(side, late.event(), state, State.COMPLETED);
            } else if (state != null) {
                unmatched.remove(side, late.event(), state);
            }
        }

        private void settle(LateEvent late, String reason, int version) {
            forward(
                    late.streamTime(),
                    new Result.Settled(
                            Outcome.of(late.event(), Disposition.LATE, reason).producing(version)));
        }

        /** It is counted all the same. */
        private void noteBroken(Event event, String broken) {
            if (broken != null) {
                forward(event.time(), new Result.Settled(Outcome.of(event, Disposition.COUNTED, broken)));
            }
        }

        private void goOnTo(Tick tick) {
            ended = tick.streamTime() == Long.MAX_VALUE;
            long closed = ended ? Long.MAX_VALUE : deadlines.windows().lastClosed(tick.streamTime() - grace.toMillis());
            unmatched.drainWaiting(
                    closed, (side, event) -> publishUnmatched(side, event, State.WAITING, words.unmatched(side), null));
            if (!ended) {
                unmatched.forget(closed);
            }
        }

        private void publishUnmatched(Side side, Event event, State before, String reason, Long streamTime) {
            unmatched.put(side, event, before, State.ALONE);
            Closing closing = closingOf(side, event);
            publish(PairRow.unmatched(
                    side,
                    event,
                    reason,
                    closing.cause().label(),
                    streamTime == null ? closing.streamTime() : streamTime));
        }

        /** The end of the input closes what no time has reached, and may come before there is any time. */
        private Closing closingOf(Side side, Event event) {
            Closing closing = Closing.of(deadlines.unmatched(side, event), closings);
            if (closing != null) {
                return closing;
            }
            try (KeyValueIterator<Long, Closing> latestFirst = closings.reverseAll()) {
                long time = latestFirst.hasNext() ? latestFirst.next().value.streamTime() : event.time();
                return new Closing(time, Closing.Cause.END_OF_INPUT);
            }
        }

        private Side sideOf(Event event) {
            return event.origin().topic().equals(settings.left().topic()) ? Side.LEFT : Side.RIGHT;
        }

        private void publish(PairRow row) {
            forward(row.streamTime(), new Result.Published(row));
        }

        private void forward(long timestamp, Result result) {
            context().forward(new Record<>(null, result, timestamp));
        }
    }
}
