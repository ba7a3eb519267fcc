package dev.tidemark.reconcile;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.tidemark.common.DeduplicateScope;
import dev.tidemark.common.EndOfInput;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.Item;
import dev.tidemark.common.PairsProperties;
import dev.tidemark.common.Side;
import dev.tidemark.reconcile.Pair.Times;
import dev.tidemark.reconcile.PairUp.Placed;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;

/**
 * The recount of a pairs pipeline: reads both inputs with the reader of the app, lets each event of a side count once, and
 * finds all pairs, and all events without a partner, of a span.
 */
final class PairsRecount implements Recount {

    private static final Hasher64 HASH = Hashing.xxh3_64();

    private final PairsProperties settings;
    private final Span span;
    private final Path directory;
    private final Surroundings surroundings;
    private final Exceptions exceptions;
    private final EventWindows seconds;
    private final Map<Side, InputLog> logs = new EnumMap<>(Side.class);
    private final Map<Side, DistinctEvents> events = new EnumMap<>(Side.class);
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final Map<Side, StreamTimes> times = new EnumMap<>(Side.class);
    private final boolean complete;
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private int rounds;

    /**
     * @param directory where events are kept; whoever made it deletes it
     * @throws CouldNotTellException if input of the span may have been deleted
     */
    PairsRecount(PairsProperties settings, Span span, Path directory, Surroundings surroundings) {
        this.settings = settings;
        this.span = span;
        this.directory = directory;
        this.surroundings = surroundings;
        this.exceptions = new Exceptions(surroundings.jdbc(), settings.pipeline());
        this.seconds = EventWindows.tumbling(Duration.ofSeconds(1), settings.grace());
        // A partner of an event of the span may have come before it, by so much.
        long earlier = settings.within().span().toMillis();
        long needed =
                span.hasStart() ? span.from() - earlier - settings.maxFuture().toMillis() : 0;
        long wanted = needed - TotalsRecount.remembered(settings.deduplicateFor());
        for (Side side : Side.values()) {
            InputLog log =
                    InputLog.of(settings.input(side), settings.maxFuture(), settings.acceptEndOfInput(), surroundings);
            logs.put(side, log);
            Map<TopicPartition, Long> begins = log.begins(needed, wanted);
            positions.putAll(begins);
            times.put(side, new StreamTimes(begins.size(), isMoved(Side.LEFT) || isMoved(Side.RIGHT), Duration.ZERO));
        }
        this.complete = positions.values().stream().allMatch(position -> position == 0);
        // Last, and closed here, because nobody closes what is opened by a constructor that fails.
        try {
            for (Side side : Side.values()) {
                events.put(side, new DistinctEvents(directory.resolve("events-" + side), settings.deduplicateScope()));
            }
        } catch (RuntimeException e) {
            events.values().forEach(DistinctEvents::close);
            throw e;
        }
    }

    private boolean isMoved(Side side) {
        return !settings.input(side).partitionedByKey() || settings.deduplicateScope() == DeduplicateScope.GLOBAL;
    }

    @Override
    public Map<TopicPartition, Long> ends() {
        Map<TopicPartition, Long> ends = new HashMap<>();
        logs.values().forEach(log -> ends.putAll(log.ends()));
        return ends;
    }

    @Override
    public void readTo(Map<TopicPartition, Long> ends, Progress progress) {
        for (Side side : Side.values()) {
            Map<TopicPartition, Range> ranges = new HashMap<>();
            positions.forEach((partition, position) -> {
                if (partition.topic().equals(settings.input(side).topic())) {
                    ranges.put(partition, new Range(position, Math.max(position, ends.get(partition))));
                }
            });
            logs.get(side).read(ranges, item -> take(side, item), progress);
            ranges.forEach((partition, range) -> positions.put(partition, range.end()));
        }
    }

    private void take(Side side, Item item) {
        if (item instanceof EndOfInput end) {
            times.get(side).end(end.origin().partition());
            return;
        }
        records.incrementAndGet();
        if (item instanceof Event event) {
            long payload = HASH.hashBytesToLong(event.payload());
            boolean counts = events.get(side).add(event, payload) != DistinctEvents.Finding.CONFLICTING;
            if (counts || isMoved(side)) {
                times.get(side)
                        .saw(
                                event.origin().partition(),
                                event.time(),
                                event.origin().offset());
            }
        } else {
            refused.incrementAndGet();
        }
    }

    @Override
    public Tally compare(Set<Break.Subject> doubted, Progress progress) {
        Path round = TotalsRecount.round(directory, ++rounds);
        progress.begin("comparing", 1);
        try (DiskMap lefts = new DiskMap(round.resolve(Side.LEFT.name()));
                DiskMap rights = new DiskMap(round.resolve(Side.RIGHT.name()));
                DiskMap pairs = new DiskMap(round.resolve("pairs"))) {
            place(Side.LEFT, lefts);
            place(Side.RIGHT, rights);
            try (DiskMap.Cursor left = lefts.cursor();
                    DiskMap.Cursor right = rights.cursor()) {
                new PairUp(settings.within(), (pair, when) -> put(pair, when, pairs)).pairUp(left, right);
            }
            try (DiskMap.Cursor recounted = pairs.cursor()) {
                PairsComparison comparison =
                        new PairsComparison(due(), this::deadline, exceptions::mayHaveMissed, doubted);
                return new PublishedPairs(surroundings, settings.pipeline())
                        .rows(span, rows -> comparison.compare(recounted, rows));
            }
        } finally {
            progress.end();
        }
    }

    private void place(Side side, DiskMap map) {
        events.get(side).forEach(exceptions.conflicting(settings.input(side).topic()), (id, event) -> {
            Placed placed = new Placed(event.key(), event.time(), id, event.partition());
            map.put(placed.toBytes(), placed.value());
        });
    }

    private void put(Pair pair, Times when, DiskMap pairs) {
        if (span.contains(when.event())) {
            pairs.put(pair.toBytes(), when.toBytes());
        }
    }

    private PairsComparison.Due due() {
        return new PairsComparison.Due() {
            @Override
            public boolean isReached(int partition, long time) {
                return isPast(partition, time, 0);
            }

            @Override
            public boolean isClosed(int partition, long end) {
                return isPast(partition, end, settings.grace().toMillis());
            }

            @Override
            public Integer clockOf(int partition) {
                if (isMoved(Side.LEFT) != isMoved(Side.RIGHT)) {
                    return null;
                }
                return isMoved(Side.LEFT) ? 0 : partition;
            }
        };
    }

    private boolean isPast(int partition, long time, long grace) {
        return times.values().stream().allMatch(side -> side.isClosed(partition, time, grace));
    }

    /** The end of the second in which the last possible partner may have happened. */
    private long deadline(Times when) {
        Side side = when.left() == Times.NONE ? Side.RIGHT : Side.LEFT;
        long last = when.event() + settings.within().later(side).toMillis();
        return seconds.endOf(seconds.lastStartOf(last));
    }

    /** All that can be said of them is said already, and the app takes no corrections of pairs. */
    @Override
    public List<Break> lookInto(List<Break> breaks, boolean correct) {
        return breaks;
    }

    @Override
    public LogCounts counts() {
        return new LogCounts(
                records.get(),
                events.values().stream().mapToLong(DistinctEvents::duplicates).sum(),
                events.values().stream().mapToLong(DistinctEvents::conflicting).sum(),
                refused.get(),
                complete);
    }

    @Override
    public void close() {
        events.values().forEach(DistinctEvents::close);
    }
}
