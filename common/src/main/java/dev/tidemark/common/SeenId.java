package dev.tidemark.common;

/**
 * What is kept of an event to recognise its repetition.
 *
 * @param high first half of the 128 bits of hash that stand for the event's identity
 * @param low second half
 * @param content 64 bits that stand for what a repetition has to have in common
 * @param partition source partition, below 2<sup>20</sup>
 * @param offset offset there, below 2<sup>44</sup>
 */
record SeenId(long high, long low, long content, int partition, long offset) {}
