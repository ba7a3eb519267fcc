package dev.tidemark.demo;

import java.util.Locale;

/**
 * How many events of a pipeline's last day have found each other.
 *
 * @param pipeline the pipeline
 * @param matched current pairs
 * @param corrected how many of them replaced an unmatched event
 * @param leftUnmatched left events without a right one
 * @param rightUnmatched right events without a left one
 */
record PairCounts(String pipeline, long matched, long corrected, long leftUnmatched, long rightUnmatched) {

    /** The matched ones of all, for example {@code 93.1 %}; empty if there are none. */
    String share() {
        long all = matched + leftUnmatched + rightUnmatched;
        return all == 0 ? "" : String.format(Locale.ROOT, "%.1f %%", 100.0 * matched / all);
    }
}
