package dev.tidemark.enrich;

/**
 * An event that a test sent.
 *
 * @param id its id
 * @param key the customer
 * @param time when it happened, in epoch milliseconds
 * @param place topic, partition and offset
 */
record Activity(String id, String key, long time, String place) {}
