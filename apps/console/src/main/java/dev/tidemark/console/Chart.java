package dev.tidemark.console;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * A chart for the page's script. Positions are approximations; all that is read, ticks included, is text made here, so
 * that no digit of an amount passes through a JavaScript number.
 *
 * @param kind {@code bars} or {@code line}
 * @param labels what each point is called
 * @param ticks which points have their label at the axis, by their index
 * @param series the values
 * @param heights where the vertical axis has which label
 */
record Chart(String kind, List<String> labels, List<Integer> ticks, List<Series> series, List<Height> heights) {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int TICKS = 6;
    private static final int HEIGHTS = 4;

    /** @param values positions; null is a gap. @param texts the same values with all their digits */
    record Series(String name, String style, List<Double> values, List<String> texts) {}

    record Height(double value, String text) {}

    /** What the axis has to reach: the least value, at most 0, and the greatest, at least 0. */
    record Reach(BigDecimal bottom, BigDecimal top) {

        static Reach upTo(BigDecimal top) {
            return new Reach(BigDecimal.ZERO, top);
        }
    }

    static Chart of(String kind, List<String> labels, List<Series> series, Reach reach, Show show) {
        List<Integer> ticks = new ArrayList<>();
        int step = Math.max(1, (int) Math.ceil(labels.size() / (double) TICKS));
        for (int i = 0; i < labels.size(); i += step) {
            ticks.add(i);
        }
        return new Chart(kind, labels, ticks, series, heights(reach, show));
    }

    /** For the attribute that the script reads. */
    public String json() {
        return JSON.writeValueAsString(this);
    }

    private static List<Height> heights(Reach reach, Show show) {
        List<Height> heights = new ArrayList<>();
        BigDecimal length = reach.top().subtract(reach.bottom());
        if (length.signum() == 0) {
            return List.of(new Height(0, "0"));
        }
        BigDecimal step = niceStep(length);
        BigDecimal first = reach.bottom().divide(step, 0, RoundingMode.FLOOR).multiply(step);
        for (BigDecimal at = first; at.compareTo(reach.top().add(step)) < 0; at = at.add(step)) {
            BigDecimal plain = at.stripTrailingZeros();
            heights.add(new Height(at.doubleValue(), show.number(plain.scale() < 0 ? plain.setScale(0) : plain)));
        }
        return heights;
    }

    /** 1, 2 or 5 times a power of ten, so that some steps reach the top. */
    private static BigDecimal niceStep(BigDecimal top) {
        BigDecimal rough = top.divide(BigDecimal.valueOf(HEIGHTS), MathContext.DECIMAL64);
        int exponent = rough.precision() - rough.scale() - 1;
        BigDecimal unit = BigDecimal.ONE.scaleByPowerOfTen(exponent);
        int first = rough.divide(unit, 0, RoundingMode.CEILING).intValueExact();
        int nice = first <= 1 ? 1 : first <= 2 ? 2 : first <= 5 ? 5 : 10;
        return unit.multiply(BigDecimal.valueOf(nice));
    }
}
