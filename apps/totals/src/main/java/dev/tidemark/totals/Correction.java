package dev.tidemark.totals;

import dev.tidemark.common.Outcome;

/**
 * What a late event led to.
 *
 * @param row the new version of its window
 * @param outcome what became of the event
 */
record Correction(TotalRow row, Outcome outcome) {}
