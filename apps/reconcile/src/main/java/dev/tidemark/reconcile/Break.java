package dev.tidemark.reconcile;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Something that is not published as recounted.
 *
 * @param kind what is wrong
 * @param subject what it is about
 * @param published what is published; null if nothing is
 * @param recounted what should be; null if the input has nothing for it
 * @param explanation what can be said about the difference; empty before it was looked into
 * @param eventIds the events that explain it
 * @param corrected whether the app was asked to publish what was recounted
 */
record Break(
        Kind kind,
        Subject subject,
        Numbers published,
        Numbers recounted,
        String explanation,
        List<String> eventIds,
        boolean corrected) {

    /** What is wrong. */
    enum Kind {
        DIFFERENT,
        MISSING,
        UNEXPECTED,
        /** A version is not there although a higher one is; the numbers may agree. */
        VERSION_MISSING,
        LEDGER;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * What a break is about.
     *
     * @param key key of the window or pair, or null
     * @param time start of the window or time of the pair in epoch milliseconds, or null
     * @param leftId left event of a pair; null for totals
     * @param rightId right event of a pair; null for totals
     */
    record Subject(String key, Long time, String leftId, String rightId) {

        static Subject of(WindowKey window) {
            return new Subject(window.key(), window.start(), null, null);
        }

        WindowKey window() {
            return new WindowKey(key, time);
        }
    }

    /**
     * What one side says.
     *
     * @param version the published version; null of a recount
     * @param total the total, or null where there is none
     * @param count how many events
     */
    record Numbers(Integer version, BigDecimal total, long count) {}

    static Break of(Kind kind, Subject subject, Numbers published, Numbers recounted) {
        return new Break(kind, subject, published, recounted, "", List.of(), false);
    }

    /** Whether it is about what was published then. A ledger, and the order of versions, are wrong whatever the numbers are. */
    boolean isAbout(Numbers publishedThen) {
        return kind == Kind.LEDGER || kind == Kind.VERSION_MISSING || Objects.equals(published, publishedThen);
    }

    Break explained(String why, List<String> ids) {
        return new Break(kind, subject, published, recounted, why, ids, corrected);
    }

    Break requested() {
        return new Break(kind, subject, published, recounted, explanation, eventIds, true);
    }
}
