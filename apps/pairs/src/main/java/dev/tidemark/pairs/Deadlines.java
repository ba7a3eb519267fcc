package dev.tidemark.pairs;

import dev.tidemark.common.Event;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Side;
import dev.tidemark.common.Within;
import java.time.Duration;

/**
 * Until when an event is waited for, and remembered. A deadline is the start of a window of the clock: it has passed when
 * that window is closed.
 *
 * @param windows the windows that the clock closes
 * @param within the time distance within which events belong together
 * @param correctUntil how long events without a partner are remembered, or the span if that is longer
 */
record Deadlines(EventWindows windows, Within within, Duration correctUntil) {

    /** When the last possible partner of the event would be late: without one by then, it is unmatched. */
    long unmatched(Side side, Event event) {
        return windows.lastStartOf(event.time() + within.later(side).toMillis());
    }

    /**
     * When the last event that this one may complete is unmatched. Before that the join finds its partners; after that
     * all of them are either matched or remembered.
     */
    long outOfJoin(Event event) {
        return windows.lastStartOf(event.time() + within.span().toMillis());
    }

    /** When an event without a partner is forgotten: not while the join may still find it for an event that is late. */
    long forgotten(Event event) {
        long span = within.span().toMillis();
        return windows.lastStartOf(event.time() + span + Math.max(span, correctUntil.toMillis()));
    }

    /** Whether a late event may have partners that are still waited for. */
    boolean isJoinable(LateEvent late) {
        return outOfJoin(late.event()) > late.lastClosed();
    }
}
