package dev.tidemark.reconcile;

import dev.tidemark.common.DeduplicateScope;
import dev.tidemark.common.EndOfInput;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.Item;
import dev.tidemark.common.TotalsProperties;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;

/**
 * The recount of a totals pipeline: reads its input with the reader of the app, lets each event count once, and adds up
 * every window of a span. Nothing else of it is shared with the app.
 */
final class TotalsRecount implements Recount {

    /** With more of them nothing is proved, because not all are known. */
    private static final int MOST_DOUBTFUL = 200_000;

    private final TotalsProperties settings;
    private final Span span;
    private final Path directory;
    private final Surroundings surroundings;
    private final PublishedTotals published;
    private final DistinctEvents.Judgement conflicting;
    private final InputLog log;
    private final EventWindows windows;
    private final DistinctEvents events;
    private final Map<TopicPartition, Long> positions;
    private final boolean moved;
    private final boolean complete;
    private final StreamTimes times;
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    /** Windows with events that are not the first of their id. */
    private final Set<WindowKey> doubtful = ConcurrentHashMap.newKeySet();

    private int rounds;

    /**
     * @param directory where events are kept; whoever made it deletes it
     * @throws CouldNotTellException if input of the span may have been deleted
     */
    TotalsRecount(TotalsProperties settings, Span span, Path directory, Surroundings surroundings) {
        this.settings = settings;
        this.span = span;
        this.directory = directory;
        this.surroundings = surroundings;
        this.published = new PublishedTotals(surroundings, settings.pipeline());
        this.conflicting = new Exceptions(surroundings.jdbc(), settings.pipeline())
                .conflicting(settings.input().topic());
        this.log = InputLog.of(settings.input(), settings.maxFuture(), settings.acceptEndOfInput(), surroundings);
        this.windows = settings.window().windows(settings.grace());
        this.moved = !settings.input().partitionedByKey() || settings.deduplicateScope() == DeduplicateScope.GLOBAL;
        // An event of the span came at most max-future before its time; an id that it repeats, a while earlier.
        long needed = span.hasStart() ? span.from() - settings.maxFuture().toMillis() : 0;
        this.positions = new HashMap<>(log.begins(needed, needed - remembered(settings.deduplicateFor())));
        this.complete = positions.values().stream().allMatch(position -> position == 0);
        this.times = new StreamTimes(positions.size(), moved, settings.correctEvery());
        this.events = new DistinctEvents(directory.resolve("events"), settings.deduplicateScope());
    }

    /** For how many milliseconds an app remembers ids: up to a quarter longer than it is told to. */
    static long remembered(Duration deduplicateFor) {
        return deduplicateFor.toMillis() / 4 * 5;
    }

    /** Makes a place for what one comparison needs. */
    static Path round(Path directory, int number) {
        try {
            return Files.createDirectory(directory.resolve("round-" + number));
        } catch (IOException e) {
            throw new CouldNotTellException(
                    "Cannot write to " + directory + " (" + e.getMessage() + "); set tidemark.reconcile.directory.", e);
        }
    }

    @Override
    public Map<TopicPartition, Long> ends() {
        return log.ends();
    }

    @Override
    public void readTo(Map<TopicPartition, Long> ends, Progress progress) {
        Map<TopicPartition, Range> ranges = new HashMap<>();
        positions.forEach((partition, position) ->
                ranges.put(partition, new Range(position, Math.max(position, ends.get(partition)))));
        log.read(ranges, this::take, progress);
        ranges.forEach((partition, range) -> positions.put(partition, range.end()));
    }

    private void take(Item item) {
        if (item instanceof EndOfInput end) {
            times.end(end.origin().partition());
            return;
        }
        records.incrementAndGet();
        if (item instanceof Event event) {
            boolean counts = events.add(event, 0) != DistinctEvents.Finding.CONFLICTING;
            if (counts || moved) {
                times.saw(
                        event.origin().partition(), event.time(), event.origin().offset());
            }
            if (!counts) {
                noteConflict(event);
            }
        } else {
            refused.incrementAndGet();
        }
    }

    /** Which of the events with one id the app has counted the input does not say, if it has forgotten the id in between. */
    private void noteConflict(Event event) {
        for (long start : windows.startsOf(event.time())) {
            if (doubtful.size() < MOST_DOUBTFUL) {
                doubtful.add(new WindowKey(event.key(), start));
            }
        }
    }

    private boolean isProvable(Break found) {
        return doubtful.size() < MOST_DOUBTFUL
                && !doubtful.contains(found.subject().window());
    }

    @Override
    public Tally compare(Set<Break.Subject> doubted, Progress progress) {
        Path round = round(directory, ++rounds);
        boolean overlapping = settings.window().advance() != null
                && settings.window().advance().compareTo(settings.window().size()) < 0;
        boolean gathering = !settings.correctEvery().isZero();
        int scale = settings.input().amountScale();
        progress.begin("comparing", 1);
        try (WindowSums sums = new WindowSums(round.resolve("sums"));
                WindowSums excused = new WindowSums(round.resolve("excused"))) {
            forEachWindow((window, id, event) -> sums.add(window, event.amount(), event.partition()));
            new Excuses(windows, span, scale, times).addTo(excused, published, overlapping, gathering);
            Comparison comparison =
                    new Comparison(scale, windows::endOf, this::isClosed, excused, times.partitions(), moved, doubted);
            try (DiskMap.Cursor recounted = sums.cursor()) {
                return published.windows(span, settings.fingerprint(), rows -> comparison.compare(recounted, rows));
            }
        } finally {
            progress.end();
        }
    }

    /** Takes an event that counts in a window. */
    interface WindowReceiver {
        void accept(WindowKey window, String eventId, Sighting event);
    }

    /** Hands over each event that counts, once for each of its windows in the span. */
    void forEachWindow(WindowReceiver receiver) {
        events.forEach(conflicting, (id, event) -> {
            for (long start : windows.startsOf(event.time())) {
                if (span.contains(start)) {
                    receiver.accept(new WindowKey(event.key(), start), id, event);
                }
            }
        });
    }

    private boolean isClosed(int partition, long end) {
        return times.isClosed(partition, end, settings.grace().toMillis());
    }

    @Override
    public List<Break> lookInto(List<Break> breaks, boolean correct) {
        Investigation investigation = new Investigation(breaks, this);
        List<Break> explained =
                investigation.explained(new Explanation(settings.input().amountScale()));
        return correct
                ? new Corrections(settings, surroundings.clients(), moved, this::isProvable)
                        .request(explained, investigation.sums())
                : explained;
    }

    @Override
    public LogCounts counts() {
        return new LogCounts(records.get(), events.duplicates(), events.conflicting(), refused.get(), complete);
    }

    @Override
    public void close() {
        events.close();
    }
}
