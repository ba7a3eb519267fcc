package dev.tidemark.reconcile;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;

/**
 * A span of event time: the windows that start in {@code [from, to)}.
 *
 * @param from in epoch milliseconds; {@link Long#MIN_VALUE}: from the first one
 * @param to in epoch milliseconds; {@link Long#MAX_VALUE}: to the last one
 */
record Span(long from, long to) {

    static final Span ALL = new Span(Long.MIN_VALUE, Long.MAX_VALUE);

    Span {
        if (from >= to) {
            throw new IllegalArgumentException("--from must be before --to");
        }
    }

    /**
     * Reads what a user writes: a date, {@code 2026-07-01}, which begins at midnight in the zone, or a time with its
     * offset, {@code 2026-07-01T10:00:00Z}.
     *
     * @param from null: from the first one
     * @param to null: to the last one
     */
    static Span parse(String from, String to, ZoneId zone) {
        return new Span(
                from == null ? Long.MIN_VALUE : time("from", from, zone),
                to == null ? Long.MAX_VALUE : time("to", to, zone));
    }

    private static long time(String option, String text, ZoneId zone) {
        try {
            Instant time = text.indexOf('T') < 0
                    ? LocalDate.parse(text).atStartOfDay(zone).toInstant()
                    : OffsetDateTime.parse(text).toInstant();
            return time.toEpochMilli();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "--" + option + " is " + text + "; it needs a date, 2026-07-01, or a time, 2026-07-01T10:00:00Z",
                    e);
        }
    }

    boolean contains(long start) {
        return start >= from && start < to;
    }

    boolean hasStart() {
        return from != Long.MIN_VALUE;
    }

    boolean hasEnd() {
        return to != Long.MAX_VALUE;
    }

    @Override
    public String toString() {
        return (hasStart() ? "from " + Instant.ofEpochMilli(from) : "from the beginning")
                + (hasEnd() ? " to " + Instant.ofEpochMilli(to) : " to the end");
    }
}
