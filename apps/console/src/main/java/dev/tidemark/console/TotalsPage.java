package dev.tidemark.console;

import dev.tidemark.console.TotalsQueries.Question;
import dev.tidemark.console.TotalsQueries.Sum;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestParam;

/** What is it, and is it final? Totals, and the history of one window. */
@Controller
class TotalsPage {

    private static final int ROWS = 100;
    private static final int BARS = 48;
    private static final int CAUSES = 200;
    private static final int MOST_SUMMED = 20_000;

    private final TotalsQueries totals;
    private final LedgerQueries ledger;
    private final Clock clock;

    TotalsPage(TotalsQueries totals, LedgerQueries ledger, Clock clock) {
        this.ledger = ledger;
        this.totals = totals;
        this.clock = clock;
    }

    /**
     * What the form asks for; all may be null.
     *
     * @param until a local time of the reader, or an instant
     * @param asof seconds since the epoch
     * @param now the latest moment that the slider had; {@code asof} there means "as of now"
     */
    record Ask(String pipeline, String key, String until, String after, Boolean corrected, Long asof, Long now) {

        public boolean isLive() {
            return asof == null || now != null && asof >= now;
        }
    }

    @GetMapping("/")
    String list(Ask ask, @ModelAttribute("reader") Reader reader, @ModelAttribute("show") Show show, Model model) {
        List<String> pipelines = totals.pipelines();
        String pipeline = Choice.of(ask.pipeline(), pipelines, ledger.busiest());
        model.addAttribute("pipelines", pipelines);
        model.addAttribute("pipeline", pipeline);
        model.addAttribute("ask", ask);
        if (pipeline == null) {
            model.addAttribute("rows", List.of());
            return "totals";
        }
        Instant now = clock.instant();
        Instant asOf = ask.isLive() ? null : Instant.ofEpochSecond(ask.asof());
        Instant until = instant(ask.until(), reader);
        String after = until == null || blank(ask.after()) == null ? null : ask.after();
        List<Total> found = totals.windows(new Question(
                pipeline, blank(ask.key()), asOf, until, after, Boolean.TRUE.equals(ask.corrected()), ROWS + 1));
        List<Total> rows = found.subList(0, Math.min(ROWS, found.size()));
        model.addAttribute("rows", rows);
        model.addAttribute("until", until);
        model.addAttribute("last", found.size() > ROWS ? rows.get(ROWS - 1) : null);
        model.addAttribute("asOf", asOf);
        model.addAttribute("latest", now.getEpochSecond());
        model.addAttribute(
                "earliest", totals.firstRecorded(pipeline).orElse(now).getEpochSecond());
        if (asOf == null && until == null && blank(ask.key()) == null) {
            addChart(totals.newestSums(pipeline, bars(pipeline)), show, model);
        }
        return "totals";
    }

    @GetMapping("/window")
    String window(
            @RequestParam String pipeline,
            @RequestParam String key,
            @RequestParam Instant start,
            @RequestParam(required = false) Integer version,
            Model model) {
        List<Total> versions = totals.versions(pipeline, key, start);
        int newest = versions.isEmpty() ? 0 : versions.get(versions.size() - 1).version();
        int shown = version == null ? newest : version;
        model.addAttribute("pipeline", pipeline);
        model.addAttribute("key", key);
        model.addAttribute("start", start);
        model.addAttribute("versions", versions);
        model.addAttribute(
                "shown",
                versions.stream()
                        .filter(row -> row.version() <= shown)
                        .reduce((older, newer) -> newer)
                        .orElse(versions.isEmpty() ? null : versions.get(0)));
        model.addAttribute("newest", newest);
        model.addAttribute("causes", totals.causes(pipeline, key, start, CAUSES));
        return "window";
    }

    /** Of pipelines with very many keys fewer windows are summed, or none, so that the page stays quick. */
    private int bars(String pipeline) {
        int keys = Math.max(1, totals.rowsOfNewest(pipeline, MOST_SUMMED + 1));
        return Math.min(BARS, MOST_SUMMED / keys);
    }

    private static void addChart(List<Sum> sums, Show show, Model model) {
        if (sums.isEmpty()) {
            return;
        }
        List<String> labels = sums.stream().map(sum -> show.time(sum.start())).toList();
        BigDecimal top = sums.stream().map(Sum::total).reduce(BigDecimal.ZERO, BigDecimal::max);
        BigDecimal bottom = sums.stream().map(Sum::total).reduce(BigDecimal.ZERO, BigDecimal::min);
        model.addAttribute(
                "chart",
                Chart.of(
                        "bars",
                        labels,
                        List.of(series("final", sums, show, true), series("provisional", sums, show, false)),
                        new Chart.Reach(bottom, top),
                        show));
        model.addAttribute("sums", sums);
    }

    /** A window counts as final here when none of its keys is open. */
    private static Chart.Series series(String status, List<Sum> sums, Show show, boolean closed) {
        return new Chart.Series(
                show.text("status." + status),
                status,
                sums.stream()
                        .map(sum -> (sum.open() == 0) == closed ? sum.total().doubleValue() : null)
                        .toList(),
                sums.stream()
                        .map(sum -> (sum.open() == 0) == closed ? show.number(sum.total()) : null)
                        .toList());
    }

    /** Null if it is no time. */
    private static Instant instant(String text, Reader reader) {
        if (blank(text) == null) {
            return null;
        }
        try {
            return text.endsWith("Z")
                    ? Instant.parse(text)
                    : LocalDateTime.parse(text).atZone(reader.zone()).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static String blank(String text) {
        return text == null || text.isBlank() ? null : text;
    }
}
