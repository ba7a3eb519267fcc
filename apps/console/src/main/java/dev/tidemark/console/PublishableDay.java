package dev.tidemark.console;

import dev.tidemark.console.DayQueries.Counts;
import dev.tidemark.console.DayQueries.Day;
import dev.tidemark.console.DayQueries.Late;
import dev.tidemark.console.DayQueries.Windows;
import dev.tidemark.console.Publishable.Check;
import dev.tidemark.console.Publishable.Kind;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Answers whether a day of a pipeline may be published, for the page and for schedulers. */
@Component
class PublishableDay {

    private static final int EXAMPLES = 10;

    private final DayQueries days;
    private final LedgerQueries ledger;
    private final ReconciliationQueries reconciliation;
    private final ConsoleProperties settings;
    private final Clock clock;

    PublishableDay(
            DayQueries days,
            LedgerQueries ledger,
            ReconciliationQueries reconciliation,
            ConsoleProperties settings,
            Clock clock) {
        this.days = days;
        this.ledger = ledger;
        this.reconciliation = reconciliation;
        this.settings = settings;
        this.clock = clock;
    }

    /** Empty if the pipeline has no windows at all. */
    Optional<Publishable> ask(String pipeline, LocalDate day) {
        return days.windows(pipeline).map(windows -> answer(pipeline, day, windows));
    }

    private Publishable answer(String pipeline, LocalDate date, Windows windows) {
        Day day = new Day(
                pipeline,
                date.atStartOfDay(windows.zone()).toInstant(),
                date.plusDays(1).atStartOfDay(windows.zone()).toInstant(),
                // Calendar windows of one pipeline differ: a month by three days, a day by an hour.
                windows.length().plusDays(4));
        Counts counts = days.counts(day);
        Late corrections = days.corrections(day);
        Late tooLate = days.tooLate(day);
        BigDecimal late = corrections.amount().add(tooLate.amount());
        BigDecimal budget = settings.budgetOf(pipeline);
        List<Check> checks = new ArrayList<>();
        checks.add(Check.of(Kind.HAS_WINDOWS, counts.windows() > 0, counts.windows()));
        checks.add(isOver(day));
        checks.add(allFinal(day, counts));
        checks.add(balanced(pipeline));
        checks.add(nothingRefused(pipeline));
        checks.add(reconciliation.noBreak(day));
        checks.add(
                budget == null
                        ? new Check(Kind.LATE_MONEY, true, false, List.of(late.toPlainString()), List.of())
                        : Check.of(Kind.LATE_MONEY, late.compareTo(budget) <= 0, late, budget));
        return new Publishable(pipeline, date, windows.zone(), counts.windows(), late, budget, checks);
    }

    /** Each source partition has come to the end of the day, or has been quiet for long since then. */
    private Check isOver(Day day) {
        List<Dispositions> partitions = ledger.byPartition(day.pipeline());
        List<String> behind = partitions.stream()
                .filter(partition -> isBehind(partition, day.end()))
                .map(partition -> partition.topic() + "-" + partition.partition() + " "
                        + (partition.streamTime() == null ? "-" : partition.streamTime()))
                .toList();
        return Check.of(Kind.IS_OVER, !partitions.isEmpty() && behind.isEmpty(), behind.size(), partitions.size())
                .with(firstOf(behind));
    }

    private boolean isBehind(Dispositions partition, Instant end) {
        Duration quietAfter = settings.quietAfter();
        Instant now = clock.instant();
        boolean reached =
                partition.streamTime() != null && !partition.streamTime().isBefore(end);
        boolean quiet = partition.recordedAt().plus(quietAfter).isBefore(now)
                && end.plus(quietAfter).isBefore(now);
        return !reached && !quiet;
    }

    private Check allFinal(Day day, Counts counts) {
        Check check = Check.of(Kind.ALL_FINAL, counts.open() == 0, counts.open(), counts.windows());
        return counts.open() == 0
                ? check
                : check.with(days.open(day, EXAMPLES).stream()
                        .map(open -> open.start() + " " + open.key())
                        .toList());
    }

    private Check balanced(String pipeline) {
        List<Dispositions> unbalanced = ledger.byPartition(pipeline).stream()
                .filter(partition -> !partition.isBalanced())
                .toList();
        return Check.of(Kind.LEDGER_BALANCED, unbalanced.isEmpty(), unbalanced.size())
                .with(firstOf(unbalanced.stream()
                        .map(partition -> partition.topic() + "-" + partition.partition() + " " + partition.difference()
                                + " " + partition.differenceAmount().toPlainString())
                        .toList()));
    }

    private Check nothingRefused(String pipeline) {
        List<String> keys = ledger.refusedChanges(pipeline, EXAMPLES).stream()
                .map(change -> change.table() + " " + change.key())
                .toList();
        return Check.of(Kind.NOTHING_REFUSED, keys.isEmpty(), keys.size()).with(keys);
    }

    private static List<String> firstOf(List<String> texts) {
        return texts.stream().limit(EXAMPLES).toList();
    }
}
