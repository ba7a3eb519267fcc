package dev.tidemark.common;

/**
 * An event that came when its window had been closed.
 *
 * @param event the event
 * @param streamTime the clock's time when it came, in epoch milliseconds
 * @param lastClosed start of the last window that was closed then, in epoch milliseconds
 */
public record LateEvent(Event event, long streamTime, long lastClosed) implements Item {}
