package dev.tidemark.pairs;

import dev.tidemark.common.PairsProperties;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Says what one task owes for orders and payments in the order of their arrival, by comparing each event with each other.
 * It shares no code with the app. All times are milliseconds; a moment is closed when the clock has passed the end of its
 * second by the grace.
 */
final class PairsOracle {

    private static final long NEVER = Long.MAX_VALUE;

    private final long before;
    private final long after;
    private final long grace;
    private final long correctUntil;
    private final List<Known> known = new ArrayList<>();
    private final Map<Boolean, Long> sources = new HashMap<>();
    private final Map<String, Integer> expected = new TreeMap<>();
    /** Pairs that the join may still know of, though it need not. */
    private final Map<String, Integer> possible = new TreeMap<>();

    private final List<Doubt> doubts = new ArrayList<>();
    private final Map<String, String> exceptions = new TreeMap<>();
    private long clock = -1;

    PairsOracle(PairsProperties settings) {
        before = settings.within().before().toMillis();
        after = settings.within().after().toMillis();
        grace = settings.grace().toMillis();
        correctUntil = settings.correctUntil().toMillis();
    }

    private static final class Known {
        private final Sent event;
        private final boolean inJoin;
        private boolean matched;
        private boolean published;

        Known(Sent event, boolean inJoin) {
            this.event = event;
            this.inJoin = inJoin;
        }
    }

    /** An event that is unmatched unless the join still knows one of its forgotten partners. */
    private record Doubt(Known event, List<String> pairs) {}

    void arrives(Sent event) {
        long span = before + after;
        if (isClosed(event.time()) && clock - grace >= secondAfter(event.time()) + span + correctUntil) {
            exceptions.put(event.place(), "too-late");
            advance(event);
            return;
        }
        boolean late = isClosed(event.time());
        Known arrived = new Known(event, !isClosed(event.time() + span));
        boolean completes = false;
        List<String> maybe = new ArrayList<>();
        for (Known other : known) {
            if (!belong(event, other.event)) {
                continue;
            }
            boolean remembered = other.published || !other.inJoin;
            if (remembered && !isClosed(other.event.time() + span + Math.max(span, correctUntil))) {
                expected.put(pair(event, other.event), 2);
                completes = true;
            } else if (arrived.inJoin && other.inJoin && !isClosed(other.event.time() + span)) {
                expected.put(pair(event, other.event), 1);
                arrived.matched = true;
                other.matched = true;
            } else if (arrived.inJoin && other.inJoin) {
                maybe.add(pair(event, other.event));
            }
        }
        maybe.forEach(pair -> possible.put(pair, 1));
        known.add(arrived);
        boolean alone = late && isClosed(event.time() + wait(event));
        if (completes) {
            exceptions.put(event.place(), "late");
            arrived.matched = true;
        } else if (alone && !arrived.matched) {
            if (maybe.isEmpty()) {
                publish(arrived);
                exceptions.put(event.place(), "late");
            } else {
                doubts.add(new Doubt(arrived, maybe));
            }
        }
        advance(event);
    }

    /** Both inputs have ended. */
    void end() {
        clock = NEVER;
        declare();
    }

    private void advance(Sent event) {
        sources.merge(event.isLeft(), event.time(), Math::max);
        if (sources.size() == 2) {
            clock = Math.max(clock, Math.min(sources.get(true), sources.get(false)));
        }
        declare();
    }

    private void declare() {
        for (Known waiting : known) {
            if (waiting.inJoin
                    && !waiting.matched
                    && !waiting.published
                    && isClosed(waiting.event.time() + wait(waiting.event))
                    && doubts.stream().noneMatch(doubt -> doubt.event == waiting)) {
                publish(waiting);
            }
        }
    }

    private void publish(Known alone) {
        alone.published = true;
        expected.put(alone.event.isLeft() ? alone.event.id() + " -" : "- " + alone.event.id(), 1);
    }

    private long wait(Sent event) {
        return event.isLeft() ? after : before;
    }

    private boolean isClosed(long moment) {
        return clock == NEVER || clock >= 0 && clock - grace >= secondAfter(moment);
    }

    private static long secondAfter(long moment) {
        return (moment / 1000 + 1) * 1000;
    }

    private boolean belong(Sent one, Sent other) {
        if (one.isLeft() == other.isLeft() || !one.key().equals(other.key())) {
            return false;
        }
        long distance = one.isLeft() ? other.time() - one.time() : one.time() - other.time();
        return distance >= -before && distance <= after;
    }

    private static String pair(Sent one, Sent other) {
        return one.isLeft() ? one.id() + " " + other.id() : other.id() + " " + one.id();
    }

    /** The rows that are owed, with those that may be there if they are. */
    Map<String, Integer> expected(Map<String, Integer> published) {
        Map<String, Integer> all = new TreeMap<>(expected);
        possible.forEach((pair, version) -> {
            if (published.containsKey(pair)) {
                all.put(pair, version);
            }
        });
        return all;
    }

    Map<String, String> exceptions() {
        return exceptions;
    }

    /** Whether the run depends on what the join need not know, so that it says nothing. */
    boolean isInDoubt() {
        return !doubts.isEmpty();
    }
}
