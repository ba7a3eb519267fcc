package dev.tidemark.reconcile;

import dev.tidemark.common.ExactSum;
import java.math.BigDecimal;

/** What became of windows and events, published or replayed. Not thread-safe. */
final class ReplayCounts {

    /** Windows with a final. */
    long finals;
    /** Windows with events that are open in the end. */
    long open;
    /** Versions that came after the finals. */
    long corrections;
    /** Events that came too late for some or all of their windows and corrected them. */
    long late;
    /** Events that came too late for anything. */
    long tooLate;
    /** What the late events add up to. */
    BigDecimal lateAmount = BigDecimal.ZERO;
    /** What the events add up to that came too late for anything. */
    BigDecimal tooLateAmount = BigDecimal.ZERO;
    /** How far stream time was behind the ends of the windows with their finals, on average, in milliseconds. */
    double meanDelay;
    /** The same, at most. */
    long maxDelay;

    private ExactSum lateSum = ExactSum.ZERO;
    private ExactSum tooLateSum = ExactSum.ZERO;
    private double delays;
    private long timed;

    void late(long amount) {
        late++;
        lateSum = lateSum.plus(amount);
    }

    void tooLate(long amount) {
        tooLate++;
        tooLateSum = tooLateSum.plus(amount);
    }

    /** A window was closed by time. */
    void closed(long delay) {
        delays += delay;
        timed++;
        maxDelay = Math.max(maxDelay, delay);
    }

    /** To be called once, when all is counted. */
    ReplayCounts complete(int scale) {
        lateAmount = lateSum.toDecimal(scale);
        tooLateAmount = tooLateSum.toDecimal(scale);
        meanDelay = timed == 0 ? 0 : delays / timed;
        return this;
    }
}
