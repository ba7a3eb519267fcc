package dev.tidemark.totals;

import dev.tidemark.totals.Step.Sale;
import dev.tidemark.totals.Windowing.Span;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the {@link TotalsOracle} knows at one moment, and what is owed by then. Times are epoch milliseconds. */
final class Expected {

    /** What closes a window. */
    enum Cause {
        WATERMARK("watermark"),
        IDLE("idle"),
        END_OF_INPUT("end-of-input");

        final String label;

        Cause(String label) {
            this.label = label;
        }
    }

    /**
     * A window of a store.
     *
     * @param store the store
     * @param span the window
     */
    record Window(String store, Span span) implements Comparable<Window> {

        @Override
        public int compareTo(Window other) {
            int byStore = store.compareTo(other.store);
            return byStore != 0 ? byStore : span.compareTo(other.span);
        }

        @Override
        public String toString() {
            return store + " from " + span;
        }
    }

    /**
     * An event id that is remembered.
     *
     * @param sale the event
     * @param quarter in which quarter of {@code deduplicate-for} since the epoch it was accepted, in stream time
     */
    record Accepted(Sale sale, long quarter) {}

    /**
     * What became of a record.
     *
     * @param disposition its disposition; {@code control} for the end of the input
     * @param windowStart start of the first window that it corrects, or null
     * @param version the version that it is part of there, or null
     */
    record Settled(String disposition, Long windowStart, Integer version) {

        static Settled as(String disposition) {
            return new Settled(disposition, null, null);
        }

        @Override
        public String toString() {
            return version == null
                    ? disposition
                    : disposition + ", v" + version + " from " + Instant.ofEpochMilli(windowStart);
        }
    }

    /**
     * A sale that corrects a closed window.
     *
     * @param sale the sale
     * @param clock the clock when it came
     */
    record Late(Sale sale, long clock) {}

    /**
     * A moment at which windows were closed.
     *
     * @param watermark windows with an end up to this were closed
     * @param clock the clock
     * @param cause what moved it
     */
    record Closing(long watermark, long clock, Cause cause) {}

    /**
     * What some sales add up to.
     *
     * @param total their sum
     * @param count how many
     * @param minimum the smallest amount
     * @param maximum the greatest amount
     */
    record Sum(BigDecimal total, int count, BigDecimal minimum, BigDecimal maximum) {

        static Sum of(List<Sale> sales) {
            List<BigDecimal> amounts = sales.stream().map(Sale::amount).toList();
            return new Sum(
                    amounts.stream().reduce(new BigDecimal("0.00"), BigDecimal::add),
                    amounts.size(),
                    amounts.stream().min(Comparator.naturalOrder()).orElse(null),
                    amounts.stream().max(Comparator.naturalOrder()).orElse(null));
        }

        @Override
        public String toString() {
            return total + " (" + count + ", " + minimum + " to " + maximum + ")";
        }
    }

    /** What became of each record, by its offset. */
    final List<Settled> settled = new ArrayList<>();

    /** The event ids that were accepted, by store and id. */
    final Map<String, Accepted> accepted = new HashMap<>();

    /** The greatest event time, whatever became of the event. */
    long newest = -1;
    /** Greatest event time of what was accepted. */
    long latest = -1;

    /** The greatest event time, or where the clock has gone on to while the input was quiet; null before the first. */
    Long clock;

    private final RunSettings settings;
    private final TreeMap<Window, List<Sale>> counted = new TreeMap<>();
    /** The corrections that were published, each with the sales that it is made of. */
    private final TreeMap<Window, List<List<Late>>> corrections = new TreeMap<>();
    /** The sales that are going to be the next correction. */
    private final TreeMap<Window, List<Late>> pending = new TreeMap<>();

    private final List<Closing> closings = new ArrayList<>();
    private boolean ended;
    /** The clock that a start finds. */
    private Long remembered;
    /** A quiet clock is remembered once something has followed from it. */
    private boolean worthRemembering;

    Expected(RunSettings settings) {
        this.settings = settings;
    }

    Expected copy() {
        Expected copy = new Expected(settings);
        copy.settled.addAll(settled);
        copy.accepted.putAll(accepted);
        counted.forEach((window, sales) -> copy.counted.put(window, new ArrayList<>(sales)));
        corrections.forEach((window, versions) -> copy.corrections.put(window, new ArrayList<>(versions)));
        pending.forEach((window, sales) -> copy.pending.put(window, new ArrayList<>(sales)));
        copy.closings.addAll(closings);
        copy.newest = newest;
        copy.latest = latest;
        copy.clock = clock;
        copy.ended = ended;
        copy.remembered = remembered;
        copy.worthRemembering = worthRemembering;
        return copy;
    }

    void count(Window window, Sale sale) {
        counted.computeIfAbsent(window, w -> new ArrayList<>()).add(sale);
    }

    /** Returns the version that the sale is going to be part of. */
    int correct(Window window, Sale sale) {
        pending.computeIfAbsent(window, w -> new ArrayList<>()).add(new Late(sale, clock));
        int version = 2 + corrections(window).size();
        if (ended || settings.correctEvery().isZero()) {
            publishPending();
        }
        return version;
    }

    void advance(long time, Cause cause) {
        if (ended || clock != null && time <= clock) {
            return;
        }
        boolean closes = clock == null || lastEnd(time) > lastEnd(clock);
        boolean endsInterval = clock != null && interval(time) > interval(clock);
        clock = time;
        if (closes) {
            closings.add(new Closing(watermark(time), time, cause));
        }
        if (endsInterval) {
            publishPending();
        }
        worthRemembering |= closes || endsInterval || cause == Cause.WATERMARK;
    }

    void end() {
        ended = true;
        worthRemembering = true;
        if (clock != null) {
            closings.add(new Closing(Long.MAX_VALUE, clock, Cause.END_OF_INPUT));
        }
        publishPending();
    }

    void advanceAfterTheEnd(long time) {
        if (ended && (clock == null || time > clock)) {
            clock = time;
            worthRemembering = true;
        }
    }

    /** That it is too late for a window follows from the clock. */
    void hasTold() {
        worthRemembering = true;
    }

    void rememberClock() {
        if (worthRemembering) {
            remembered = clock;
            worthRemembering = false;
        }
    }

    /** What was seen is known anyhow. */
    void restoreClock() {
        clock = remembered == null || ended ? remembered : Long.valueOf(Math.max(remembered, latest));
    }

    boolean isClosed(Span window) {
        return ended || clock != null && window.end() <= watermark(clock);
    }

    boolean isBeyondHorizon(Span window) {
        return window.end() + settings.correctUntil().toMillis() <= watermark(clock);
    }

    /** The windows that are open and have something in them. */
    Set<Window> open() {
        return counted.keySet().stream()
                .filter(window -> !isClosed(window.span()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The windows of which something is published. */
    Set<Window> published() {
        return Stream.concat(finals().stream(), corrections.keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The windows that have a final. */
    Set<Window> finals() {
        return counted.keySet().stream()
                .filter(window -> isClosed(window.span()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What came on time. */
    List<Sale> counted(Window window) {
        return counted.getOrDefault(window, List.of());
    }

    /** The published corrections, from version 2 on, each with the sales that it is made of. */
    List<List<Late>> corrections(Window window) {
        return corrections.getOrDefault(window, List.of());
    }

    /** All that is in the latest version. */
    List<Sale> latest(Window window) {
        return Stream.concat(
                        counted(window).stream(),
                        corrections(window).stream().flatMap(List::stream).map(Late::sale))
                .toList();
    }

    /** What closed a window; null if nothing did, but the end of the input had come before its first sale. */
    Closing closing(Span window) {
        return closings.stream()
                .filter(closing -> window.end() <= closing.watermark())
                .findFirst()
                .orElse(null);
    }

    private void publishPending() {
        pending.forEach((window, sales) ->
                corrections.computeIfAbsent(window, w -> new ArrayList<>()).add(sales));
        pending.clear();
    }

    private long lastEnd(long time) {
        return settings.windowing().lastEnd(watermark(time));
    }

    private long watermark(long time) {
        return time - settings.grace().toMillis();
    }

    private long interval(long time) {
        return settings.correctEvery().isZero()
                ? 0
                : time / settings.correctEvery().toMillis();
    }
}
