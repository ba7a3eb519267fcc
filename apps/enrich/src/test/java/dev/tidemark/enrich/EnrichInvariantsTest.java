package dev.tidemark.enrich;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.Rows;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import tools.jackson.databind.JsonNode;

/** What holds for customers and activities that come in any order, however often the tasks stop or crash. */
class EnrichInvariantsTest {

    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
    void oneTaskPublishesExactlyWhatTheOracleSays(
            @ForAll @IntRange(max = 300) int grace,
            @ForAll @IntRange(min = 1, max = 3_000) int history,
            @ForAll @IntRange(max = 2_000) int reEnrichUntil,
            @ForAll @IntRange(min = 1, max = 400) int slack,
            @ForAll long seed) {
        EnrichProperties settings = Enrich.settings(
                "grace=" + grace + "s",
                "table.history=" + history + "s",
                "re-enrich-until=" + Math.min(history, reEnrichUntil) + "s",
                "slack=" + slack + "s");
        EnrichOracle oracle = new EnrichOracle(settings);
        try (EnrichTasks run = new EnrichTasks(settings, 1, new Random(seed))) {
            run.oneByOne(oracle);
            oracle.end();
            assertThat(published(run)).isEqualTo(oracle.rows());
            assertThat(exceptions(run)).isEqualTo(oracle.exceptions());
            Rows.assertLedgerBalances(run.rows("what-they-did-ledger"), run.sent());
        }
    }

    @Property(tries = 80, edgeCases = EdgeCasesMode.NONE)
    void noInterleavingOfTasksChangesARow(
            @ForAll @IntRange(min = 1, max = 3) int partitions,
            @ForAll boolean eventsByKey,
            @ForAll boolean tableByKey,
            @ForAll @IntRange(max = 300) int grace,
            @ForAll @IntRange(min = 1, max = 400) int slack,
            @ForAll long seed) {
        EnrichProperties settings = Enrich.settings(
                "input.partitioned-by-key=" + eventsByKey,
                "table.partitioned-by-key=" + tableByKey,
                "grace=" + grace + "s",
                "slack=" + slack + "s");
        try (EnrichTasks run = new EnrichTasks(settings, partitions, new Random(seed))) {
            run.inAnyOrder();

            Map<String, String> expected = new TreeMap<>();
            run.activities().forEach(activity -> expected.put(activity.id() + " v1", asOf(activity, run.updates())));
            assertThat(published(run)).isEqualTo(expected);
            exceptions(run).forEach((place, disposition) -> {
                assertThat(disposition).isEqualTo("late");
                assertThat(run.withinGrace(place)).as("late: %s", place).isFalse();
            });
            Rows.assertLedgerBalances(run.rows("what-they-did-ledger"), run.sent());
        }
    }

    private static String asOf(Activity activity, List<Update> updates) {
        Update latest = null;
        for (Update update : updates) {
            if (update.key().equals(activity.key())
                    && update.time() <= activity.time()
                    && (latest == null || update.time() > latest.time())) {
                latest = update;
            }
        }
        return latest == null || latest.plan() == null ? "missing" : latest.plan() + " of " + latest.time();
    }

    /** What each row says, by id and version; no row twice. */
    private static Map<String, String> published(EnrichTasks run) {
        Map<String, String> rows = new TreeMap<>();
        for (JsonNode row : run.rows("what-they-did-enriched")) {
            String id = row.get("event_id").asString() + " v" + row.get("version");
            assertThat(rows.put(id, says(row))).as("%s is published once", id).isNull();
        }
        return rows;
    }

    private static String says(JsonNode row) {
        if (row.get("status").asString().equals("missing")) {
            return "missing";
        }
        String plan = Enrich.json(row.get("profile").asString()).get("plan").asString();
        return plan + " of " + Instant.parse(row.get("profile_time").asString()).toEpochMilli();
    }

    private static Map<String, String> exceptions(EnrichTasks run) {
        Map<String, String> exceptions = new TreeMap<>();
        run.rows("what-they-did-exceptions").forEach(row -> {
            String place = Rows.place(row);
            assertThat(exceptions.put(place, row.get("disposition").asString()))
                    .as("one disposition for %s", place)
                    .isNull();
        });
        return exceptions;
    }
}
