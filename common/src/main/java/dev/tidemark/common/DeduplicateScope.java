package dev.tidemark.common;

/** Within what an event id stands for one event only. */
public enum DeduplicateScope {
    /** Within a key: the same id under another key is another event. */
    KEY,
    /** Within all events that a task sees: the same id under another key is a conflict. */
    GLOBAL
}
