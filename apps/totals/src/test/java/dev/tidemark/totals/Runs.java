package dev.tidemark.totals;

import dev.tidemark.totals.RunSettings.Storage;
import dev.tidemark.totals.Step.Commit;
import dev.tidemark.totals.Step.Crash;
import dev.tidemark.totals.Step.EndOfInput;
import dev.tidemark.totals.Step.Frozen;
import dev.tidemark.totals.Step.FutureSale;
import dev.tidemark.totals.Step.Quiet;
import dev.tidemark.totals.Step.Refused;
import dev.tidemark.totals.Step.Restart;
import dev.tidemark.totals.Step.Sale;
import dev.tidemark.totals.Windowing.Span;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/**
 * Generates {@link Run}s: sales of three stores in six windows in a row, most of them in order and some long overdue,
 * at times that lie on the edges of everything; repeated, contradicted and refused ones among them; and commits,
 * restarts, crashes and quiet times at any place.
 */
final class Runs {

    private static final int WINDOWS = 6;
    private static final int MOST_STEPS = 60;

    private Runs() {}

    static Arbitrary<Run> any() {
        Arbitrary<List<Draft>> drafts =
                draft().list().ofMinSize(1).ofMaxSize(MOST_STEPS).withSizeDistribution(RandomDistribution.uniform());
        return Combinators.combine(settings(), drafts).as(Runs::run);
    }

    private static Arbitrary<RunSettings> settings() {
        return Combinators.combine(
                        Arbitraries.of(Windowing.ALL),
                        Arbitraries.oneOf(
                                millis(0, 1, 300_000, 900_000),
                                Arbitraries.longs().between(0, 900_000)),
                        millis(604_800_000, 86_400_000, 3_600_000, 600_000, 0),
                        millis(0, 0, 240_000, 3_600_000),
                        millis(86_400_000, 3_600_000, 600_000, 40_000, 1_000),
                        millis(30_000, 600_000),
                        Arbitraries.of(10_000_000L, 500L, 0L),
                        Arbitraries.frequency(Tuple.of(99, Storage.IN_MEMORY), Tuple.of(1, Storage.ON_DISK)))
                .as((windowing, grace, correctUntil, correctEvery, deduplicateFor, idleAfter, cacheBytes, storage) ->
                        new RunSettings(
                                windowing,
                                Duration.ofMillis(grace),
                                Duration.ofMillis(correctUntil),
                                Duration.ofMillis(correctEvery),
                                Duration.ofMillis(deduplicateFor),
                                Duration.ofMillis(idleAfter),
                                cacheBytes,
                                storage));
    }

    private static Arbitrary<Long> millis(long... values) {
        List<Long> list = new ArrayList<>();
        for (long value : values) {
            list.add(value);
        }
        return Arbitraries.of(list);
    }

    /**
     * A step whose times still depend on the settings.
     *
     * @param at its place in the run, in hundredths of a window; drafts are independent, so that a failing run can shrink
     * @param shape what it becomes
     */
    private record Draft(int at, Shape shape) {}

    private interface Shape {

        /** The step, or nothing if there is no earlier sale that it could be about. */
        Optional<Step> step(RunSettings settings, List<Sale> earlier);
    }

    private static Run run(RunSettings settings, List<Draft> drafts) {
        List<Step> steps = new ArrayList<>();
        List<Sale> sales = new ArrayList<>();
        drafts.stream()
                .sorted(Comparator.comparingInt(Draft::at))
                .forEach(draft -> draft.shape().step(settings, sales).ifPresent(step -> {
                    steps.add(step);
                    if (step instanceof Sale sale) {
                        sales.add(sale);
                    }
                }));
        return new Run(settings, steps);
    }

    private static Arbitrary<Draft> draft() {
        return Arbitraries.frequencyOf(
                Tuple.of(30, sale()),
                Tuple.of(5, again()),
                Tuple.of(2, anywhere(refused())),
                Tuple.of(6, anywhere(Arbitraries.just(new Commit()))),
                Tuple.of(1, anywhere(downtime().map(Restart::new))),
                Tuple.of(1, anywhere(downtime().map(Crash::new))),
                Tuple.of(3, anywhere(quiet().map(Quiet::new))),
                Tuple.of(1, anywhere(Arbitraries.integers().between(3, 86_400).map(Frozen::new))),
                Tuple.of(1, atTheEnd(Arbitraries.just(new EndOfInput()))));
    }

    private static Arbitrary<Draft> anywhere(Arbitrary<? extends Step> steps) {
        return Combinators.combine(Arbitraries.integers().between(0, WINDOWS * 100), steps)
                .as((at, step) -> new Draft(at, (settings, earlier) -> Optional.of(step)));
    }

    private static Arbitrary<Draft> atTheEnd(Arbitrary<? extends Step> steps) {
        return Combinators.combine(Arbitraries.integers().between(WINDOWS * 80, WINDOWS * 130), steps)
                .as((at, step) -> new Draft(at, (settings, earlier) -> Optional.of(step)));
    }

    private static Arbitrary<Draft> sale() {
        Arbitrary<Integer> delays = Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.integers().between(0, 99)),
                Tuple.of(1, Arbitraries.integers().between(100, 500)));
        return Combinators.combine(stores(), ids(), moments(), amounts(), delays)
                .as((store, id, moment, amount, delay) -> new Draft(
                        moment.window() * 100 + delay,
                        (settings, earlier) -> Optional.of(new Sale(store, id, moment.in(settings), amount))));
    }

    private static Arbitrary<String> stores() {
        return Arbitraries.of("A", "B", "C");
    }

    /** With few ids, many contradict one another. */
    private static Arbitrary<String> ids() {
        return Arbitraries.oneOf(
                        Arbitraries.integers().between(1, 9),
                        Arbitraries.integers().between(10, 9999))
                .map(id -> "e" + id);
    }

    private static Arbitrary<BigDecimal> amounts() {
        return Arbitraries.frequencyOf(
                        Tuple.of(20, Arbitraries.longs().between(-500, 10_000)),
                        Tuple.of(1, Arbitraries.of(Long.MAX_VALUE, Long.MIN_VALUE)))
                .map(cents -> BigDecimal.valueOf(cents, 2));
    }

    /** An earlier sale once more; sometimes a little different. */
    private static Arbitrary<Draft> again() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, WINDOWS * 110),
                        Arbitraries.integers().between(0, MOST_STEPS),
                        Arbitraries.frequency(Tuple.of(4, 0), Tuple.of(1, 1)),
                        Arbitraries.frequency(Tuple.of(4, 0), Tuple.of(1, 1)))
                .as((at, which, millis, cents) -> new Draft(
                        at,
                        (settings, earlier) -> earlier.isEmpty()
                                ? Optional.empty()
                                : Optional.of(changed(earlier.get(which % earlier.size()), millis, cents))));
    }

    private static Sale changed(Sale sale, int millis, int cents) {
        BigDecimal amount = sale.amount().signum() > 0
                ? sale.amount().subtract(BigDecimal.valueOf(cents, 2))
                : sale.amount().add(BigDecimal.valueOf(cents, 2));
        return new Sale(sale.store(), sale.id(), sale.time() + millis, amount);
    }

    private static Arbitrary<Step> refused() {
        String sale = "{\"event_id\":\"e1\",\"store_id\":\"A\",\"event_time\":\"2026-07-01T10:00:00Z\",\"amount\":%s}";
        Arbitrary<Step> future = Combinators.combine(
                        stores(),
                        ids(),
                        Arbitraries.longs().between(1, 86_400_000).map(Duration::ofMillis))
                .as((store, id, further) -> new FutureSale(store, id, RunSettings.MAX_FUTURE.plus(further)));
        return Arbitraries.oneOf(
                future,
                Arbitraries.of(
                        new Refused("rubbish", "malformed"),
                        new Refused("", "malformed"),
                        new Refused("{\"event_id\":\"e1\",\"store_id\":\"A\",\"amount\":\"1.00\"}", "malformed"),
                        new Refused(sale.formatted("1.005"), "malformed"),
                        new Refused(sale.formatted("9e30"), "out-of-range")));
    }

    private static Arbitrary<Duration> downtime() {
        return Arbitraries.integers().between(0, 3_600).map(Duration::ofSeconds);
    }

    private static Arbitrary<Integer> quiet() {
        return Arbitraries.frequencyOf(
                Tuple.of(2, Arbitraries.integers().between(1, 40)),
                Tuple.of(1, Arbitraries.integers().between(300, 1_300)));
    }

    /**
     * A time on or near an edge of something.
     *
     * @param window in or after which of the windows in a row
     * @param edge which edge
     * @param offset how far from it, in milliseconds
     */
    private record Moment(int window, Edge edge, int offset) {

        long in(RunSettings settings) {
            Span span = settings.windowing().sample(window);
            long inside = span.start() + (span.end() - span.start()) * (500 + offset) / 1000;
            return switch (edge) {
                case NONE -> inside;
                case START -> span.start() + sign();
                case CLOSING -> span.end() + settings.grace().toMillis() + sign();
                case HORIZON ->
                    span.end() + settings.grace().plus(settings.correctUntil()).toMillis() + sign();
                case FORGETTING -> span.start() + settings.deduplicateFor().toMillis() + sign();
            };
        }

        private int sign() {
            return Integer.signum(offset);
        }
    }

    private enum Edge {
        NONE,
        START,
        CLOSING,
        HORIZON,
        FORGETTING
    }

    private static Arbitrary<Moment> moments() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, WINDOWS - 1),
                        Arbitraries.frequency(
                                Tuple.of(12, Edge.NONE),
                                Tuple.of(6, Edge.START),
                                Tuple.of(4, Edge.CLOSING),
                                Tuple.of(1, Edge.HORIZON),
                                Tuple.of(1, Edge.FORGETTING)),
                        Arbitraries.oneOf(
                                Arbitraries.integers().between(-1, 1),
                                Arbitraries.integers().between(-500, 499)))
                .as(Moment::new);
    }
}
