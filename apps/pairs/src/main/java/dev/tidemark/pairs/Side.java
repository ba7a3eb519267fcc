package dev.tidemark.pairs;

/** The two sides of a pair. */
enum Side {
    LEFT,
    RIGHT;

    Side other() {
        return this == LEFT ? RIGHT : LEFT;
    }
}
