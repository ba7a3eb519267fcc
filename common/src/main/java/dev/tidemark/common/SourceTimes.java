package dev.tidemark.common;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * How far each source partition has come, by {@link Route}, and the clock that follows from it: the minimum over those
 * that are neither idle nor complete. When there is none of them, it is the greatest, and goes on with the wall time in
 * which no event came. A route that has not been heard of yet holds the clock where it is, as
 * does one that says that it is behind.
 *
 * <p>Times are epoch milliseconds. Idleness is never persisted. Not thread-safe.
 */
final class SourceTimes {

    /** Before the beginning of time. */
    static final long UNKNOWN = -1;

    private final int routes;
    private final boolean goesOnWhenIdle;
    private final Set<String> first;
    private final long since;
    private final Map<Route, Source> sources = new TreeMap<>();
    /** The source of the last event; most often that of the next one, too. */
    private Source latest;
    /** The one that holds the clock; null if there is none. */
    private Source slowest;

    private boolean moved = true;

    /**
     * @param routes on how many routes events come in all
     * @param goesOnWhenIdle whether wall time counts when no event comes; if not, the clock stays at the greatest time
     */
    SourceTimes(int routes, boolean goesOnWhenIdle) {
        this(routes, goesOnWhenIdle, Set.of(), 0);
    }

    /**
     * @param first topics whose routes are behind until they say otherwise
     * @param since from which wall time on they are believed: before, they spoke of an earlier start
     */
    SourceTimes(int routes, boolean goesOnWhenIdle, Set<String> first, long since) {
        this.first = first;
        this.since = since;
        this.routes = routes;
        this.goesOnWhenIdle = goesOnWhenIdle;
    }

    /** Sets what was known at the last commit. */
    void restore(Route route, long time, boolean ended) {
        Source source = sourceOf(route);
        source.time = time;
        source.ended = ended;
    }

    /** An event came; its source partition has come at least so far. */
    void saw(Event event) {
        if (latest == null || !latest.route.isRouteOf(event)) {
            latest = sourceOf(Route.of(event));
        }
        move(latest, event.time(), Math.min(0, latest.idleMillis));
    }

    /**
     * A source partition says how far it has come.
     *
     * @param now wall time of the task
     */
    void saw(Progress progress, long now) {
        Source source = sourceOf(progress.route());
        source.heardAt = now;
        if (progress.ended() && !source.ended) {
            source.ended = true;
            source.changed = true;
            moved = true;
        }
        boolean outdated = source.idleMillis == Progress.BEHIND && progress.saidAt() < since;
        move(source, progress.streamTime(), outdated ? Progress.BEHIND : progress.idleMillis());
    }

    /** Whether what there was when it started is still being read of a source partition, or one has said nothing yet. */
    boolean behind() {
        return sources.size() < routes
                || sources.values().stream().anyMatch(source -> !source.ended && source.idleMillis == Progress.BEHIND);
    }

    private void move(Source source, long time, long idleMillis) {
        if (time > source.time) {
            source.time = time;
            source.changed = true;
            moved |= source == slowest || slowest == null;
        }
        if (idleMillis != source.idleMillis) {
            source.idleMillis = idleMillis;
            moved = true;
        }
    }

    private Source sourceOf(Route route) {
        return sources.computeIfAbsent(route, unknown -> {
            moved = true;
            Source source = new Source(unknown);
            source.idleMillis = first.contains(unknown.topic()) ? Progress.BEHIND : 0;
            return source;
        });
    }

    /**
     * Where the clock is.
     *
     * @param clock where it was; it never goes back
     */
    long advance(long clock) {
        if (!moved) {
            return clock;
        }
        moved = false;
        slowest = null;
        if (sources.size() < routes) {
            return clock;
        }
        long idleMillis = Long.MAX_VALUE;
        for (Source source : sources.values()) {
            if (source.ended) {
                continue;
            }
            if (source.idleMillis == Progress.BEHIND) {
                slowest = null;
                return clock;
            }
            if (source.idleMillis > 0) {
                idleMillis = Math.min(idleMillis, source.idleMillis);
            } else if (slowest == null || source.time < slowest.time) {
                slowest = source;
            }
        }
        if (slowest != null) {
            return Math.max(clock, slowest.time);
        }
        long latest = latestTime();
        boolean goesOn = goesOnWhenIdle && latest != UNKNOWN && idleMillis != Long.MAX_VALUE;
        return Math.max(clock, goesOn ? latest + idleMillis : latest);
    }

    /** The next {@link #advance} looks again, although nothing may have come since. */
    void lookAgain() {
        moved = true;
    }

    /**
     * Takes source partitions for idle no longer that have not been said to be so since a moment: whoever would say it may
     * be gone.
     *
     * @param moment wall time of the task
     */
    void doubtIdleness(long moment) {
        for (Source source : sources.values()) {
            if (source.idleMillis > 0 && source.heardAt < moment) {
                source.idleMillis = 0;
                moved = true;
            }
        }
    }

    /** Whether all source partitions are complete. */
    boolean ended() {
        return sources.size() >= routes && sources.values().stream().allMatch(source -> source.ended);
    }

    /** The greatest time of a source partition, or {@link #UNKNOWN}. */
    long latestTime() {
        return sources.values().stream().mapToLong(source -> source.time).max().orElse(UNKNOWN);
    }

    /** Hands over what has changed since the last call: route, time, and whether it is complete. */
    void drainChanges(BiConsumer<Route, Source> receiver) {
        for (Source source : sources.values()) {
            if (source.changed) {
                source.changed = false;
                receiver.accept(source.route, source);
            }
        }
    }

    /** How far a source partition has come on a route. */
    static final class Source {

        private final Route route;
        private long time = UNKNOWN;
        private long idleMillis;
        private long heardAt;
        private boolean ended;
        private boolean changed;

        private Source(Route route) {
            this.route = route;
        }

        long time() {
            return time;
        }

        boolean ended() {
            return ended;
        }
    }
}
