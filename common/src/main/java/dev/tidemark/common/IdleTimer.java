package dev.tidemark.common;

import java.time.Duration;

/**
 * Tells for how long a source partition has been without events. All times are milliseconds of the task's wall time. It
 * starts anew with every start of the app and is never persisted.
 *
 * <p>Only wall time in which this process ran counts: a gap between two checks, because the process was frozen or a
 * commit was blocked, says nothing about the input.
 */
final class IdleTimer {

    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(50);
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(1);

    private final long idleAfter;
    private final Duration interval;
    private long lastEvent;
    private long lastCheck;

    IdleTimer(long idleAfter) {
        this.idleAfter = idleAfter;
        long quarter = idleAfter / 4;
        this.interval = Duration.ofMillis(
                Math.min(LONGEST_INTERVAL.toMillis(), Math.max(SHORTEST_INTERVAL.toMillis(), quarter)));
    }

    /** How often {@link #check} is to be called. */
    Duration interval() {
        return interval;
    }

    void start(long now) {
        lastCheck = now;
        lastEvent = now;
    }

    void sawEvent(long now) {
        lastEvent = now;
    }

    /** The time since the last event, or 0 while the source partition is not idle. */
    long check(long now) {
        long gap = now - lastCheck - interval.toMillis();
        if (gap > interval.toMillis()) {
            lastEvent += gap;
        }
        lastCheck = now;
        return now - lastEvent < idleAfter ? 0 : now - lastEvent;
    }
}
