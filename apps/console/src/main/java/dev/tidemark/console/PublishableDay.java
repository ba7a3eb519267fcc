package dev.tidemark.console;

import dev.tidemark.console.DayQueries.Counts;
import dev.tidemark.console.DayQueries.Day;
import dev.tidemark.console.DayQueries.Late;
import dev.tidemark.console.DayQueries.Windows;
import dev.tidemark.console.Publishable.Check;
import dev.tidemark.console.Publishable.Example;
import dev.tidemark.console.Publishable.Kind;
import dev.tidemark.console.ReconciliationQueries.Coverage;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** Answers whether a day of a pipeline may be published, for the page and for schedulers. */
@Component
class PublishableDay {

    private static final int EXAMPLES = 10;

    private final DayQueries days;
    private final LedgerQueries ledger;
    private final ReconciliationQueries reconciliation;
    private final Amounts amounts;
    private final Apps apps;
    private final ConsoleProperties settings;
    private final Clock clock;

    PublishableDay(
            DayQueries days,
            LedgerQueries ledger,
            ReconciliationQueries reconciliation,
            Amounts amounts,
            Apps apps,
            ConsoleProperties settings,
            Clock clock) {
        this.amounts = amounts;
        this.apps = apps;
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
                windows.length(),
                // Calendar windows of one pipeline differ: a month by three days, a day by an hour.
                windows.length().plus(least(windows.length(), Duration.ofDays(4))));
        Counts counts = days.counts(day);
        List<Dispositions> partitions = ledger.byPartition(pipeline);
        Optional<Coverage> coverage = reconciliation.coverage(day);
        Late corrections = days.corrections(day);
        Late tooLate = days.tooLate(day);
        BigDecimal late = corrections.amount().add(tooLate.amount());
        boolean money = late.signum() != 0 || amounts.has(pipeline);
        BigDecimal budget = settings.budgetOf(pipeline);
        List<Check> checks = new ArrayList<>();
        checks.add(Check.of(Kind.HAS_WINDOWS, counts.windows() > 0, counts.windows()));
        checks.add(isOver(day, partitions, coverage.isPresent()));
        checks.add(allFinal(day, counts, partitions, coverage));
        checks.add(balanced(partitions, money));
        checks.add(nothingRefused(pipeline));
        checks.add(reconciliation.noBreak(day, coverage));
        checks.add(money ? lateMoney(late, budget) : Check.unknown(Kind.LATE_MONEY));
        return new Publishable(pipeline, date, windows.zone(), counts.windows(), money ? late : null, budget, checks);
    }

    /**
     * Each source partition has come to the end of the day, or has been quiet for long since then. A ledger that does not
     * change may also be one that nobody writes, so either the app has to say that it has read all, or a recount.
     */
    private Check isOver(Day day, List<Dispositions> partitions, boolean recounted) {
        List<Dispositions> unfinished = partitions.stream()
                .filter(partition -> !hasReached(partition, day.end()))
                .toList();
        Set<String> read = recounted || unfinished.isEmpty() ? Set.of() : readToTheEnd();
        List<Example> behind = unfinished.stream()
                .filter(partition -> !isQuiet(partition, day.end())
                        || !recounted && !read.contains(partition.topic() + "-" + partition.partition()))
                .map(PublishableDay::lastSeen)
                .toList();
        return Check.of(Kind.IS_OVER, !partitions.isEmpty() && behind.isEmpty(), behind.size(), partitions.size())
                .with(firstOf(behind));
    }

    /** A source partition without a time yet has a dash in its place. */
    private static Example lastSeen(Dispositions partition) {
        String name = partition.topic() + "-" + partition.partition();
        return partition.streamTime() == null
                ? Example.of(name + " " + Show.NOTHING)
                : new Example(name, partition.streamTime());
    }

    private static boolean hasReached(Dispositions partition, Instant time) {
        return partition.streamTime() != null && !partition.streamTime().isBefore(time);
    }

    private boolean isQuiet(Dispositions partition, Instant end) {
        Duration quietAfter = settings.quietAfter();
        Instant now = clock.instant();
        return partition.recordedAt().plus(quietAfter).isBefore(now)
                && end.plus(quietAfter).isBefore(now);
    }

    /** The source partitions of which a running app says that there is nothing left to be read. */
    private Set<String> readToTheEnd() {
        return apps.statuses().stream()
                .filter(AppStatus::up)
                .flatMap(app -> app.lags().stream())
                .filter(lag -> lag.records() == 0)
                .map(lag -> lag.topic() + "-" + lag.partition())
                .collect(Collectors.toSet());
    }

    /**
     * None of its windows is open. Without provisional totals an open window has no row; then each source partition has to
     * be past the end of the day by as much as ever was enough to close a window, or a recount has found none open.
     */
    private Check allFinal(Day day, Counts counts, List<Dispositions> partitions, Optional<Coverage> coverage) {
        boolean visible = counts.provisional() > 0
                || counts.delay() != null
                        && partitions.stream()
                                .allMatch(partition ->
                                        hasReached(partition, day.end().plus(counts.delay())))
                || coverage.map(found -> found.undecided() == 0).orElse(false);
        boolean met = counts.open() == 0 && visible;
        Check check = Check.of(Kind.ALL_FINAL, met, counts.open(), counts.windows());
        return counts.open() == 0
                ? visible ? check : check.with(List.of(Example.of("?")))
                : check.with(days.open(day, EXAMPLES).stream()
                        .map(open -> new Example(open.key(), open.start()))
                        .toList());
    }

    private static Check lateMoney(BigDecimal late, BigDecimal budget) {
        return budget == null
                ? new Check(Kind.LATE_MONEY, true, false, List.of(late.toPlainString()), List.of())
                : Check.of(Kind.LATE_MONEY, late.compareTo(budget) <= 0, late, budget);
    }

    private static Check balanced(List<Dispositions> partitions, boolean money) {
        List<Dispositions> unbalanced =
                partitions.stream().filter(partition -> !partition.isBalanced()).toList();
        return Check.of(Kind.LEDGER_BALANCED, unbalanced.isEmpty(), unbalanced.size())
                .with(firstOf(unbalanced.stream()
                        .map(partition -> Example.of(partition.topic() + "-" + partition.partition() + " "
                                + partition.difference()
                                + (money ? " " + partition.differenceAmount().toPlainString() : "")))
                        .toList()));
    }

    private Check nothingRefused(String pipeline) {
        List<Example> keys = ledger.refusedChanges(pipeline, EXAMPLES).stream()
                .map(change -> Example.of(change.table() + " " + change.key()))
                .toList();
        return Check.of(Kind.NOTHING_REFUSED, keys.isEmpty(), keys.size()).with(keys);
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static List<Example> firstOf(List<Example> examples) {
        return examples.stream().limit(EXAMPLES).toList();
    }
}
