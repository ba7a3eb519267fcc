package dev.tidemark.reconcile;

/**
 * What was read of an input.
 *
 * @param records how many records
 * @param duplicates events that were there before
 * @param conflicting events whose id was there before with other content
 * @param refused what is no event, or one that breaks a rule by itself
 * @param complete whether it was read from its very beginning
 */
record LogCounts(long records, long duplicates, long conflicting, long refused, boolean complete) {

    static final LogCounts NONE = new LogCounts(0, 0, 0, 0, false);
}
