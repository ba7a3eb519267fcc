package dev.tidemark.common;

/** The two sides of a pair. */
public enum Side {
    LEFT,
    RIGHT;

    /** The opposite side. */
    public Side other() {
        return this == LEFT ? RIGHT : LEFT;
    }
}
