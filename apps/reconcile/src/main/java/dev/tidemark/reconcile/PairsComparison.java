package dev.tidemark.reconcile;

import dev.tidemark.reconcile.Break.Kind;
import dev.tidemark.reconcile.Break.Numbers;
import dev.tidemark.reconcile.Break.Subject;
import dev.tidemark.reconcile.Pair.Times;
import dev.tidemark.reconcile.PublishedPairs.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Compares pairs by the input with current rows, both in the order of {@link Pair}, each passing once.
 *
 * <p>A pair is due when time has come to its events, and an event without a partner when none can come any more: by the
 * times of the input, or by what is published of others. What is not due and not published is left undecided.
 */
final class PairsComparison {

    private static final int MOST_WAITING = 200_000;

    private final Due due;
    private final ToLongFunction<Times> deadline;
    private final Predicate<Pair> mayHaveMissed;
    private final Tally tally;
    private final List<Waiting> waiting = new ArrayList<>();
    /** How far the published rows show that time has come, by clock. */
    private final Map<Integer, Long> reached = new HashMap<>();
    /** Until when the published rows show that partners are not waited for, by clock. */
    private final Map<Integer, Long> closed = new HashMap<>();

    /** Whether the times of the input have come to a time, or have passed it by the grace. */
    interface Due {
        boolean isReached(int partition, long time);

        boolean isClosed(int partition, long end);

        /** Which clock serves events of a source partition; null if that cannot be said. */
        Integer clockOf(int partition);
    }

    private record Waiting(Pair pair, Times times) {}

    /** The key that is being compared, with its events that missed one another, and its rows that this may explain. */
    private String key;

    private final Set<String> missedLefts = new HashSet<>();
    private final Set<String> missedRights = new HashSet<>();
    private final List<Row> alone = new ArrayList<>();

    /**
     * @param deadline until when a partner of an event without one is waited for
     * @param mayHaveMissed whether an event of a pair came so late that it may have missed the other
     * @param doubted what an earlier recount found to be broken
     */
    PairsComparison(Due due, ToLongFunction<Times> deadline, Predicate<Pair> mayHaveMissed, Set<Subject> doubted) {
        this.due = due;
        this.deadline = deadline;
        this.mayHaveMissed = mayHaveMissed;
        this.tally = new Tally(Comparison.MOST_BREAKS, doubted);
    }

    Tally compare(DiskMap.Cursor recounted, Iterator<Row> published) {
        DiskMap.Entry mine = recounted.hasNext() ? recounted.next() : null;
        Row theirs = published.hasNext() ? published.next() : null;
        while (mine != null || theirs != null) {
            Pair pair = mine == null ? null : Pair.of(mine.key());
            int order = pair == null ? 1 : theirs == null ? -1 : pair.compareTo(theirs.pair());
            goOnTo(order <= 0 ? pair.key() : theirs.pair().key());
            if (order > 0 && theirs.pair().isMatch()) {
                unexpected(theirs);
            } else if (order > 0) {
                alone.add(theirs);
            } else if (order < 0) {
                waitOrMiss(new Waiting(pair, Times.of(mine.value())));
            } else {
                compare(pair, Times.of(mine.value()), theirs);
            }
            mine = order > 0 ? mine : recounted.hasNext() ? recounted.next() : null;
            theirs = order < 0 ? theirs : published.hasNext() ? published.next() : null;
        }
        goOnTo(null);
        for (Waiting one : waiting) {
            Integer clock = due.clockOf(one.times().partition());
            boolean isDue = one.pair().isMatch()
                    ? one.times().latest() <= reached.getOrDefault(clock, Long.MIN_VALUE)
                    : deadline.applyAsLong(one.times()) <= closed.getOrDefault(clock, Long.MIN_VALUE);
            if (isDue) {
                missing(one);
            } else {
                tally.addUndecided(subject(one.pair(), one.times()));
            }
        }
        return tally;
    }

    private void goOnTo(String next) {
        if (!Objects.equals(key, next)) {
            for (Row row : alone) {
                if (missedLefts.contains(row.pair().leftId())
                        || missedRights.contains(row.pair().rightId())) {
                    tally.explained++;
                } else {
                    unexpected(row);
                }
            }
            alone.clear();
            missedLefts.clear();
            missedRights.clear();
            key = next;
        }
    }

    private void note(Pair pair, Times times) {
        Integer clock = due.clockOf(times.partition());
        if (clock != null) {
            reached.merge(clock, times.latest(), Math::max);
            if (!pair.isMatch()) {
                closed.merge(clock, deadline.applyAsLong(times), Math::max);
            }
        }
    }

    private void compare(Pair pair, Times mine, Row theirs) {
        note(pair, mine);
        if (mine.areThoseOf(theirs.times())) {
            tally.equal++;
        } else {
            tally.add(found(Kind.DIFFERENT, pair, mine, numbers(theirs), new Numbers(null, null, 1))
                    .explained("the times of its events differ: the row was changed", List.of()));
        }
    }

    private void waitOrMiss(Waiting one) {
        if (one.pair().isMatch() && mayHaveMissed.test(one.pair())) {
            missedLefts.add(one.pair().leftId());
            missedRights.add(one.pair().rightId());
            tally.explained++;
            return;
        }
        boolean isDue = one.pair().isMatch()
                ? due.isReached(one.times().partition(), one.times().latest())
                : due.isClosed(one.times().partition(), deadline.applyAsLong(one.times()));
        if (isDue) {
            missing(one);
        } else if (waiting.size() < MOST_WAITING) {
            waiting.add(one);
        } else {
            tally.addUndecided(subject(one.pair(), one.times()));
        }
    }

    private void missing(Waiting one) {
        tally.add(found(Kind.MISSING, one.pair(), one.times(), null, new Numbers(null, null, 1))
                .explained(
                        one.pair().isMatch()
                                ? "the input has both events near enough to one another"
                                : "the input has no partner for it, and none is waited for",
                        ids(one.pair())));
    }

    private void unexpected(Row row) {
        tally.add(found(Kind.UNEXPECTED, row.pair(), row.times(), numbers(row), null)
                .explained(
                        row.pair().isMatch()
                                ? "the input does not have both events near enough to one another"
                                : "the input has no such event, or has a partner for it",
                        ids(row.pair())));
    }

    private static Numbers numbers(Row row) {
        return new Numbers(row.version(), null, 1);
    }

    private static List<String> ids(Pair pair) {
        List<String> ids = new ArrayList<>(List.of(pair.leftId(), pair.rightId()));
        ids.removeIf(String::isEmpty);
        return ids;
    }

    private static Break found(Kind kind, Pair pair, Times times, Numbers published, Numbers recounted) {
        return Break.of(kind, subject(pair, times), published, recounted);
    }

    private static Subject subject(Pair pair, Times times) {
        return new Subject(pair.key(), times.event(), pair.leftId(), pair.rightId());
    }
}
