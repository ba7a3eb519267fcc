package dev.tidemark.common;

/**
 * An event that came when some or all of its windows had been closed, and that corrects them.
 *
 * @param event the event
 * @param streamTime the clock's time when it came, in epoch milliseconds
 * @param lastClosed start of the last window that was closed then, in epoch milliseconds
 * @param starts starts of the closed windows within the correction horizon, in epoch milliseconds, earliest first; at
 *     least one. Not to be modified
 * @param partly whether others of its windows were open, so that it is counted in those
 */
public record LateEvent(Event event, long streamTime, long lastClosed, long[] starts, boolean partly) implements Item {}
