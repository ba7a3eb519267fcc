package dev.tidemark.common;

/**
 * Where an input record lies in the log.
 *
 * @param topic the input topic
 * @param partition the source partition
 * @param offset the record's offset
 */
public record Origin(String topic, int partition, long offset) {}
