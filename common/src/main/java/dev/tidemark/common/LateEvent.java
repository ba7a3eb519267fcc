package dev.tidemark.common;

/**
 * An event that came when its window had been closed.
 *
 * @param event the event
 * @param streamTime the clock's time when it came, in epoch milliseconds
 */
public record LateEvent(Event event, long streamTime) implements Item {}
