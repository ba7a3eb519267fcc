package dev.tidemark.reconcile;

/**
 * A piece of a partition.
 *
 * @param begin offset of the first record
 * @param end offset behind the last record
 */
record Range(long begin, long end) {

    long size() {
        return end - begin;
    }
}
