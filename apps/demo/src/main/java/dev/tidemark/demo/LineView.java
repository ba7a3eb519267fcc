package dev.tidemark.demo;

import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** For a pipe: a line for every final and correction, and now and then the feed's progress and the ledger. */
final class LineView implements View {

    private static final long SUMMARY_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long FIRST_SUMMARY_AFTER_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Rows carry the time at which their transaction began, so that they can appear in another order. */
    private static final Duration OVERLAP = Duration.ofSeconds(5);

    private final PrintStream out;
    private final Results results;
    private final List<String> pairPipelines;
    private final Supplier<String> progress;
    private final Supplier<List<String>> troubles;
    private Instant since;
    private Set<WindowResult> shown = Set.of();
    private List<String> shownTroubles = List.of();
    private long nextSummary = System.nanoTime() + FIRST_SUMMARY_AFTER_NANOS;

    LineView(
            PrintStream out,
            Results results,
            List<String> pairPipelines,
            Supplier<String> progress,
            Supplier<List<String>> troubles) {
        this.out = out;
        this.results = results;
        this.pairPipelines = pairPipelines;
        this.progress = progress;
        this.troubles = troubles;
    }

    @Override
    public void show() {
        try {
            showResults();
            if (System.nanoTime() >= nextSummary) {
                nextSummary += SUMMARY_EVERY_NANOS;
                out.println(progress.get());
                out.println(results.ledger().counts());
                results.pairs(pairPipelines).forEach(counts -> out.println(line(counts)));
            }
        } catch (SQLException e) {
            out.println("PostgreSQL does not answer: " + e.getMessage());
        }
        showTroubles();
        out.flush();
    }

    @Override
    public void close() {
        results.close();
        out.flush();
    }

    /** The line of one version, for example {@code 2026-07-01T10:00:00Z S001 corrected, version 2: 430.00 (+80.00, late e6)}. */
    static String line(WindowResult window) {
        String line = "%s %s %s, version %d: %s"
                .formatted(
                        window.start(),
                        window.key(),
                        window.status(),
                        window.version(),
                        window.total().toPlainString());
        return window.version() < 2
                ? line
                : line + " (%s, %s)".formatted(Screen.signed(window.delta()), Screen.cause(window));
    }

    /** The line of a pipeline of pairs, for example {@code order-payments: 930 matched (93.0 %), 60 left and 10 right alone, 5 corrected}. */
    static String line(PairCounts counts) {
        return String.format(
                Locale.ROOT,
                "%s: %,d matched (%s), %,d left and %,d right alone, %,d corrected",
                counts.pipeline(),
                counts.matched(),
                counts.share(),
                counts.leftUnmatched(),
                counts.rightUnmatched(),
                counts.corrected());
    }

    private void showResults() throws SQLException {
        Instant now = results.now();
        if (since == null) {
            since = now;
        }
        Set<WindowResult> published = new HashSet<>();
        for (WindowResult window : results.published(since)) {
            published.add(window);
            if (!shown.contains(window)) {
                out.println(line(window));
            }
        }
        shown = published;
        if (since.isBefore(now.minus(OVERLAP))) {
            since = now.minus(OVERLAP);
        }
    }

    private void showTroubles() {
        List<String> current = troubles.get();
        if (!current.equals(shownTroubles)) {
            current.forEach(out::println);
            shownTroubles = current;
        }
    }
}
