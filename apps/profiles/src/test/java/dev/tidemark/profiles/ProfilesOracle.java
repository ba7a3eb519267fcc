package dev.tidemark.profiles;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What accepted activities and updates owe, from all of them at once. Shares no code with the app. */
final class ProfilesOracle {

    private static final ZoneId ZONE = ZoneId.of("Europe/Berlin");

    /**
     * An activity that was accepted.
     *
     * @param cents what was spent
     */
    record Activity(String id, String key, long time, long cents, boolean isVisit) {}

    /**
     * An update of a customer, in the order of its partition.
     *
     * @param plan the plan; null: a deletion
     */
    record Update(String key, long time, String plan) {}

    private final long gap;
    private final boolean deleteWithProfile;

    ProfilesOracle(long gap, boolean deleteWithProfile) {
        this.gap = gap;
        this.deleteWithProfile = deleteWithProfile;
    }

    /** The sessions of all keys, as {@code key start end count cents}. */
    List<String> sessions(List<Activity> accepted) {
        List<String> all = new ArrayList<>();
        byKey(accepted).forEach((key, events) -> sessionsOf(events).forEach(session -> all.add(show(key, session))));
        return all;
    }

    private static String show(String key, List<Activity> session) {
        return key + " " + session.get(0).time() + " "
                + session.get(session.size() - 1).time() + " " + session.size() + " "
                + session.stream().mapToLong(Activity::cents).sum();
    }

    private List<List<Activity>> sessionsOf(List<Activity> sorted) {
        List<List<Activity>> sessions = new ArrayList<>();
        long last = Long.MIN_VALUE / 2;
        for (Activity event : sorted) {
            if (event.time() - last > gap) {
                sessions.add(new ArrayList<>());
            }
            sessions.get(sessions.size() - 1).add(event);
            last = event.time();
        }
        return sessions;
    }

    private static Map<String, List<Activity>> byKey(List<Activity> accepted) {
        return accepted.stream()
                .sorted(Comparator.comparing(Activity::time).thenComparing(Activity::id))
                .collect(Collectors.groupingBy(Activity::key, TreeMap::new, Collectors.toList()));
    }

    /** The rows of all keys when the clock is at the given time. */
    Map<String, String> rows(List<Activity> accepted, List<Update> updates, long clock) {
        Map<String, List<Activity>> events = byKey(accepted);
        Map<String, List<Update>> profiles =
                updates.stream().collect(Collectors.groupingBy(Update::key, TreeMap::new, Collectors.toList()));
        Map<String, String> rows = new TreeMap<>();
        events.forEach((key, of) -> rows.put(key, statistics(of, clock)));
        profiles.forEach((key, of) -> {
            Update newest = newest(of);
            if (newest.plan() != null) {
                rows.merge(key, newest.plan(), (statistics, plan) -> statistics + " " + plan);
            } else if (deleteWithProfile) {
                rows.remove(key);
            }
        });
        return rows;
    }

    /** A deletion counts when it comes; after it, only what is newer than what it deleted. */
    private static Update newest(List<Update> updates) {
        Update newest = null;
        for (Update update : updates) {
            boolean takes = newest == null
                    || update.plan() == null
                    || (newest.plan() == null ? update.time() > newest.time() : update.time() >= newest.time());
            if (takes) {
                boolean deletes = update.plan() == null;
                long time = !deletes ? update.time() : newest == null ? Long.MIN_VALUE : newest.time();
                newest = new Update(update.key(), time, update.plan());
            }
        }
        return newest;
    }

    private String statistics(List<Activity> events, long clock) {
        BigDecimal sum =
                BigDecimal.valueOf(events.stream().mapToLong(Activity::cents).sum(), 2);
        LocalDate today = date(clock);
        LocalDate monday = today.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
        long visits = events.stream()
                .filter(event -> event.isVisit() && date(event.time()).equals(today))
                .count();
        long week = events.stream()
                .filter(event -> date(event.time())
                        .with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY))
                        .equals(monday))
                .mapToLong(Activity::cents)
                .sum();
        List<List<Activity>> sessions = sessionsOf(events);
        long longest = 0;
        for (int i = 1; i < sessions.size(); i++) {
            List<Activity> before = sessions.get(i - 1);
            longest = Math.max(
                    longest,
                    sessions.get(i).get(0).time()
                            - before.get(before.size() - 1).time());
        }
        return events.size() + " " + sum + " "
                + sum.divide(BigDecimal.valueOf(events.size()), 6, RoundingMode.HALF_EVEN) + " "
                + events.stream().mapToLong(Activity::cents).min().orElseThrow() + " "
                + events.stream().mapToLong(Activity::cents).max().orElseThrow() + " "
                + events.get(0).id() + " " + events.get(events.size() - 1).id() + " " + longest + " " + visits + " "
                + BigDecimal.valueOf(week, 2) + " " + show("", sessions.get(sessions.size() - 1));
    }

    private static LocalDate date(long time) {
        return LocalDate.ofInstant(Instant.ofEpochMilli(time), ZONE);
    }
}
