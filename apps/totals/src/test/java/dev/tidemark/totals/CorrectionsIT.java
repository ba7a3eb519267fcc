package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import dev.tidemark.common.JsonRow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.JsonNode;

/** Pending corrections are published once, whatever happens to the process, its disk and its memory. */
class CorrectionsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String GRACE = "tidemark.totals.grace=0s";
    private static final String EVERY = "tidemark.totals.correct-every=";
    private static final String CACHE = "spring.kafka.streams.properties.statestore.cache.max.bytes=";

    @TempDir
    static Path directory;

    private static Broker broker;

    @BeforeAll
    static void startBroker() {
        broker = new Broker(directory.resolve("kafka"));
    }

    @AfterAll
    static void stopBroker() throws IOException {
        broker.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsPendingSurvivesAKill(boolean stateIsLost) throws IOException {
        String pipeline = stateIsLost ? "killed-and-lost" : "killed";
        Path state = directory.resolve(pipeline);
        broker.createTopic(pipeline, 1);
        Map<String, String> settings =
                broker.settings(pipeline, state, GRACE, EVERY + "1h", "tidemark.totals.window.advance=5m");
        String output;
        try (AppProcess app = AppProcess.start(Path.of(""), settings, directory.resolve("processes"))) {
            broker.sale(pipeline, "e1", "10:02:00", "1.00");
            broker.sale(pipeline, "e2", "10:11:00", "2.00"); // closes 09:55 and 10:00
            broker.sale(pipeline, "l1", "10:07:00", "0.10"); // late for 10:00, on time for 10:05
            broker.sale(pipeline, "l2", "10:03:00", "0.20");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(dispositions(pipeline))
                    .containsExactly("l1 partly-late v2", "l2 late v2"));
            app.kill();
            output = app.output();
        }
        if (stateIsLost) {
            FileSystemUtils.deleteRecursively(state);
        }
        try (AppProcess app = AppProcess.start(Path.of(""), settings, directory.resolve("processes"))) {
            broker.sale(pipeline, "l3", "10:04:00", "0.40");
            broker.sale(pipeline, "e3", "11:00:00", "4.00");
            broker.endInput(pipeline, 0);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(published(pipeline))
                    .containsExactlyInAnyOrder(
                            "09:55 v1 1.00 because of null",
                            "10:00 v1 1.00 because of null",
                            "09:55 v2 1.60 because of [\"l2\",\"l3\"]",
                            "10:00 v2 1.70 because of [\"l1\",\"l2\",\"l3\"]",
                            "10:05 v1 2.10 because of null",
                            "10:10 v1 2.00 because of null",
                            "10:55 v1 4.00 because of null",
                            "11:00 v1 4.00 because of null"));
            assertThat(dispositions(pipeline)).containsExactly("l1 partly-late v2", "l2 late v2", "l3 late v2");
            assertThat(output + app.output())
                    .contains("Started TotalsApplication")
                    .doesNotContain("expired window");
        }
    }

    @Test
    void whatIsPendingIsPublishedByTheNextLateSaleWhenCorrectionsAreNoLongerGathered() {
        broker.createTopic("retuned", 1);
        Path state = directory.resolve("retuned");
        Broker.whileRunning(broker.settings("retuned", state, GRACE, EVERY + "1d"), () -> {
            broker.sale("retuned", "e1", "10:02:00", "1.00");
            broker.sale("retuned", "e2", "10:11:00", "2.00");
            broker.sale("retuned", "l1", "10:03:00", "0.10");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(dispositions("retuned")).containsExactly("l1 late v2"));
        });
        Broker.whileRunning(broker.settings("retuned", state, GRACE, EVERY + "0s"), () -> {
            broker.sale("retuned", "l2", "10:04:00", "0.20");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(published("retuned"))
                    .containsExactly(
                            "10:00 v1 1.00 because of null",
                            "10:00 v2 1.10 because of [\"l1\"]",
                            "10:00 v3 1.30 because of [\"l2\"]"));
        });
    }

    /** Else a late sale after a restart would make a second version in the interval. */
    @Test
    void theClockStaysBehindAnIntervalThatWasPublishedWhileTheInputWasQuiet() {
        broker.createTopic("quiet", 1);
        Path state = directory.resolve("quiet");
        Map<String, String> settings =
                broker.settings("quiet", state, GRACE, EVERY + "1s", "tidemark.totals.idle-after=500ms");
        Broker.whileRunning(settings, () -> {
            broker.sale("quiet", "e1", "10:02:00", "1.00");
            broker.sale("quiet", "e2", "10:11:00", "2.00");
            broker.sale("quiet", "l1", "10:03:00", "0.10");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(published("quiet"))
                    .containsExactly("10:00 v1 1.00 because of null", "10:00 v2 1.10 because of [\"l1\"]"));
        });
        settings.put("tidemark.totals.idle-after", "1h");
        Broker.whileRunning(settings, () -> {
            broker.sale("quiet", "l2", "10:04:00", "0.20");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(dispositions("quiet")).containsExactly("l1 late v2", "l2 late v3"));
            assertThat(broker.read("quiet-exceptions").get(1))
                    .containsPattern("when the stream time was 2026-07-01T10:(11:0[1-9]|11:[1-5]|1[2-9]|[2-5])");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"67108864", "0"})
    void aBurstOfLateSalesForOneWindowMakesOneVersionInAnInterval(String cacheBytes) {
        String pipeline = "burst-" + cacheBytes;
        broker.createTopic(pipeline, 1);
        broker.sale(pipeline, "e1", "10:02:00", "1.00");
        broker.sale(pipeline, "e2", "10:30:00", "1.00");
        broker.sendTogether(pipeline, lateSales(0, 60_000));
        broker.sale(pipeline, "e3", "11:00:00", "1.00");
        broker.sendTogether(pipeline, lateSales(60_000, 100_000));
        broker.sale(pipeline, "e4", "12:00:00", "1.00");
        Map<String, String> settings =
                broker.settings(pipeline, directory.resolve(pipeline), GRACE, EVERY + "1h", CACHE + cacheBytes);
        Broker.whileRunning(settings, () -> {
            await().atMost(PATIENCE).untilAsserted(() -> {
                List<String> ledgers = broker.read(pipeline + "-ledger");
                assertThat(ledgers).isNotEmpty();
                JsonNode ledger = Totals.json(ledgers.get(ledgers.size() - 1));
                assertThat(ledger.get("received").intValue()).isEqualTo(100_004);
                assertThat(ledger.get("late").intValue()).isEqualTo(100_000);
            });
            assertThat(published(pipeline))
                    .filteredOn(row -> row.startsWith("10:00"))
                    .containsExactly(
                            "10:00 v1 1.00 because of null",
                            "10:00 v2 601.00 because of " + ids(0),
                            "10:00 v3 1001.00 because of " + ids(60_000));
            assertThat(rows(pipeline))
                    .extracting(row -> row.get("cause_count").asInt(0))
                    .contains(60_000, 40_000);
            assertThat(broker.read(pipeline + "-exceptions")).hasSize(100_000);
        });
    }

    private static List<String> lateSales(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> Broker.saleJson("l" + i, "10:03:00", "0.01"))
                .toList();
    }

    private static String ids(int first) {
        return "["
                + String.join(
                        ",",
                        IntStream.range(first, first + 10)
                                .mapToObj(i -> "\"l" + i + "\"")
                                .toList())
                + "]";
    }

    /** A full cache hands on sums, ticks and pending corrections early and one by one. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3_000, 100_000})
    void overlappingWindowsComeOutRightWhateverTheRecordCacheHolds(int cacheBytes) {
        String pipeline = "overlapping-" + cacheBytes;
        broker.createTopic(pipeline, 1);
        Random random = new Random(cacheBytes);
        Map<String, Integer> counts = new TreeMap<>();
        List<String> sales = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            // Ten stores, two minutes of event time per sale, every fifth one late by up to an hour.
            int minute = 200 + 2 * i - (random.nextInt(5) == 0 ? random.nextInt(60) : 0);
            String store = "S" + random.nextInt(10);
            Instant time = Instant.parse("2026-07-01T00:00:00Z").plus(Duration.ofMinutes(minute));
            sales.add("{\"event_id\":\"e%d\",\"store_id\":\"%s\",\"event_time\":\"%s\",\"amount\":1}"
                    .formatted(i, store, time));
            for (int start = minute / 5 * 5; start > minute - 20; start -= 5) {
                String window = JsonRow.timeText(
                        time.toEpochMilli() + Duration.ofMinutes(start - minute).toMillis());
                counts.merge(store + " " + window, 1, Integer::sum);
            }
        }
        broker.sendTogether(pipeline, sales);
        broker.endInput(pipeline, 0);
        Map<String, String> settings = broker.settings(
                pipeline,
                directory.resolve(pipeline),
                GRACE,
                EVERY + "30m",
                CACHE + cacheBytes,
                "tidemark.totals.window.size=20m",
                "tidemark.totals.window.advance=5m");
        Broker.whileRunning(settings, () -> await().atMost(PATIENCE).untilAsserted(() -> {
            Map<String, Integer> latest = new TreeMap<>();
            Map<String, Integer> versions = new TreeMap<>();
            for (JsonNode row : rows(pipeline)) {
                String window = row.get("key").asString() + " "
                        + row.get("window_start").asString();
                int version = row.get("version").intValue();
                assertThat(versions.containsKey(window) ? version : Math.max(1, version - 1))
                        .as("version after that of %s", window)
                        .isEqualTo(versions.getOrDefault(window, 0) + 1);
                versions.put(window, version);
                latest.put(window, row.get("count").intValue());
            }
            assertThat(latest).isEqualTo(counts);
        }));
    }

    private static List<JsonNode> rows(String pipeline) {
        return broker.read(pipeline + "-totals").stream()
                .map(Totals::json)
                .filter(row -> row.get("version").intValue() > 0)
                .toList();
    }

    /** Finals and corrections of a pipeline, as {@code start version total because of ids}. */
    private static List<String> published(String pipeline) {
        return rows(pipeline).stream()
                .map(row -> "%s v%s %s because of %s"
                        .formatted(
                                row.get("window_start").asString().substring(11, 16),
                                row.get("version"),
                                row.get("total"),
                                row.get("cause_event_ids").isNull()
                                        ? null
                                        : row.get("cause_event_ids").asString()))
                .toList();
    }

    private static List<String> dispositions(String pipeline) {
        return broker.read(pipeline + "-exceptions").stream()
                .map(Totals::json)
                .map(row -> "%s %s v%s"
                        .formatted(
                                row.get("event_id").asString(),
                                row.get("disposition").asString(),
                                row.get("version")))
                .toList();
    }
}
