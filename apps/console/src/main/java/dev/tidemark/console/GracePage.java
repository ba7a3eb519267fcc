package dev.tidemark.console;

import dev.tidemark.console.LatenessQueries.Days;
import dev.tidemark.console.LatenessQueries.WhatIf;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;

/** How long should we wait? What every grace would have meant, and what freshness costs. */
@Controller
class GracePage {

    /** The graces of the slider; each is the end of a bin, so its answer is exact. */
    static final List<Duration> STEPS = Stream.of(
                    0, 1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 420, 600, 900, 1200, 1800, 2700,
                    3600, 5400, 7200, 10_800, 14_400, 21_600, 28_800, 43_200, 64_800, 86_400, 172_800, 259_200, 604_800,
                    1_209_600, 2_592_000)
            .map(Duration::ofSeconds)
            .toList();

    private static final List<BigDecimal> SHARES =
            Stream.of("95", "99", "99.9").map(BigDecimal::new).toList();
    private static final int USUAL = STEPS.indexOf(Duration.ofMinutes(5));
    private static final int DAYS = 31;

    private final LatenessQueries lateness;
    private final LedgerQueries ledger;
    private final Amounts amounts;

    GracePage(LatenessQueries lateness, LedgerQueries ledger, Amounts amounts) {
        this.amounts = amounts;
        this.ledger = ledger;
        this.lateness = lateness;
    }

    /**
     * What the form asks for; all may be null.
     *
     * @param step index of the grace among the slider's
     */
    record Ask(String pipeline, LocalDate from, LocalDate to, Integer step) {}

    /** The smallest grace with so many per cent on time; null if none is enough. */
    record Recommended(BigDecimal percent, Duration grace) {}

    @GetMapping("/grace")
    String grace(Ask ask, @ModelAttribute("prices") Cost.Ask prices, @ModelAttribute("show") Show show, Model model) {
        List<String> pipelines = lateness.pipelines();
        String pipeline = Choice.of(ask.pipeline(), pipelines, ledger.busiest());
        int step = ask.step() == null ? USUAL : Math.max(0, Math.min(STEPS.size() - 1, ask.step()));
        model.addAttribute("pipelines", pipelines);
        model.addAttribute("pipeline", pipeline);
        model.addAttribute("step", step);
        model.addAttribute("steps", STEPS);
        // What a slider's position is called, for the script, which puts it beside the slider.
        model.addAttribute("stepTexts", STEPS.stream().map(show::duration).collect(Collectors.joining("|")));
        model.addAttribute("cost", Cost.of(prices));
        if (pipeline != null) {
            lateness.days(pipeline).ifPresent(all -> addAnswer(pipeline, days(ask, all), step, show, model));
        }
        return "grace";
    }

    private void addAnswer(String pipeline, Days days, int step, Show show, Model model) {
        List<WhatIf> graces = lateness.whatIf(pipeline, days);
        model.addAttribute("days", days);
        if (graces.isEmpty()) {
            return;
        }
        Map<Duration, WhatIf> byGrace = graces.stream().collect(Collectors.toMap(WhatIf::grace, grace -> grace));
        model.addAttribute("chosen", byGrace.get(STEPS.get(step)));
        model.addAttribute("money", amounts.has(pipeline));
        model.addAttribute(
                "recommended",
                SHARES.stream()
                        .map(share -> new Recommended(share, smallest(graces, share)))
                        .toList());
        List<WhatIf> ladder = STEPS.stream().map(byGrace::get).toList();
        model.addAttribute("ladder", ladder);
        model.addAttribute("bins", bins(ladder));
        model.addAttribute("chart", chart(ladder, step, show));
    }

    private static Days days(Ask ask, Days all) {
        LocalDate last = ask.to() == null ? all.last() : ask.to();
        LocalDate usual = last.minusDays(DAYS - 1).isBefore(all.first()) ? all.first() : last.minusDays(DAYS - 1);
        return new Days(ask.from() == null ? usual : ask.from(), last);
    }

    private static Duration smallest(List<WhatIf> graces, BigDecimal percent) {
        return graces.stream()
                .filter(grace -> BigDecimal.valueOf(grace.events() - grace.lateEvents())
                                .multiply(BigDecimal.valueOf(100))
                                .compareTo(percent.multiply(BigDecimal.valueOf(grace.events())))
                        >= 0)
                .map(WhatIf::grace)
                .findFirst()
                .orElse(null);
    }

    /** Events that required a grace from one step to the next: those late with the one and not late with the other. */
    private static List<Long> bins(List<WhatIf> ladder) {
        List<Long> bins = new ArrayList<>();
        bins.add(ladder.get(0).events() - ladder.get(0).lateEvents());
        for (int i = 1; i < ladder.size(); i++) {
            bins.add(ladder.get(i - 1).lateEvents() - ladder.get(i).lateEvents());
        }
        return bins;
    }

    /** Only what was not on time anyway, which would dwarf the rest. */
    private static Chart chart(List<WhatIf> ladder, int step, Show show) {
        List<Long> bins = bins(ladder);
        List<String> labels = new ArrayList<>();
        List<Double> onTime = new ArrayList<>();
        List<Double> late = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (int i = 1; i < bins.size(); i++) {
            labels.add(show.text("grace.upto", show.duration(STEPS.get(i))));
            onTime.add(i <= step ? bins.get(i).doubleValue() : null);
            late.add(i > step ? bins.get(i).doubleValue() : null);
            texts.add(show.number(bins.get(i)));
        }
        long top = bins.stream().skip(1).mapToLong(Long::longValue).max().orElse(0);
        return Chart.of(
                "bars",
                labels,
                List.of(
                        new Chart.Series(show.text("grace.chart.on-time"), "final", onTime, texts),
                        new Chart.Series(show.text("grace.chart.late"), "late", late, texts)),
                Chart.Reach.upTo(BigDecimal.valueOf(top)),
                show);
    }
}
