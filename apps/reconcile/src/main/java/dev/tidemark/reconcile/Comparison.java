package dev.tidemark.reconcile;

import dev.tidemark.reconcile.Break.Kind;
import dev.tidemark.reconcile.Break.Numbers;
import dev.tidemark.reconcile.Break.Subject;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * Compares recounted windows with published ones, both in the order of {@link WindowKey}, each passing once.
 *
 * <p>A window is due when the times of the input close it, or when a window of the same source partition that ends no
 * earlier is final. What is not due and not final is left undecided.
 */
final class Comparison {

    /** So many breaks are kept; the rest is only counted. */
    static final int MOST_BREAKS = 10_000;
    /** So many windows wait for the end, when it is known whether they are due; the rest is left undecided. */
    private static final int MOST_WAITING = 200_000;

    private final int scale;
    private final WindowEnds ends;
    private final Due due;
    private final WindowSums excused;

    private final Tally tally;
    private final List<Waiting> waiting = new ArrayList<>();
    private final boolean together;
    /** Greatest end of a final window, by source partition. */
    private final long[] finalUntil;

    /** When windows end, in epoch milliseconds. */
    interface WindowEnds {
        long endOf(long start);
    }

    /** Whether the times of the input close windows of a source partition that end then. */
    interface Due {
        boolean isClosed(int partition, long end);
    }

    private record Waiting(WindowSum sum, long end, Break missing) {}

    /**
     * @param scale decimal places of amounts
     * @param excused sums of the events that the pipeline need not have counted, by window
     * @param partitions how many source partitions there are
     * @param together whether one clock is told the events of all of them
     * @param doubted what an earlier recount found to be broken
     */
    Comparison(
            int scale,
            WindowEnds ends,
            Due due,
            WindowSums excused,
            int partitions,
            boolean together,
            Set<Subject> doubted) {
        this.scale = scale;
        this.ends = ends;
        this.due = due;
        this.excused = excused;
        this.finalUntil = new long[partitions];
        this.together = together;
        this.tally = new Tally(MOST_BREAKS, doubted);
    }

    /** Compares all. */
    Tally compare(DiskMap.Cursor recounted, Iterator<PublishedWindow> published) {
        DiskMap.Entry mine = next(recounted);
        PublishedWindow theirs = next(published);
        while (mine != null || theirs != null) {
            WindowKey window = mine == null ? null : WindowKey.of(mine.key());
            int order = window == null ? 1 : theirs == null ? -1 : window.compareTo(theirs.window());
            compare(
                    order <= 0 ? window : theirs.window(),
                    order <= 0 ? WindowSum.of(mine.value()) : null,
                    order >= 0 ? theirs : null);
            mine = order <= 0 ? next(recounted) : mine;
            theirs = order >= 0 ? next(published) : theirs;
        }
        waiting.forEach(window -> {
            if (window.end() <= finalUntil[clockOf(window.sum())]) {
                missing(window.sum(), window.missing());
            } else {
                tally.addUndecided(window.missing().subject());
            }
        });
        return tally;
    }

    private void compare(WindowKey window, WindowSum sum, PublishedWindow published) {
        Subject subject = Subject.of(window);
        if (sum == null) {
            tally.add(Break.of(Kind.UNEXPECTED, subject, numbers(published), null));
        } else if (published != null && published.isFinal()) {
            finalUntil[clockOf(sum)] = Math.max(finalUntil[clockOf(sum)], ends.endOf(window.start()));
            compareFinal(sum, published);
        } else {
            long end = ends.endOf(window.start());
            Break missing =
                    Break.of(Kind.MISSING, subject, published == null ? null : numbers(published), numbers(sum));
            if (due.isClosed(sum.partition(), end)) {
                missing(sum, missing);
            } else if (waiting.size() < MOST_WAITING) {
                waiting.add(new Waiting(sum, end, missing));
            } else {
                tally.addUndecided(subject);
            }
        }
    }

    private int clockOf(WindowSum sum) {
        return together ? 0 : sum.partition();
    }

    private void missing(WindowSum sum, Break missing) {
        WindowSum excuse = excused.get(missing.subject().window());
        if (missing.published() == null && excuse != null && excuse.count() == sum.count()) {
            tally.explained++;
        } else {
            tally.add(missing);
        }
    }

    private void compareFinal(WindowSum sum, PublishedWindow published) {
        Subject subject = Subject.of(published.window());
        boolean sameEnd = published.end() == ends.endOf(published.window().start());
        if (published.flaw() != null) {
            tally.add(Break.of(Kind.VERSION_MISSING, subject, numbers(published), numbers(sum))
                    .explained(published.flaw(), List.of()));
        } else if (sameEnd && isEqual(sum, published)) {
            tally.equal++;
        } else if (sameEnd && isExcused(sum, published)) {
            tally.explained++;
        } else {
            tally.add(Break.of(Kind.DIFFERENT, subject, numbers(published), numbers(sum)));
        }
    }

    private boolean isEqual(WindowSum sum, PublishedWindow published) {
        return sum.count() == published.count()
                && isEqual(sum.total().toDecimal(scale), published.total())
                && isEqual(BigDecimal.valueOf(sum.minimum(), scale), published.minimum())
                && isEqual(BigDecimal.valueOf(sum.maximum(), scale), published.maximum());
    }

    private static boolean isEqual(BigDecimal mine, BigDecimal theirs) {
        return theirs != null && mine.compareTo(theirs) == 0;
    }

    private boolean isExcused(WindowSum sum, PublishedWindow published) {
        WindowSum excuse = excused.get(published.window());
        return excuse != null
                && sum.count() - excuse.count() == published.count()
                && sum.total()
                                .toDecimal(scale)
                                .subtract(excuse.total().toDecimal(scale))
                                .compareTo(published.total())
                        == 0;
    }

    private static Numbers numbers(PublishedWindow published) {
        return new Numbers(published.version(), published.total(), published.count());
    }

    private Numbers numbers(WindowSum sum) {
        return new Numbers(null, sum.total().toDecimal(scale), sum.count());
    }

    private static DiskMap.Entry next(DiskMap.Cursor entries) {
        return entries.hasNext() ? entries.next() : null;
    }

    private static PublishedWindow next(Iterator<PublishedWindow> windows) {
        return windows.hasNext() ? windows.next() : null;
    }
}
