package dev.tidemark.console;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * What freshness costs in a month of 30 days: a stream on a machine that is always on, or a batch that has a machine only
 * while it runs, once a day or as often as readers need.
 *
 * @param price of a machine hour
 * @param freshMinutes how old a number may be
 * @param runMinutes how long one batch runs
 * @param streamHours hours a day that a stream runs
 * @param runsADay batches a day that give this freshness
 * @param stream price of a month of streaming
 * @param micro price of a month of batches as often as needed; null if they would not be over before the next one
 * @param daily price of a month of one batch a day
 * @param advice the cheapest of those that are fresh enough
 */
record Cost(
        BigDecimal price,
        int freshMinutes,
        int runMinutes,
        BigDecimal streamHours,
        int runsADay,
        BigDecimal stream,
        BigDecimal micro,
        BigDecimal daily,
        Advice advice) {

    private static final int DAYS = 30;
    private static final int DAY_MINUTES = 1440;

    /** In order of freshness. */
    enum Advice {
        STREAM,
        MICRO_BATCH,
        BATCH;

        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }

    /** What the form says; null is the usual. */
    record Ask(BigDecimal price, Integer fresh, Integer run, BigDecimal hours) {}

    static Cost of(Ask ask) {
        BigDecimal price = ask.price() == null || ask.price().signum() < 0 ? new BigDecimal("40") : ask.price();
        BigDecimal hours = ask.hours() == null
                ? new BigDecimal("24")
                : ask.hours().max(BigDecimal.ZERO).min(new BigDecimal("24"));
        return of(price, between(ask.fresh(), 5, DAY_MINUTES), between(ask.run(), 20, DAY_MINUTES), hours);
    }

    private static Cost of(BigDecimal price, int fresh, int run, BigDecimal hours) {
        // The numbers of a run are as old as it took, and one period older when those of the next one come.
        int period = fresh - run;
        int runs = (DAY_MINUTES + period - 1) / Math.max(1, period);
        BigDecimal stream = price.multiply(hours).multiply(BigDecimal.valueOf(DAYS));
        BigDecimal daily = ofRuns(price, run, 1);
        BigDecimal micro = run > period ? null : ofRuns(price, run, runs);
        return new Cost(price, fresh, run, hours, runs, stream, micro, daily, advice(fresh, stream, micro, daily));
    }

    private static Advice advice(int fresh, BigDecimal stream, BigDecimal micro, BigDecimal daily) {
        if (fresh >= DAY_MINUTES && daily.compareTo(stream) <= 0) {
            return Advice.BATCH;
        }
        return micro != null && micro.compareTo(stream) < 0 ? Advice.MICRO_BATCH : Advice.STREAM;
    }

    private static BigDecimal ofRuns(BigDecimal price, int minutes, int runsADay) {
        return price.multiply(BigDecimal.valueOf((long) minutes * runsADay * DAYS))
                .divide(BigDecimal.valueOf(60), 2, RoundingMode.HALF_UP);
    }

    private static int between(Integer given, int usual, int most) {
        return given == null ? usual : Math.max(1, Math.min(most, given));
    }
}
