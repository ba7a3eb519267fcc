package dev.tidemark.reconcile;

import dev.tidemark.common.DeduplicateScope;
import dev.tidemark.common.EndOfInput;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.Item;
import dev.tidemark.common.TotalsProperties;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What another grace would have made of the input, by the rules of the totals app. Only windows that are open are in memory.
 *
 * <p>It knows of time only what the events say: where a quiet time has closed windows, the app has closed them earlier. Of
 * an input that is moved, it takes the records of all partitions in the order of their timestamps.
 */
final class Replay implements AutoCloseable {

    private static final long UNKNOWN = Long.MIN_VALUE;
    private static final long ENDED = Long.MAX_VALUE;

    private final EventWindows windows;
    private final Span span;
    private final long grace;
    private final long horizon;
    private final long every;
    private final boolean together;
    /** How far each of them has come; one without records is quiet, and not waited for. */
    private final Map<Integer, Long> sources = new HashMap<>();

    private final DistinctEvents events;
    private final DiskMap corrected;
    private final Map<Integer, TreeMap<Long, Set<WindowKey>>> open = new HashMap<>();
    private final Map<Integer, Long> clocks = new HashMap<>();
    private final ReplayCounts counts = new ReplayCounts();
    private final int scale;

    /**
     * @param grace in place of that of the settings
     * @param partitions the source partitions that have records
     * @param directory is made
     */
    Replay(TotalsProperties settings, Duration grace, Span span, Set<Integer> partitions, Path directory) {
        this.windows = settings.window().windows(grace);
        this.span = span;
        this.grace = grace.toMillis();
        this.horizon = settings.correctUntil().toMillis();
        this.every = settings.correctEvery().toMillis();
        this.together = !settings.input().partitionedByKey() || settings.deduplicateScope() == DeduplicateScope.GLOBAL;
        this.scale = settings.input().amountScale();
        partitions.forEach(partition -> sources.put(partition, UNKNOWN));
        this.events = new DistinctEvents(directory.resolve("replayed"), settings.deduplicateScope());
        try {
            this.corrected = new DiskMap(directory.resolve("corrected"));
        } catch (RuntimeException e) {
            events.close(); // nobody closes what a constructor that fails has made
            throw e;
        }
    }

    /** Takes the next record. */
    void take(Item item) {
        if (item instanceof EndOfInput end) {
            int partition = end.origin().partition();
            sources.put(partition, ENDED);
            advance(together ? 0 : partition);
        } else if (item instanceof Event event && events.add(event, 0) == DistinctEvents.Finding.NEW) {
            take(event);
        }
    }

    private void take(Event event) {
        int partition = event.origin().partition();
        int clock = together ? 0 : partition;
        long time = clocks.getOrDefault(clock, UNKNOWN);
        List<Long> closed = new ArrayList<>();
        for (long start : windows.startsOf(event.time())) {
            if (isClosed(time, windows.endOf(start))) {
                closed.add(start);
            } else {
                open.computeIfAbsent(clock, any -> new TreeMap<>())
                        .computeIfAbsent(windows.endOf(start), any -> new HashSet<>())
                        .add(new WindowKey(event.key(), start));
            }
        }
        if (!closed.isEmpty()) {
            takeLate(event, closed, time);
        }
        sources.merge(partition, event.time(), Math::max);
        advance(clock);
    }

    private boolean isClosed(long time, long end) {
        return time == ENDED || time != UNKNOWN && end <= time - grace;
    }

    private void takeLate(Event event, List<Long> closed, long time) {
        boolean corrects = false;
        boolean counted = false;
        for (long start : closed) {
            boolean beyond = time != ENDED && windows.endOf(start) + horizon <= time - grace;
            counted |= span.contains(start);
            if (!beyond) {
                corrects = true;
                correct(new WindowKey(event.key(), start), time);
            }
        }
        if (counted && corrects) {
            counts.late(event.amount());
        } else if (counted && closed.size() == windows.startsOf(event.time()).length) {
            counts.tooLate(event.amount());
        }
    }

    /** Late events of one window and one interval of stream time are one version. */
    private void correct(WindowKey window, long time) {
        if (!span.contains(window.start())) {
            return;
        }
        if (every == 0 || time == ENDED) {
            counts.corrections++;
            return;
        }
        byte[] key = window.toBytes();
        byte[] interval = ByteBuffer.allocate(Long.BYTES).putLong(time / every).array();
        if (!Arrays.equals(corrected.get(key), interval)) {
            corrected.put(key, interval);
            counts.corrections++;
        }
    }

    private void advance(int clock) {
        long before = clocks.getOrDefault(clock, UNKNOWN);
        long now = together ? Collections.min(sources.values()) : sources.get(clock);
        if (now <= before) {
            return;
        }
        clocks.put(clock, now);
        TreeMap<Long, Set<WindowKey>> waiting = open.getOrDefault(clock, new TreeMap<>());
        while (!waiting.isEmpty() && isClosed(now, waiting.firstKey())) {
            Map.Entry<Long, Set<WindowKey>> first = waiting.pollFirstEntry();
            long finals = first.getValue().stream()
                    .filter(window -> span.contains(window.start()))
                    .count();
            counts.finals += finals;
            for (long i = 0; i < finals && now != ENDED; i++) {
                counts.closed(now - first.getKey());
            }
        }
    }

    /** What became of all; to be called once. */
    ReplayCounts counts() {
        counts.open = open.values().stream()
                .flatMap(waiting -> waiting.values().stream())
                .flatMap(Set::stream)
                .filter(window -> span.contains(window.start()))
                .count();
        return counts.complete(scale);
    }

    @Override
    public void close() {
        events.close();
        corrected.close();
    }
}
