package dev.tidemark.profiles;

import dev.tidemark.common.Event;
import dev.tidemark.common.Outcome;

/** What the clock says, as the operators behind it need it. Times are epoch milliseconds. */
sealed interface Arrival {

    /**
     * An event that counts.
     *
     * @param late whether it came more than the grace behind the clock
     * @param over whether a session of it alone would be finished already
     * @param streamTime the clock's time when it came, in whole seconds
     */
    record Came(Event event, boolean late, boolean over, long streamTime) implements Arrival {}

    /** A day of the key has ended. */
    record Turned(long streamTime) implements Arrival {}

    /**
     * Time has come so far; under the key of ticks.
     *
     * @param ended whether the input has ended, so that every session is finished
     */
    record Ticked(long streamTime, boolean ended) implements Arrival {}

    /** What became of a record that does not count. */
    record Settled(Outcome outcome) implements Arrival {}
}
