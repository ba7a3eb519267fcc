package dev.tidemark.demo;

/**
 * A record that a simulated café sends.
 *
 * @param time when it is sent, in epoch milliseconds of simulated time
 * @param topic where to
 * @param key the key of the record
 * @param value the JSON of an event, or what is left of it
 */
record Sending(long time, String topic, String key, String value) {}
