package dev.tidemark.totals;

import dev.tidemark.totals.Step.Sale;
import dev.tidemark.totals.Windowing.Span;
import java.math.BigDecimal;
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

/** What the {@link TotalsOracle} knows at one moment. Times are epoch milliseconds. */
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
     * A sale that corrected a closed window.
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

    /** What became of each record, by its offset; {@code control} for the end of the input. */
    final List<String> dispositions;

    final Map<String, Accepted> accepted;
    long newest = -1;
    /** Greatest event time of what was accepted. */
    long latest = -1;

    /** The greatest event time, or where the clock has gone on to while the input was quiet; null before the first. */
    Long clock;

    private final RunSettings settings;
    private final TreeMap<Window, List<Sale>> counted;
    private final TreeMap<Window, List<Late>> late;
    private final List<Closing> closings;
    private boolean ended;
    /** The clock that a start finds. */
    private Long remembered;
    /** A quiet clock is remembered once it has closed something. */
    private boolean worthRemembering;

    Expected(RunSettings settings) {
        this.settings = settings;
        this.dispositions = new ArrayList<>();
        this.accepted = new HashMap<>();
        this.counted = new TreeMap<>();
        this.late = new TreeMap<>();
        this.closings = new ArrayList<>();
    }

    Expected copy() {
        Expected copy = new Expected(settings);
        copy.dispositions.addAll(dispositions);
        copy.accepted.putAll(accepted);
        counted.forEach((window, sales) -> copy.counted.put(window, new ArrayList<>(sales)));
        late.forEach((window, sales) -> copy.late.put(window, new ArrayList<>(sales)));
        copy.closings.addAll(closings);
        copy.newest = newest;
        copy.latest = latest;
        copy.clock = clock;
        copy.ended = ended;
        copy.remembered = remembered;
        copy.worthRemembering = worthRemembering;
        return copy;
    }

    // What happens

    void count(Window window, Sale sale) {
        counted.computeIfAbsent(window, w -> new ArrayList<>()).add(sale);
    }

    void correct(Window window, Sale sale) {
        late.computeIfAbsent(window, w -> new ArrayList<>()).add(new Late(sale, clock));
    }

    void advance(long time, Cause cause) {
        if (ended || clock != null && time <= clock) {
            return;
        }
        boolean closes = clock == null || lastEnd(time) > lastEnd(clock);
        clock = time;
        if (closes) {
            closings.add(new Closing(watermark(time), time, cause));
        }
        worthRemembering |= closes || cause == Cause.WATERMARK;
    }

    void end() {
        ended = true;
        worthRemembering = true;
        if (clock != null) {
            closings.add(new Closing(Long.MAX_VALUE, clock, Cause.END_OF_INPUT));
        }
    }

    void advanceAfterTheEnd(long time) {
        if (ended && (clock == null || time > clock)) {
            clock = time;
            worthRemembering = true;
        }
    }

    void rememberClock() {
        if (worthRemembering) {
            remembered = clock;
            worthRemembering = false;
        }
    }

    void restoreClock() {
        clock = remembered;
    }

    // What follows from it

    boolean isClosed(Span window) {
        return ended || clock != null && window.end() <= watermark(clock);
    }

    boolean isBeyondHorizon(Span window) {
        return window.end() + settings.correctUntil().toMillis() <= watermark(clock);
    }

    /** The windows that have been closed and have something in them. */
    Set<Window> closed() {
        return windows().filter(window -> isClosed(window.span())).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The windows that are open and have something in them. */
    Set<Window> open() {
        return windows().filter(window -> !isClosed(window.span())).collect(Collectors.toCollection(TreeSet::new));
    }

    List<Sale> counted(Window window) {
        return counted.getOrDefault(window, List.of());
    }

    List<Late> late(Window window) {
        return late.getOrDefault(window, List.of());
    }

    /** All that was accepted of a window. */
    List<Sale> accepted(Window window) {
        return Stream.concat(counted(window).stream(), late(window).stream().map(Late::sale))
                .toList();
    }

    /** What closed a window; null if nothing did, but the end of the input had come before its first sale. */
    Closing closing(Span window) {
        return closings.stream()
                .filter(closing -> window.end() <= closing.watermark())
                .findFirst()
                .orElse(null);
    }

    private Stream<Window> windows() {
        return Stream.concat(counted.keySet().stream(), late.keySet().stream()).distinct();
    }

    private long lastEnd(long time) {
        return settings.windowing().lastEnd(watermark(time));
    }

    private long watermark(long time) {
        return time - settings.grace().toMillis();
    }
}
