package dev.tidemark.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.profiles.ProfilesOracle.Activity;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import tools.jackson.databind.JsonNode;

/** What holds for activities and customers in any order, however often the tasks that count them stop or crash. */
class ProfilesInvariantsTest {

    @Property(tries = 40, edgeCases = EdgeCasesMode.NONE)
    void rowsAndSessionsAreThoseOfABatch(
            @ForAll boolean moved,
            @ForAll @IntRange(min = 2, max = 3_600) int gap,
            @ForAll @IntRange(max = 600) int grace,
            @ForAll @IntRange(max = 30_000) int correctUntil,
            @ForAll @IntRange(min = 1, max = 1_000) int slack,
            @ForAll boolean deleteWithProfile,
            @ForAll long seed) {
        ProfilesProperties settings = Customers.settings(
                "input.partitioned-by-key=" + !moved,
                "table.partitioned-by-key=" + !moved,
                "session.gap=" + gap + "s",
                "grace=" + grace + "s",
                "correct-until=" + correctUntil + "s",
                "deduplicate-for=30d",
                "slack=" + slack + "s",
                "table.delete-with-profile=" + deleteWithProfile);
        ProfilesTasks run = new ProfilesTasks(settings, moved ? 2 : 1, new Random(seed));
        run.run();

        ProfilesOracle oracle = new ProfilesOracle(1000L * gap, deleteWithProfile);
        List<Activity> accepted = run.accepted();
        Map<String, String> rows = new TreeMap<>();
        run.left().forEach((key, row) -> rows.put(key, brief(row)));
        assertThat(rows).isEqualTo(oracle.rows(accepted, run.updates(), run.clock()));
        assertThat(live(run.rows("customers-sessions"))).containsExactlyInAnyOrderElementsOf(oracle.sessions(accepted));
        assertOneDispositionEach(run);
    }

    /** What is left when every version has been written, in the form of the oracle; each version is published once. */
    static List<String> live(List<JsonNode> published) {
        Map<String, JsonNode> latest = new TreeMap<>();
        Set<String> seen = new TreeSet<>();
        long all = 0;
        for (JsonNode row : published) {
            String session =
                    row.get("key").asString() + row.get("session_start").asString();
            int version = row.get("version").intValue();
            assertThat(seen.add(session + version))
                    .as("published once: %s", row)
                    .isTrue();
            assertThat(version == 1)
                    .as("only finals have version 1: %s", row)
                    .isEqualTo(row.get("status").asString().equals("final"));
            JsonNode before = latest.put(session, row);
            assertThat(before == null || before.get("version").intValue() == version - 1)
                    .as("versions rise by one: %s after %s", row, before)
                    .isTrue();
            assertThat(version == 1 || row.get("cause_event_id").isString())
                    .as("a correction names its cause: %s", row)
                    .isTrue();
            all += cents(row, version == 1 ? "amount" : "delta");
        }
        assertThat(all)
                .as("amounts of finals and deltas of all others")
                .isEqualTo(latest.values().stream()
                        .mapToLong(row -> cents(row, "amount"))
                        .sum());
        return latest.values().stream()
                .filter(row -> !row.get("status").asString().equals("replaced"))
                .map(row -> row.get("key").asString() + " " + millis(row, "session_start") + " "
                        + millis(row, "session_end") + " " + row.get("count") + " " + cents(row, "amount"))
                .toList();
    }

    private static void assertOneDispositionEach(ProfilesTasks run) {
        Set<String> places = new TreeSet<>();
        for (JsonNode row : run.rows("customers-exceptions")) {
            assertThat(places.add(row.get("source_topic").asString() + row.get("source_partition") + "/"
                            + row.get("source_offset")))
                    .as("one disposition for %s", row)
                    .isTrue();
            String disposition = row.get("disposition").asString();
            boolean late = disposition.equals("late") || disposition.equals("too-late");
            if (late && row.get("source_topic").asString().equals("activities")) {
                assertThat(run.isInGrace(row.get("event_id").asString()))
                        .as("late: %s", row)
                        .isFalse();
            }
        }
        Map<String, JsonNode> ledger = new HashMap<>();
        run.rows("customers-ledger")
                .forEach(row -> ledger.put(row.get("source_topic").asString() + row.get("source_partition"), row));
        assertThat(sum(ledger, "received"))
                .isEqualTo(run.records() + (long) run.updates().size());
        assertThat(sum(ledger, "counted", "late", "too_late", "duplicate", "conflicting", "malformed", "future"))
                .isEqualTo(sum(ledger, "received"));
    }

    private static long sum(Map<String, JsonNode> ledger, String... columns) {
        return ledger.values().stream()
                .flatMapToLong(row ->
                        Stream.of(columns).mapToLong(column -> row.get(column).longValue()))
                .sum();
    }

    /** A row in the form of the oracle. */
    static String brief(JsonNode row) {
        String plan = row.get("profile").isNull()
                ? null
                : Customers.json(row.get("profile").asString()).get("plan").asString();
        if (row.get("count").longValue() == 0) {
            return plan;
        }
        String statistics = row.get("count") + " " + row.get("amount") + " " + row.get("average") + " "
                + cents(row, "minimum") + " " + cents(row, "maximum") + " "
                + row.get("first_event_id").asString() + " "
                + row.get("last_event_id").asString() + " "
                + (row.get("longest_gap_millis").isNull() ? 0 : row.get("longest_gap_millis")) + " "
                + row.get("visits_today") + " " + row.get("spend_this_week") + "  " + millis(row, "session_start") + " "
                + millis(row, "session_end") + " " + row.get("session_count") + " " + cents(row, "session_amount");
        return plan == null ? statistics : statistics + " " + plan;
    }

    private static long cents(JsonNode row, String column) {
        return row.get(column).decimalValue().movePointRight(2).longValueExact();
    }

    private static long millis(JsonNode row, String column) {
        return Instant.parse(row.get(column).asString()).toEpochMilli();
    }
}
