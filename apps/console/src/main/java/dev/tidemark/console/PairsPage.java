package dev.tidemark.console;

import dev.tidemark.console.PairsQueries.Share;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestParam;

/** What stayed alone? The matched share over time, and the events without a partner. */
@Controller
class PairsPage {

    private static final int STEPS = 48;
    private static final int ROWS = 50;

    private final PairsQueries pairs;
    private final LedgerQueries ledger;

    PairsPage(PairsQueries pairs, LedgerQueries ledger) {
        this.ledger = ledger;
        this.pairs = pairs;
    }

    /** How far the page looks back from the newest event. */
    enum Span {
        HOURS(Duration.ofHours(8)),
        DAY(Duration.ofDays(2)),
        WEEK(Duration.ofDays(8));

        private final Duration step;

        Span(Duration length) {
            this.step = length.dividedBy(STEPS);
        }

        Duration step() {
            return step;
        }

        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    @GetMapping("/pairs")
    String pairs(
            @RequestParam(required = false) String pipeline,
            @RequestParam(defaultValue = "HOURS") Span span,
            @ModelAttribute("show") Show show,
            Model model) {
        List<String> pipelines = pairs.pipelines();
        String chosen = Choice.of(pipeline, pipelines, ledger.busiest());
        model.addAttribute("pipelines", pipelines);
        model.addAttribute("pipeline", chosen);
        model.addAttribute("spans", Span.values());
        model.addAttribute("span", span);
        if (chosen != null) {
            pairs.newest(chosen).ifPresent(newest -> addAnswer(chosen, newest, span.step(), show, model));
        }
        return "pairs";
    }

    private void addAnswer(String pipeline, Instant newest, Duration step, Show show, Model model) {
        long steps = newest.getEpochSecond() / step.toSeconds() + 1;
        Instant to = Instant.ofEpochSecond(steps * step.toSeconds());
        Instant from = to.minus(step.multipliedBy(STEPS));
        List<Share> shares = pairs.shares(pipeline, from, to, step);
        model.addAttribute("from", from);
        model.addAttribute("to", to);
        model.addAttribute("shares", shares);
        model.addAttribute("sum", shares.stream().reduce(Share.NONE, Share::plus));
        model.addAttribute("alone", pairs.alone(pipeline, from, to, ROWS));
        model.addAttribute("chart", chart(shares, show));
    }

    private static Chart chart(List<Share> shares, Show show) {
        List<Double> values = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (Share share : shares) {
            values.add(share.all() == 0 ? null : 100.0 * share.matched() / share.all());
            texts.add(show.share(share.matched(), share.all()));
        }
        return Chart.of(
                "line",
                shares.stream().map(share -> show.time(share.start())).toList(),
                List.of(new Chart.Series(show.text("pairs.share"), "final", values, texts)),
                Chart.Reach.upTo(BigDecimal.valueOf(100)),
                show);
    }
}
