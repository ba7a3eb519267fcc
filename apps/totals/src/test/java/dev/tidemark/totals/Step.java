package dev.tidemark.totals;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;

/** What happens next in a {@link Run}. */
sealed interface Step {

    /** A step that appends a record to the input. */
    sealed interface Input extends Step {

        /** The record's value; null says that the input is complete. */
        String value(Instant arrival);
    }

    /**
     * A record that can be read as an event.
     *
     * @param store what it is grouped by
     * @param id the event id
     * @param time event time in epoch milliseconds
     * @param amount the amount, with two decimal places
     */
    record Sale(String store, String id, long time, BigDecimal amount) implements Input {

        @Override
        public String value(Instant arrival) {
            return json(store, id, Instant.ofEpochMilli(time), amount.toPlainString());
        }

        @Override
        public String toString() {
            return "sale " + id + " of store " + store + " at " + Instant.ofEpochMilli(time) + ": " + amount;
        }
    }

    /**
     * A sale whose time lies beyond its arrival by more than is allowed.
     *
     * @param store what it is grouped by
     * @param id the event id
     * @param beyond how far it lies beyond its arrival
     */
    record FutureSale(String store, String id, Duration beyond) implements Input {

        @Override
        public String value(Instant arrival) {
            return json(store, id, arrival.plus(beyond), "1.00");
        }

        @Override
        public String toString() {
            return "sale " + id + " of store " + store + " of the future, " + beyond.toMillis()
                    + " ms beyond its arrival";
        }
    }

    /**
     * A record that is refused by its content alone.
     *
     * @param text its value
     * @param disposition what becomes of it
     */
    record Refused(String text, String disposition) implements Input {

        @Override
        public String value(Instant arrival) {
            return text;
        }

        @Override
        public String toString() {
            return disposition + " record: " + text;
        }
    }

    /** The control record that says that the input is complete. */
    record EndOfInput() implements Input {

        @Override
        public String value(Instant arrival) {
            return null;
        }

        @Override
        public String toString() {
            return "end of input";
        }
    }

    /** A commit. */
    record Commit() implements Step {

        @Override
        public String toString() {
            return "commit";
        }
    }

    /**
     * A clean stop, which commits, and a new start.
     *
     * @param downtime wall time in between
     */
    record Restart(Duration downtime) implements Step {

        @Override
        public String toString() {
            return "commit, stop for " + downtime.toSeconds() + " s, start";
        }
    }

    /**
     * A kill and a new start, which reads again what came since the last commit.
     *
     * @param downtime wall time in between
     */
    record Crash(Duration downtime) implements Step {

        @Override
        public String toString() {
            return "killed, start after " + downtime.toSeconds() + " s";
        }
    }

    /**
     * Wall time without input.
     *
     * @param seconds how long
     */
    record Quiet(int seconds) implements Step {

        @Override
        public String toString() {
            return "quiet for " + seconds + " s";
        }
    }

    /**
     * Wall time in which the process does not run.
     *
     * @param seconds how long
     */
    record Frozen(int seconds) implements Step {

        @Override
        public String toString() {
            return "frozen for " + seconds + " s";
        }
    }

    private static String json(String store, String id, Instant time, String amount) {
        return "{\"event_id\":\"%s\",\"store_id\":\"%s\",\"event_time\":\"%s\",\"amount\":\"%s\"}"
                .formatted(id, store, time, amount);
    }
}
