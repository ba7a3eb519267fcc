package dev.tidemark.console;

import dev.tidemark.console.Publishable.Check;
import dev.tidemark.console.Publishable.Kind;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestParam;

/** May we publish? */
@Controller
class PublishPage {

    private final PublishableDay publishable;
    private final DayQueries days;
    private final LedgerQueries ledger;
    private final TotalsQueries totals;
    private final Clock clock;

    PublishPage(PublishableDay publishable, DayQueries days, LedgerQueries ledger, TotalsQueries totals, Clock clock) {
        this.days = days;
        this.ledger = ledger;
        this.publishable = publishable;
        this.totals = totals;
        this.clock = clock;
    }

    @GetMapping("/publish")
    String publish(
            @RequestParam(required = false) String pipeline,
            @RequestParam(required = false) LocalDate day,
            @ModelAttribute("show") Show show,
            Model model) {
        List<String> pipelines = totals.pipelines();
        String chosen = Choice.of(pipeline, pipelines, ledger.busiest());
        model.addAttribute("pipelines", pipelines);
        model.addAttribute("pipeline", chosen);
        LocalDate asked = day == null && chosen != null ? latestWholeDay(chosen) : day;
        model.addAttribute("day", asked);
        if (chosen != null) {
            publishable.ask(chosen, asked).ifPresent(answer -> {
                model.addAttribute("answer", answer);
                model.addAttribute(
                        "texts",
                        answer.checks().stream()
                                .collect(Collectors.toMap(check -> check.kind().label(), check -> text(check, show))));
            });
        }
        return "publish";
    }

    private static String text(Check check, Show show) {
        boolean withoutAmounts =
                check.kind() == Kind.LATE_MONEY && check.found().isEmpty();
        String state = withoutAmounts ? "none" : !check.known() ? "unknown" : check.met() ? "met" : "missing";
        Object[] found = check.found().stream()
                .map(number -> show.number(new BigDecimal(number)))
                .toArray();
        return show.text("check." + check.kind().label() + "." + state, found);
    }

    /** The day before the newest window's, in the zone of the windows. */
    private LocalDate latestWholeDay(String pipeline) {
        ZoneId zone = days.windows(pipeline).map(DayQueries.Windows::zone).orElse(ZoneOffset.UTC);
        return totals.windows(new TotalsQueries.Question(pipeline, null, null, null, null, false, 1)).stream()
                .findFirst()
                .map(total -> total.start().atZone(zone).toLocalDate())
                .orElseGet(() -> LocalDate.ofInstant(clock.instant(), zone))
                .minusDays(1);
    }
}
