package dev.tidemark.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The ledger as a picture: ribbons from what was received, on the left, to what became of it, one row each on the right;
 * the first one to the records of which nobody knows that, if there are any. A ribbon is as thick as its part of all
 * records; one that would be too thin to be seen is drawn with a least thickness, and one without records is not drawn. All
 * measures are per cent of the picture's width or height.
 */
record Flow(List<Ribbon> ribbons) {

    private static final double LEAST = 0.6;
    private static final double FULL = 100;

    /** @param label that of its part. @param path the outline, as SVG writes it */
    record Ribbon(String label, String path) {}

    static Flow of(Dispositions sides) {
        List<Dispositions.Part> parts = sides.restAndParts();
        double received = sides.received().doubleValue();
        double row = FULL / parts.size();
        List<Ribbon> ribbons = new ArrayList<>();
        double left = 0;
        for (int i = 0; i < parts.size(); i++) {
            double share = received == 0 ? 0 : parts.get(i).count().doubleValue() / received;
            if (share <= 0) {
                continue;
            }
            double leftThick = share * FULL;
            double rightThick = Math.max(LEAST, Math.min(row * 0.8, share * FULL));
            double middle = row * (i + 0.5);
            ribbons.add(new Ribbon(
                    parts.get(i).label(),
                    path(
                            left,
                            left + Math.max(LEAST / 2, leftThick),
                            middle - rightThick / 2,
                            middle + rightThick / 2)));
            left += leftThick;
        }
        return new Flow(ribbons);
    }

    private static String path(double leftTop, double leftBottom, double rightTop, double rightBottom) {
        return String.format(
                Locale.ROOT,
                "M0 %.2fC50 %.2f 50 %.2f 100 %.2fL100 %.2fC50 %.2f 50 %.2f 0 %.2fZ",
                leftTop,
                leftTop,
                rightTop,
                rightTop,
                rightBottom,
                rightBottom,
                leftBottom,
                leftBottom);
    }
}
