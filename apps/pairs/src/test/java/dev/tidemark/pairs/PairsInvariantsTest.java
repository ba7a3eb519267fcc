package dev.tidemark.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.PairsProperties;
import dev.tidemark.common.Rows;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Assume;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import tools.jackson.databind.JsonNode;

/** What holds for orders and payments that come in any order, however often the tasks that pair them stop or crash. */
class PairsInvariantsTest {

    @Property(tries = 600, edgeCases = EdgeCasesMode.NONE)
    void oneTaskPublishesExactlyWhatTheOracleSays(
            @ForAll @IntRange(max = 300) int before,
            @ForAll @IntRange(max = 600) int after,
            @ForAll @IntRange(max = 200) int grace,
            @ForAll @IntRange(max = 2_000) int correctUntil,
            @ForAll @IntRange(min = 1, max = 400) int slack,
            @ForAll long seed) {
        PairsProperties settings = Pairs.settings(
                "within.before=" + before + "s",
                "within.after=" + after + "s",
                "grace=" + grace + "s",
                "correct-until=" + correctUntil + "s",
                "slack=" + slack + "s",
                "left.key=/key",
                "right.key=/key");
        PairsOracle oracle = new PairsOracle(settings);
        PairsTasks run = new PairsTasks(settings, 1, new Random(seed));
        run.oneByOne(oracle::arrives);
        oracle.end();
        Assume.that(!oracle.isInDoubt());

        Map<String, Integer> published = versions(run.rows("order-payments-pairs"));
        assertThat(published).isEqualTo(oracle.expected(published));
        Map<String, String> exceptions = new TreeMap<>();
        run.rows("order-payments-exceptions").forEach(row -> assertThat(
                        exceptions.put(Rows.place(row), row.get("disposition").asString()))
                .as("one disposition for %s", Rows.place(row))
                .isNull());
        assertThat(exceptions).isEqualTo(oracle.exceptions());
        Rows.assertLedgerBalances(run.rows("order-payments-ledger"), run.sent());
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void noInterleavingOfTasksBreaksARule(
            @ForAll @IntRange(min = 1, max = 3) int partitions,
            @ForAll boolean leftByKey,
            @ForAll boolean rightByKey,
            @ForAll @IntRange(max = 300) int before,
            @ForAll @IntRange(max = 600) int after,
            @ForAll @IntRange(max = 200) int grace,
            @ForAll @IntRange(min = 1, max = 400) int slack,
            @ForAll long seed) {
        PairsProperties settings = Pairs.settings(
                "left.partitioned-by-key=" + leftByKey,
                "right.partitioned-by-key=" + rightByKey,
                "within.before=" + before + "s",
                "within.after=" + after + "s",
                "grace=" + grace + "s",
                "correct-until=30d",
                "deduplicate-for=30d",
                "slack=" + slack + "s",
                "left.key=/key",
                "right.key=/key");
        PairsTasks run = new PairsTasks(settings, partitions, new Random(seed));
        run.inAnyOrder();

        Map<String, Integer> published = versions(run.rows("order-payments-pairs"));
        List<Sent> all = run.accepted();
        for (Sent left : all) {
            for (Sent right : all) {
                if (left.isLeft() && !right.isLeft()) {
                    Integer version = published.get(left.id() + " " + right.id());
                    if (!left.belongsTo(right, before, after)) {
                        assertThat(version).as("%s and %s", left, right).isNull();
                    } else if (left.withinGrace() && right.withinGrace()) {
                        assertThat(version).as("%s and %s", left, right).isEqualTo(1);
                    } else if (partners(left, all, before, after) == 1 && partners(right, all, before, after) == 1) {
                        assertThat(version).as("%s and %s", left, right).isNotNull();
                    }
                }
            }
        }
        for (Sent event : all) {
            Integer unmatched = published.get(event.isLeft() ? event.id() + " -" : "- " + event.id());
            boolean isMatched = published.keySet().stream()
                    .anyMatch(pair ->
                            !pair.contains("-") && List.of(pair.split(" ")).contains(event.id()));
            assertThat(isMatched || unmatched != null)
                    .as("nothing is lost, not %s", event)
                    .isTrue();
            boolean hasPartnerInTime = event.withinGrace()
                    && all.stream()
                            .anyMatch(other -> other.withinGrace()
                                    && event.isLeft() != other.isLeft()
                                    && Sent.belong(event, other, before, after));
            if (hasPartnerInTime) {
                assertThat(unmatched).as("no unmatched row of %s", event).isNull();
            }
        }
        run.rows("order-payments-exceptions").forEach(row -> {
            if (row.get("disposition").asString().equals("late")) {
                assertThat(run.withinGrace(Rows.place(row))).as("late: %s", row).isFalse();
            }
        });
        Rows.assertLedgerBalances(run.rows("order-payments-ledger"), run.sent());
    }

    private static long partners(Sent event, List<Sent> all, int before, int after) {
        return all.stream()
                .filter(other -> other.isLeft() != event.isLeft() && Sent.belong(event, other, before, after))
                .count();
    }

    /** The version of each row, by its ids with a dash for who is missing; no row twice. */
    private static Map<String, Integer> versions(List<JsonNode> rows) {
        Map<String, Integer> versions = new TreeMap<>();
        for (JsonNode row : rows) {
            String pair = Pairs.brief(row).replaceFirst(" v.*", "");
            assertThat(versions.put(pair, row.get("version").intValue()))
                    .as("%s is published once", pair)
                    .isNull();
        }
        return versions;
    }
}
