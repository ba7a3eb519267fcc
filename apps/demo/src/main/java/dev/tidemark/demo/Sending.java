package dev.tidemark.demo;

/**
 * A record that a simulated café sends.
 *
 * @param time when it is sent, in epoch milliseconds of simulated time
 * @param key the store id
 * @param value the JSON of a sale, or what is left of it
 */
record Sending(long time, String key, String value) {}
