package dev.tidemark.reconcile;

import java.math.BigDecimal;
import java.util.Objects;

/**
 * The latest published version of a window, and whether the ones before it are all there. Times are epoch milliseconds.
 *
 * @param window key and start
 * @param end end of the window
 * @param version the latest version
 * @param total its total
 * @param count its number of events
 * @param minimum its smallest amount, or null
 * @param maximum its greatest amount, or null
 * @param settings fingerprint of the settings that it was published with
 * @param flaw what is wrong with its versions, in words; null if nothing is
 */
record PublishedWindow(
        WindowKey window,
        long end,
        int version,
        BigDecimal total,
        long count,
        BigDecimal minimum,
        BigDecimal maximum,
        String settings,
        String flaw) {

    private static final int FIRST_CORRECTION = 2;
    private static final String RECOUNT = "recount";

    /**
     * A row of the table.
     *
     * @param previousTotal what the version before said; null below version 2
     * @param causeCount how many events led to it; null if unknown
     * @param reason why it was corrected; null below version 2
     */
    record Version(
            WindowKey window,
            long end,
            int version,
            BigDecimal total,
            long count,
            BigDecimal minimum,
            BigDecimal maximum,
            String settings,
            BigDecimal previousTotal,
            Long causeCount,
            String reason) {}

    /** @param row the first row of the window, by version */
    static PublishedWindow of(Version row) {
        boolean lacksOthers = row.version() > 1 && !startsWith(row) && !restates(row);
        return of(row, lacksOthers ? "version " + (row.version() - 1) + " is not there" : null);
    }

    /** @param row the next row of the window */
    PublishedWindow then(Version row) {
        if (restates(row)) {
            return of(row, null);
        }
        if (flaw != null) {
            return of(row, flaw);
        }
        if (version == 0) {
            return of(row);
        }
        if (row.version() != version + 1) {
            return of(row, "version " + (version + 1) + " is not there");
        }
        boolean follows = row.previousTotal() != null && row.previousTotal().compareTo(total) == 0;
        return of(row, follows ? null : "version " + row.version() + " does not go on from version " + version);
    }

    /** A recount that has changed nothing has shown that the table had lost or changed versions before. */
    private static boolean restates(Version row) {
        return RECOUNT.equals(row.reason())
                && row.previousTotal() != null
                && row.previousTotal().compareTo(row.total()) == 0;
    }

    /** A window whose events were all late has no final; a window that nothing was known of may be recounted. */
    private static boolean startsWith(Version row) {
        return row.version() == FIRST_CORRECTION
                && row.previousTotal() != null
                && row.previousTotal().signum() == 0
                && (Objects.equals(row.causeCount(), row.count()) || row.causeCount() == null);
    }

    private static PublishedWindow of(Version row, String flaw) {
        return new PublishedWindow(
                row.window(),
                row.end(),
                row.version(),
                row.total(),
                row.count(),
                row.minimum(),
                row.maximum(),
                row.settings(),
                flaw);
    }

    boolean isFinal() {
        return version > 0;
    }
}
