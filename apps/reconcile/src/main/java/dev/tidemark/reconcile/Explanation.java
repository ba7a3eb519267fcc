package dev.tidemark.reconcile;

import dev.tidemark.reconcile.Break.Kind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Looks for what explains a difference: a power of ten, one event that is missing, all of them, or events that the input
 * has several times. What it names fits the difference to the last digit; that it is the cause is likely, not certain.
 */
final class Explanation {

    /** So many events are named, and of a window with more than so many only these are looked at. */
    static final int MOST_NAMED = 10;

    static final int MOST_LOOKED_AT = 100_000;

    /** An event of the window. */
    record Candidate(String id, long amount, int times) {}

    private final int scale;

    Explanation(int scale) {
        this.scale = scale;
    }

    /** @param events the events of the window by the input, at most {@link #MOST_LOOKED_AT} */
    Break explain(Break found, List<Candidate> events) {
        if (found.kind() == Kind.UNEXPECTED) {
            return found.explained("the input has no event for it", List.of());
        }
        if (found.kind() == Kind.MISSING
                && (found.published() == null || found.published().version() == 0)) {
            String what = found.published() == null ? "nothing is published" : "it is published as provisional only";
            return found.explained(what + " although the window is closed", named(events.stream()));
        }
        if (found.kind() != Kind.DIFFERENT) {
            return found;
        }
        BigDecimal published = found.published().total();
        BigDecimal recounted = found.recounted().total();
        if (found.published().count() == found.recounted().count() && isPowerOfTen(published, recounted)) {
            return found.explained("the totals differ by a power of ten: see the scale of the amounts", List.of());
        }
        return explain(found, events, recounted.subtract(published));
    }

    private Break explain(Break found, List<Candidate> events, BigDecimal lacks) {
        long lacking = found.recounted().count() - found.published().count();
        if (lacking == 0) {
            return lacks.signum() == 0
                    ? found.explained(
                            "smallest or greatest amount, or end of the window, differ: the row was changed", List.of())
                    : found.explained(
                            "the events are as many, so that none explains it: the row was changed", List.of());
        }
        if (lacks.movePointRight(scale).stripTrailingZeros().scale() > 0) {
            return found.explained("the published total has more decimal places than amounts have", List.of());
        }
        BigInteger units = lacks.movePointRight(scale).toBigInteger();
        if (lacking < 0) {
            return explainSurplus(found, events, -lacking, units.negate());
        }
        List<String> fitting = named(events.stream()
                .filter(event -> BigInteger.valueOf(event.amount()).equals(units)));
        if (lacking == 1 && !fitting.isEmpty()) {
            return found.explained(
                    fitting.size() == 1
                            ? "event " + fitting.get(0) + " is missing"
                            : "one event is missing, of one of the amounts that fit",
                    fitting);
        }
        return found.explained(lacking + (lacking == 1 ? " event is" : " events are") + " missing", List.of());
    }

    private Break explainSurplus(Break found, List<Candidate> events, long surplus, BigInteger units) {
        List<Candidate> repeated =
                events.stream().filter(event -> event.times() > 1).toList();
        List<Candidate> fitting = repeated.stream()
                .filter(event -> surplus < event.times()
                        && BigInteger.valueOf(event.amount())
                                .multiply(BigInteger.valueOf(surplus))
                                .equals(units))
                .toList();
        if (!fitting.isEmpty()) {
            String first = fitting.get(0).id();
            String times = surplus == 1 ? "twice" : (surplus + 1) + " times";
            return found.explained("event " + first + " was counted " + times, named(fitting.stream()));
        }
        BigInteger all = repeated.stream()
                .map(event -> BigInteger.valueOf(event.amount()).multiply(BigInteger.valueOf(event.times() - 1)))
                .reduce(BigInteger.ZERO, BigInteger::add);
        long times = repeated.stream().mapToLong(event -> event.times() - 1).sum();
        if (times == surplus && all.equals(units)) {
            return found.explained("repeated events were counted again", named(repeated.stream()));
        }
        String several = surplus == 1 ? "one event more was counted" : surplus + " events more were counted";
        return found.explained(several + " than the input has, each id once", named(repeated.stream()));
    }

    private static boolean isPowerOfTen(BigDecimal one, BigDecimal other) {
        if (one.signum() == 0 || one.signum() != other.signum() || one.compareTo(other) == 0) {
            return false;
        }
        return one.stripTrailingZeros()
                .unscaledValue()
                .equals(other.stripTrailingZeros().unscaledValue());
    }

    private static List<String> named(Stream<Candidate> events) {
        return new ArrayList<>(events.limit(MOST_NAMED).map(Candidate::id).toList());
    }
}
