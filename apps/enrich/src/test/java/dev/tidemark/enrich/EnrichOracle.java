package dev.tidemark.enrich;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Says what one task owes for updates and activities in the order of their arrival, by going through all updates for each
 * activity. It shares no code with the app. All times are milliseconds; a moment is closed when the clock has passed the
 * end of its second by the grace.
 */
final class EnrichOracle {

    private static final long NEVER = Long.MAX_VALUE;

    private final long grace;
    private final long history;
    private final long remember;
    private final List<Update> updates = new ArrayList<>();
    private final List<Activity> waiting = new ArrayList<>();
    private final List<Activity> missing = new ArrayList<>();
    private final Map<Boolean, Long> sources = new HashMap<>();
    private final Map<String, String> rows = new TreeMap<>();
    private final Map<String, String> exceptions = new TreeMap<>();
    private long clock = -1;

    EnrichOracle(EnrichProperties settings) {
        grace = settings.grace().toMillis();
        history = settings.table().history().toMillis();
        remember = settings.reEnrichUntil().toMillis();
    }

    void arrives(Update update) {
        boolean late = isClosed(update.time());
        if (late && isOver(update)) {
            exceptions.put(update.place(), "too-late");
        } else {
            if (late) {
                exceptions.put(update.place(), "late");
            }
            updates.add(update);
        }
        advance(true, update.time());
        if (updates.contains(update) && update.plan() != null && remember > 0) {
            complete(update);
        }
    }

    void arrives(Activity activity) {
        if (isClosed(activity.time()) && clock - grace >= secondAfter(activity.time()) + history) {
            exceptions.put(activity.place(), "too-late");
        } else if (isClosed(activity.time())) {
            exceptions.put(activity.place(), "late");
            publish(activity);
        } else {
            waiting.add(activity);
        }
        advance(false, activity.time());
    }

    /** Both topics have ended. */
    void end() {
        clock = NEVER;
        release();
    }

    /** Nothing is asked for before that. */
    private long beginning() {
        return (clock - grace) / 1000 * 1000 - history - 1000;
    }

    private boolean isOver(Update update) {
        return updates.stream()
                .anyMatch(known -> known.key().equals(update.key())
                        && known.time() > update.time()
                        && known.time() <= beginning());
    }

    /** A deletion before all history, and what was before it, is forgotten. */
    private void forget() {
        if (clock < grace || clock == NEVER) {
            return;
        }
        Map<String, Update> last = new HashMap<>();
        for (Update update : updates) {
            if (update.time() <= beginning()) {
                last.merge(update.key(), update, (one, other) -> other.time() >= one.time() ? other : one);
            }
        }
        updates.removeIf(
                update -> update.time() <= beginning() && last.get(update.key()).plan() == null);
    }

    private void complete(Update update) {
        for (Activity activity : List.copyOf(missing)) {
            if (!activity.key().equals(update.key()) || activity.time() < update.time()) {
                continue;
            }
            Update then = asOf(activity);
            if (then.plan() != null && isRemembered(activity)) {
                missing.remove(activity);
                rows.put(activity.id() + " v2", describe(then));
            }
        }
    }

    private boolean isRemembered(Activity activity) {
        return activity.time() >= (clock - grace) / 1000 * 1000 - remember;
    }

    private void advance(boolean isTable, long time) {
        sources.merge(isTable, time, Math::max);
        if (sources.size() == 2) {
            clock = Math.max(clock, Math.min(sources.get(true), sources.get(false)));
        }
        release();
        forget();
    }

    private void release() {
        for (Activity activity : List.copyOf(waiting)) {
            if (isClosed(activity.time())) {
                waiting.remove(activity);
                publish(activity);
            }
        }
    }

    private void publish(Activity activity) {
        Update then = asOf(activity);
        boolean found = then != null && then.plan() != null;
        rows.put(activity.id() + " v1", found ? describe(then) : "missing");
        if (!found && remember > 0) {
            missing.add(activity);
        }
    }

    private static String describe(Update update) {
        return update.plan() + " of " + update.time();
    }

    /** The last of the latest updates that are not after the activity; null if there is none. */
    private Update asOf(Activity activity) {
        Update latest = null;
        for (Update update : updates) {
            if (update.key().equals(activity.key())
                    && update.time() <= activity.time()
                    && (latest == null || update.time() >= latest.time())) {
                latest = update;
            }
        }
        return latest;
    }

    private boolean isClosed(long moment) {
        return clock == NEVER || clock >= 0 && clock - grace >= secondAfter(moment);
    }

    private static long secondAfter(long moment) {
        return (moment / 1000 + 1) * 1000;
    }

    /** What is owed: plan and time of its profile, or missing, by id and version. */
    Map<String, String> rows() {
        return rows;
    }

    /** The disposition of what is not simply counted, by place. */
    Map<String, String> exceptions() {
        return exceptions;
    }
}
