package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.ReferenceData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** How late events were, and what any grace would have meant, from one run with one grace. */
class LatenessTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int HOUR_SECONDS = 3600;

    @TempDir
    Path state;

    @Test
    void aRowHasTheRunningCountsOfABin() {
        try (Totals totals = new Totals(state)) {
            arrive(totals, "e1", "10:01:00", "1.00", "10:01:02.500");
            arrive(totals, "e2", "10:12:00", "2.00", "10:12:02.999");
            totals.lateness();
            arrive(totals, "e3", "10:09:00", "-4.00", "10:12:03"); // 120 s behind the end of its window

            assertThat(totals.lateness()).extracting(JsonNode::toString).containsExactly("""
                    {"pipeline":"sales","day":"2026-07-01","partition":0,"from_seconds":120,"events":1,\
                    "amount":-4.00,"absolute_amount":4.00,"arrivals":0}""", """
                    {"pipeline":"sales","day":"2026-07-01","partition":0,"from_seconds":183,"events":0,\
                    "amount":0.00,"absolute_amount":0.00,"arrivals":1}""");

            arrive(totals, "e4", "10:13:00", "8.00", "10:13:02");

            assertThat(totals.lateness()).extracting(JsonNode::toString).containsExactly("""
                    {"pipeline":"sales","day":"2026-07-01","partition":0,"from_seconds":-1,"events":3,\
                    "amount":11.00,"absolute_amount":11.00,"arrivals":0}""", """
                    {"pipeline":"sales","day":"2026-07-01","partition":0,"from_seconds":2,"events":0,\
                    "amount":0.00,"absolute_amount":0.00,"arrivals":3}""");
        }
    }

    @Test
    void theKeyOfARowIsThatOfTheTable() {
        try (Totals totals = new Totals(state)) {
            arrive(totals, "e1", "10:01:00", "1.00", "10:00:59");

            assertThat(totals.fixture().read("sales-lateness"))
                    .extracting(row -> new String(row.key(), StandardCharsets.UTF_8))
                    .containsExactly("""
                            {"pipeline":"sales","day":"2026-07-01","partition":0,"from_seconds":-1}""");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0s", "1s", "5m"})
    void anEventIsLateForAGraceThatEndsWhenItComesAndOnTimeForALongerOne(String grace) {
        try (Totals totals = new Totals(state, "grace=" + grace)) {
            totals.sale("e1", "10:10:59.999", "1.00");
            totals.sale("e2", "10:02:00", "2.00"); // 59.999 s behind the end of its window
            totals.sale("e3", "10:11:00", "4.00");
            totals.sale("e4", "10:03:00", "8.00"); // 60 s behind
            totals.sale("e5", "10:11:00.001", "16.00");
            totals.sale("e6", "10:04:00", "32.00"); // 60.001 s behind

            Map<Integer, JsonNode> bins = latest(totals.lateness());
            assertThat(late(bins, 59)).isEqualTo(3);
            assertThat(late(bins, 60)).isEqualTo(2);
            assertThat(late(bins, 61)).isZero();
        }
    }

    @Test
    void onlyEventsThatWereAcceptedCount() {
        try (Totals totals = new Totals(state, "correct-until=1h")) {
            totals.sale("e1", "10:01:00", "1.00");
            totals.sale("e1", "10:01:00", "1.00"); // duplicate
            totals.sale("e1", "10:01:00", "1.50"); // conflicting
            totals.sale("e2", "2035-01-01T00:00:00Z", "2.00"); // future
            totals.sale("e3", "10:02:00", "9e30"); // out of range
            totals.send("rubbish");
            totals.sale("e4", "12:30:00", "4.00");
            totals.sale("e5", "12:03:00", "8.00"); // late
            totals.sale("e6", "10:03:00", "16.00"); // too late for a correction

            Map<Integer, JsonNode> bins = latest(totals.lateness());
            JsonNode ledger = totals.ledger();
            assertThat(late(bins, -1)).isEqualTo(4);
            assertThat(late(bins, 5 * 60)).isEqualTo(2);
            assertThat(ledger.get("late").intValue() + ledger.get("too_late").intValue())
                    .isEqualTo(2);
        }
    }

    @Test
    void whatComesAfterTheEndOfTheInputIsLateWithEveryGrace() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e1", "10:01:00", "1.00");
            totals.endInput();
            totals.sale("e2", "10:30:00", "2.00");

            Map<Integer, JsonNode> bins = latest(totals.lateness());
            assertThat(late(bins, 366 * 24 * HOUR_SECONDS)).isEqualTo(1);
            assertThat(totals.ledger().get("late").intValue()).isEqualTo(1);
        }
    }

    @Test
    void aQuietInputMakesEventsAsLateAsTheClockHasGoneOn() {
        try (Totals totals = new Totals(state, "idle-after=30s", "grace=1h")) {
            totals.sale("e1", "10:09:00", "1.00");
            totals.quiet(Duration.ofMinutes(3));
            totals.sale("e2", "10:08:00", "2.00");

            Map<Integer, JsonNode> bins = latest(totals.lateness());
            assertThat(late(bins, 120)).isEqualTo(1); // 10:12 less 10:10
            assertThat(late(bins, 121)).isZero();
        }
    }

    @Provide
    Arbitrary<List<Integer>> seconds() {
        return Arbitraries.integers()
                .between(0, HOUR_SECONDS)
                .list()
                .ofMinSize(1)
                .ofMaxSize(60);
    }

    @Property(tries = 30)
    void whatOneRunSaysOfAnotherGraceIsWhatARunWithThatGraceDoes(
            @ForAll("seconds") List<Integer> seconds,
            @ForAll @IntRange(max = HOUR_SECONDS) int grace,
            @ForAll @IntRange(max = HOUR_SECONDS) int other)
            throws IOException {
        try (Totals one = new Totals(Files.createTempDirectory("lateness"), "grace=" + grace + "s");
                Totals another = new Totals(Files.createTempDirectory("lateness"), "grace=" + other + "s")) {
            Instant start = Instant.parse("2026-07-01T10:00:00Z");
            for (int i = 0; i < seconds.size(); i++) {
                String time = start.plusSeconds(seconds.get(i)).toString();
                one.sale("e" + i, time, "1.00");
                another.sale("e" + i, time, "1.00");
            }

            JsonNode ledger = another.ledger();
            Map<Integer, JsonNode> bins = latest(one.lateness());
            assertThat(late(bins, other)).isEqualTo(ledger.get("late").longValue());
            assertThat(late(bins, -1)).isEqualTo(seconds.size());
            assertThat(latest(another.lateness())).isEqualTo(bins);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0s", "5m", "120m"})
    void oneRunWithAnyGraceHasTheExpectedLateCountsOfAllEight(String grace) throws IOException {
        List<String> sales = Files.readAllLines(ReferenceData.file("late-arrivals-1000.jsonl"));
        JsonNode expected = JSON.readTree(Files.readString(ReferenceData.file("late-arrivals-1000.expected.json")));
        try (Totals totals = new Totals(state, "grace=" + grace)) {
            for (String sale : sales) {
                Instant arrival =
                        Instant.parse(JSON.readTree(sale).get("arrival_time").stringValue());
                totals.fixture().send(sale.getBytes(StandardCharsets.UTF_8), arrival);
            }

            Map<Integer, JsonNode> bins = latest(totals.lateness());
            Map<Integer, Long> late = new TreeMap<>();
            Map<Integer, Long> expectedLate = new TreeMap<>();
            expected.get("by_grace_minutes").properties().forEach(each -> {
                int minutes = Integer.parseInt(each.getKey());
                late.put(minutes, late(bins, minutes * 60));
                expectedLate.put(minutes, each.getValue().get("late").longValue());
            });
            assertThat(expectedLate).hasSize(8);
            assertThat(late).isEqualTo(expectedLate);
            assertThat(late(bins, -1)).isEqualTo(1000);
            expected.get("lateness_minutes_percentiles").properties().forEach(each -> {
                double percentile = Double.parseDouble(each.getKey());
                double minutes = each.getValue().doubleValue();
                int from = arrivalBin(bins, percentile);
                int width = from < HOUR_SECONDS ? 1 : 60;
                assertThat(minutes * 60).isBetween((double) from, (double) from + width);
            });
        }
    }

    private static void arrive(Totals totals, String id, String time, String amount, String arrival) {
        totals.fixture()
                .send(
                        "{\"event_id\":\"%s\",\"store_id\":\"A\",\"event_time\":\"2026-07-01T%sZ\",\"amount\":%s}"
                                .formatted(id, time, amount)
                                .getBytes(StandardCharsets.UTF_8),
                        Instant.parse("2026-07-01T" + arrival + "Z"));
    }

    /** The rows of one day by the beginnings of their bins; later rows take the place of earlier ones. */
    private static Map<Integer, JsonNode> latest(List<JsonNode> rows) {
        Map<Integer, JsonNode> bins = new TreeMap<>();
        for (JsonNode row : rows) {
            assertThat(row.get("day").stringValue()).isEqualTo("2026-07-01");
            bins.put(row.get("from_seconds").intValue(), row);
        }
        return bins;
    }

    private static long late(Map<Integer, JsonNode> bins, int graceSeconds) {
        return bins.entrySet().stream()
                .filter(bin -> bin.getKey() >= graceSeconds)
                .mapToLong(bin -> bin.getValue().get("events").longValue())
                .sum();
    }

    /** Beginning of the first bin that so many percent of the arrivals do not exceed. */
    private static int arrivalBin(Map<Integer, JsonNode> bins, double percentile) {
        long total = 0;
        for (JsonNode row : bins.values()) {
            total += row.get("arrivals").longValue();
        }
        long reached = 0;
        for (Map.Entry<Integer, JsonNode> bin : bins.entrySet()) {
            reached += bin.getValue().get("arrivals").longValue();
            if (reached * 100 >= percentile * total) {
                return bin.getKey();
            }
        }
        throw new AssertionError("no arrivals in " + bins);
    }
}
