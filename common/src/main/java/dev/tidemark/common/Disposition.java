package dev.tidemark.common;

import java.util.Locale;

/** What became of an input record; each record gets exactly one. */
public enum Disposition {
    /** All of its windows were open: it is part of their first final. */
    COUNTED,
    /** Some of its windows were open, the others were corrected. */
    PARTLY_LATE,
    /** None of its windows was open; they were corrected. */
    LATE,
    /** It came after the correction horizon of its windows and changed nothing. */
    TOO_LATE,
    /** The same event had been accepted before. */
    DUPLICATE,
    /** Another event with the same id had been accepted before. */
    CONFLICTING,
    /** Its event time lies too far beyond its arrival time. */
    FUTURE,
    /** It could not be read as an event. */
    MALFORMED,
    /** Its amount would overflow a total. */
    OUT_OF_RANGE;

    private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** The name used in topics, tables and metrics, for example {@code partly-late}. */
    public String label() {
        return label;
    }

    /** Whether the reader alone decides it, before anything with state has seen the record. */
    public boolean isRefusal() {
        return this == FUTURE || this == MALFORMED || this == OUT_OF_RANGE;
    }
}
