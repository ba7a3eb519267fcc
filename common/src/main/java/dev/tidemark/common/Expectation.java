package dev.tidemark.common;

import java.util.Locale;

/** How many partners an event should have; what breaks it is paired all the same, and noted. */
public enum Expectation {
    /** Each event has at most one partner. */
    ONE_TO_ONE,
    /** A right event has at most one partner, a left one any number. */
    ONE_TO_MANY,
    /** Nothing is expected. */
    MANY_TO_MANY;

    /** Whether an event of the side has at most one partner. */
    public boolean isLimited(Side side) {
        return this == ONE_TO_ONE || this == ONE_TO_MANY && side == Side.RIGHT;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
