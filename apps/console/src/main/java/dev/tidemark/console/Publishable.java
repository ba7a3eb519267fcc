package dev.tidemark.console;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether a day of a pipeline may be published.
 *
 * @param pipeline the pipeline
 * @param day the day
 * @param zone the zone in which it is a day
 * @param windows windows of the day
 * @param lateMoney what came late, without signs; null: the pipeline has no amounts
 * @param budget how much of it is allowed; null: any
 * @param checks all that was looked at
 */
record Publishable(
        String pipeline,
        LocalDate day,
        ZoneId zone,
        long windows,
        BigDecimal lateMoney,
        BigDecimal budget,
        List<Check> checks) {

    /** What is looked at, in this order. */
    enum Kind {
        HAS_WINDOWS,
        IS_OVER,
        ALL_FINAL,
        LEDGER_BALANCED,
        NOTHING_REFUSED,
        NO_BREAK,
        LATE_MONEY;

        /** Its name in messages and JSON, for example {@code all-final}. */
        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * Something that is missing.
     *
     * @param breakKind of a break, its kind, which pages say in the reader's language; else null
     * @param what its name, or null
     * @param time the time that it is about, or null
     */
    record Example(String breakKind, String what, Instant time) {

        Example(String what, Instant time) {
            this(null, what, time);
        }

        static Example of(String what) {
            return new Example(what, null);
        }

        @Override
        public String toString() {
            return Stream.of(breakKind, what, time)
                    .filter(Objects::nonNull)
                    .map(Object::toString)
                    .collect(Collectors.joining(" "));
        }
    }

    /**
     * @param met whether it does not stand against publishing
     * @param known false if it could not be looked at, for want of a table or a setting; then it does not stand against it
     * @param found what was found, for the text: counts, amounts, or names
     * @param examples what is missing, at most ten
     */
    record Check(Kind kind, boolean met, boolean known, List<String> found, List<Example> examples) {

        static Check of(Kind kind, boolean met, Object... found) {
            return new Check(kind, met, true, texts(found), List.of());
        }

        static Check unknown(Kind kind) {
            return new Check(kind, true, false, List.of(), List.of());
        }

        Check with(List<Example> examples) {
            return new Check(kind, met, known, found, examples);
        }

        private static List<String> texts(Object... found) {
            return java.util.Arrays.stream(found)
                    .map(value -> value instanceof BigDecimal decimal ? decimal.toPlainString() : String.valueOf(value))
                    .toList();
        }
    }

    /** Yes or no. */
    public boolean isYes() {
        return checks.stream().allMatch(Check::met);
    }

    public List<Check> missing() {
        return checks.stream().filter(check -> !check.met()).toList();
    }
}
