package dev.tidemark.reconcile;

import dev.tidemark.common.EventWindows;
import dev.tidemark.reconcile.PublishedTotals.Excuse;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.function.LongPredicate;

/** What the pipeline says that it has not counted, by window: events that were too late, and those that wait. */
final class Excuses {

    private final EventWindows windows;
    private final Span span;
    private final int scale;
    private final StreamTimes times;

    /** @param times how far the input is */
    Excuses(EventWindows windows, Span span, int scale, StreamTimes times) {
        this.times = times;
        this.windows = windows;
        this.span = span;
        this.scale = scale;
    }

    void addTo(WindowSums sums, PublishedTotals published, boolean overlapping, boolean gathering) {
        published.excuses(span, overlapping, gathering, excuse -> add(excuse, sums));
    }

    private void add(Excuse excuse, WindowSums sums) {
        BigDecimal units = excuse.amount().movePointRight(scale);
        if (units.stripTrailingZeros().scale() > 0 || units.toBigInteger().bitLength() > 63) {
            return; // It was published with another scale, and explains nothing.
        }
        LongPredicate isLeftOut = start -> excuse.tooLate()
                || excuse.firstCorrected() != null
                        && (start < excuse.firstCorrected()
                                || excuse.pending() && times.mayWait(excuse.partition(), excuse.offset()));
        Arrays.stream(windows.startsOf(excuse.time()))
                .filter(span::contains)
                .filter(isLeftOut)
                .forEach(start ->
                        sums.add(new WindowKey(excuse.key(), start), units.longValueExact(), excuse.partition()));
    }
}
