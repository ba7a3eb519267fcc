package dev.tidemark.common;

/** Among which events an id is unique. */
public enum DeduplicateScope {
    /** Among the events of a key; the same id under another key is another event. */
    KEY,
    /** Among all events of the input; the same id under another key is conflicting. */
    GLOBAL
}
