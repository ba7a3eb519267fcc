package dev.tidemark.enrich;

/**
 * A record of the table that a test sent.
 *
 * @param key the customer
 * @param time from when on, in epoch milliseconds
 * @param plan what it says; null: deleted
 * @param place topic, partition and offset
 */
record Update(String key, long time, String plan, String place) {}
