package dev.tidemark.console;

import dev.tidemark.console.TotalsQueries.Question;
import dev.tidemark.console.TotalsQueries.Sum;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestParam;

/** What is it, and is it final? Totals, and the history of one window. */
@Controller
class TotalsPage {

    private static final int ROWS = 50;
    private static final int BARS = 48;
    private static final int CAUSES = 200;
    private static final int MOST_SUMMED = 20_000;

    private final TotalsQueries totals;
    private final LedgerQueries ledger;
    private final Amounts amounts;
    private final Clock clock;

    TotalsPage(TotalsQueries totals, LedgerQueries ledger, Amounts amounts, Clock clock) {
        this.amounts = amounts;
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
        boolean money = amounts.has(pipeline);
        boolean corrected = Boolean.TRUE.equals(ask.corrected());
        model.addAttribute("money", money);
        Instant now = clock.instant();
        Instant asOf = ask.isLive() ? null : Instant.ofEpochSecond(ask.asof());
        Instant until = instant(ask.until(), reader);
        String after = until == null || blank(ask.after()) == null ? null : ask.after();
        List<Total> found =
                totals.windows(new Question(pipeline, blank(ask.key()), asOf, until, after, corrected, ROWS + 1));
        List<Total> rows = found.subList(0, Math.min(ROWS, found.size()));
        model.addAttribute("rows", rows);
        model.addAttribute("until", until);
        model.addAttribute("last", found.size() > ROWS ? rows.get(ROWS - 1) : null);
        model.addAttribute("asOf", asOf);
        model.addAttribute("latest", now.getEpochSecond());
        model.addAttribute(
                "earliest", totals.firstRecorded(pipeline).orElse(now).getEpochSecond());
        if (asOf == null && until == null && blank(ask.key()) == null) {
            List<Sum> sums = totals.newestSums(pipeline, bars(pipeline));
            addChart(sums, money, show, model);
            if (!corrected) {
                List<Sum> newestFirst = new ArrayList<>(sums);
                Collections.reverse(newestFirst);
                addNewest(newestFirst, Sum::isFinal, model);
            }
        } else if (until == null && blank(ask.key()) != null) {
            addNewest(rows, row -> row.version() > 0, model);
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
        model.addAttribute("money", amounts.has(pipeline));
        model.addAttribute("causes", totals.causes(pipeline, key, start, CAUSES));
        return "window";
    }

    /** Of pipelines with very many keys fewer windows are summed, or none, so that the page stays quick. */
    private int bars(String pipeline) {
        int keys = Math.max(1, totals.rowsOfNewest(pipeline, MOST_SUMMED + 1));
        return Math.min(BARS, MOST_SUMMED / keys);
    }

    /** Of what only counts, the chart shows the counts. */
    private static void addChart(List<Sum> sums, boolean money, Show show, Model model) {
        if (sums.isEmpty()) {
            return;
        }
        List<String> labels = sums.stream().map(sum -> show.time(sum.start())).toList();
        Function<Sum, BigDecimal> height = money ? Sum::total : sum -> BigDecimal.valueOf(sum.count());
        BigDecimal top = sums.stream().map(height).reduce(BigDecimal.ZERO, BigDecimal::max);
        BigDecimal bottom = sums.stream().map(height).reduce(BigDecimal.ZERO, BigDecimal::min);
        model.addAttribute(
                "chart",
                Chart.of(
                        "bars",
                        labels,
                        List.of(series("final", sums, height, show), series("provisional", sums, height, show)),
                        new Chart.Reach(bottom, top),
                        show));
        model.addAttribute("sums", sums);
    }

    /** The newest window that is final and the newest one that is not, as far as there are such. */
    private static <T> void addNewest(List<T> newestFirst, Predicate<T> isFinal, Model model) {
        newestFirst.stream().filter(isFinal).findFirst().ifPresent(one -> model.addAttribute("newestFinal", one));
        newestFirst.stream()
                .filter(isFinal.negate())
                .findFirst()
                .ifPresent(one -> model.addAttribute("newestOpen", one));
    }

    private static Chart.Series series(String status, List<Sum> sums, Function<Sum, BigDecimal> height, Show show) {
        boolean closed = status.equals("final");
        return new Chart.Series(
                show.text("status." + status),
                status,
                sums.stream()
                        .map(sum -> sum.isFinal() == closed ? height.apply(sum).doubleValue() : null)
                        .toList(),
                sums.stream()
                        .map(sum -> sum.isFinal() == closed ? show.number(height.apply(sum)) : null)
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
