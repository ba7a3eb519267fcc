package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import dev.tidemark.common.JsonRow;
import dev.tidemark.common.StreamsSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.FileSystemUtils;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;

/** A final is final, whatever happens to the process and its disk. */
class DurabilityIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

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

    @Test
    void aLateSaleAfterARestartBecomesVersionTwo() {
        Path state = directory.resolve("restart");
        broker.createTopic("restart", 1);
        Broker.whileRunning(broker.settings("restart", state), () -> {
            sellAndClose("restart");
        });
        Broker.whileRunning(broker.settings("restart", state), () -> {
            sellLate("restart");
        });
    }

    @Test
    void aLateSaleAfterTheStateWasDeletedBecomesVersionTwo() throws IOException {
        Path state = directory.resolve("deleted");
        broker.createTopic("deleted", 1);
        Broker.whileRunning(broker.settings("deleted", state), () -> {
            sellAndClose("deleted");
        });
        FileSystemUtils.deleteRecursively(state);
        Broker.whileRunning(broker.settings("deleted", state), () -> {
            sellLate("deleted");
        });
    }

    private static void sellAndClose(String pipeline) {
        broker.sale(pipeline, "e1", "10:01:00", "1.50");
        broker.sale(pipeline, "e2", "10:16:00", "7.00");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(broker.published(pipeline)).containsExactly("10:00 v1 1.50"));
    }

    private static void sellLate(String pipeline) {
        broker.sale(pipeline, "e3", "10:02:00", "0.25");
        broker.sale(pipeline, "e1", "10:01:00", "1.50"); // again
        broker.sale(pipeline, "e4", "10:31:00", "3.00");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published(pipeline))
                .containsExactlyInAnyOrder("10:00 v1 1.50", "10:00 v2 1.75", "10:10 v1 7.00"));
        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode ledger = Totals.json(last(broker.read(pipeline + "-ledger")));
            assertThat(ledger.get("received").intValue()).isEqualTo(5);
            assertThat(ledger.get("counted").intValue()).isEqualTo(3);
            assertThat(ledger.get("late").intValue()).isEqualTo(1);
            assertThat(ledger.get("duplicate").intValue()).isEqualTo(1);
        });
    }

    private static String last(List<String> rows) {
        return rows.get(rows.size() - 1);
    }

    @Test
    void versionsStandInOrderInTheLogAlsoWhenOneCommitPublishesThemAll() {
        broker.createTopic("together", 1);
        broker.sendTogether(
                "together",
                List.of(
                        Broker.saleJson("e1", "10:01:00", "1.50"),
                        Broker.saleJson("e2", "10:16:00", "7.00"),
                        Broker.saleJson("e3", "10:02:00", "0.25"),
                        Broker.saleJson("e4", "10:03:00", "0.25")));
        // The first commit comes when so much has passed since the start, however few records have been read by then.
        String oneCommit = "spring.kafka.streams.properties.commit.interval.ms=8000";
        Broker.whileRunning(broker.settings("together", directory.resolve("together"), oneCommit), () -> {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published("together"))
                    .containsExactly("10:00 v1 1.50", "10:00 v2 1.75", "10:00 v3 2.00"));
            List<String> ledger = broker.read("together-ledger");
            assertThat(ledger).hasSize(1);
            assertThat(Totals.json(ledger.get(0)).get("late").intValue()).isEqualTo(2);
        });
    }

    /** A full cache hands on sums and ticks early and one by one; a sum must still arrive before the tick that closes it. */
    @ParameterizedTest
    @CsvSource({"0, 7d", "3000, 7d", "100000, 7d", "0, 4h"})
    void aFinalIsPublishedOnceWhateverTheRecordCacheHolds(int cacheBytes, String horizon) {
        String pipeline = "cache-" + cacheBytes + "-" + horizon;
        broker.createTopic(pipeline, 1);
        Random random = new Random(cacheBytes);
        Map<String, Integer> sums = new TreeMap<>();
        List<String> sales = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            // Ten stores, two minutes of event time per sale, every fifth one late by up to three hours.
            int minute = 200 + 2 * i - (random.nextInt(5) == 0 ? random.nextInt(180) : 0);
            String store = "S" + random.nextInt(10);
            Instant time = Instant.parse("2026-07-01T00:00:00Z").plus(Duration.ofMinutes(minute));
            sales.add("{\"event_id\":\"e%d\",\"store_id\":\"%s\",\"event_time\":\"%s\",\"amount\":1}"
                    .formatted(i, store, time));
            sums.merge(store + " " + JsonRow.timeText(time.toEpochMilli() / 600_000 * 600_000), 1, Integer::sum);
        }
        broker.sendTogether(pipeline, sales);
        broker.endInput(pipeline, 0);
        String cache = "spring.kafka.streams.properties.statestore.cache.max.bytes=" + cacheBytes;
        Broker.whileRunning(
                broker.settings(pipeline, directory.resolve(pipeline), cache),
                () -> await().atMost(PATIENCE).untilAsserted(() -> {
                    Map<String, List<Integer>> versions = new TreeMap<>();
                    Map<String, Integer> latest = new TreeMap<>();
                    for (String value : broker.read(pipeline + "-totals")) {
                        JsonNode row = Totals.json(value);
                        if (row.get("version").intValue() > 0) {
                            String window = row.get("key").asString() + " "
                                    + row.get("window_start").asString();
                            versions.computeIfAbsent(window, w -> new ArrayList<>())
                                    .add(row.get("version").intValue());
                            latest.put(window, row.get("count").intValue());
                        }
                    }
                    assertThat(latest).isEqualTo(sums);
                    assertThat(versions.values()).allSatisfy(numbers -> {
                        int first = numbers.get(0);
                        assertThat(first).isBetween(1, 2);
                        for (int n = 0; n < numbers.size(); n++) {
                            assertThat(numbers.get(n)).isEqualTo(first + n);
                        }
                    });
                }));
    }

    @Test
    void stateOfOtherSettingsIsRefusedWithBothNamed() {
        broker.createTopic("tuned", 1);
        Path state = directory.resolve("tuned");
        Broker.whileRunning(broker.settings("tuned", state), () -> {
            broker.sale("tuned", "e1", "10:01:00", "1.50");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.read("tuned-ledger")).hasSize(1));
        });
        Map<String, String> settings = broker.settings("tuned", state, "tidemark.totals.grace=0s");
        settings.remove("tidemark.startup.exit-when-failed");
        try (AppProcess app = AppProcess.start(Path.of(""), settings, directory.resolve("processes"))) {
            assertThat(app.exitCode()).isEqualTo(1);
            assertThat(app.output())
                    .contains(
                            "The state of tuned-totals was written with grace 5m and is now 0s; set it back, use a new"
                                    + " pipeline name, or reset the pipeline as the README says.");
        }
    }

    @Test
    void aBadRecordOfAnyPartitionIsParkedInADeadLetterTopicOfOne() {
        broker.createTopic("parked", 6);
        broker.createTopic("parked-dead-letters", 1, Map.of("max.message.bytes", "1100000"));
        broker.sendTo("parked", 5, "rubbish");
        Broker.whileRunning(broker.settings("parked", directory.resolve("parked")), () -> await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(broker.read("parked-dead-letters")).containsExactly("rubbish")));
        // A restart parks nothing twice, because what was refused was committed, too.
        Broker.whileRunning(broker.settings("parked", directory.resolve("parked")), () -> {
            broker.sendTo("parked", 5, "more");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.read("parked-dead-letters"))
                    .containsExactly("rubbish", "more"));
        });
    }

    /** A header is no part of an event; one that is larger than a producer's request must not stop the app. */
    @Test
    void aSaleWithAHugeHeaderIsCounted() {
        broker.createTopic("headers", 1, Map.of("max.message.bytes", "4000000"));
        broker.sendWithHeader("headers", Broker.saleJson("e1", "10:01:00", "1.50"), new byte[1_200_000]);
        broker.sendWithHeader("headers", Broker.saleJson("e2", "10:16:00", "1.50"), new byte[1_200_000]);
        Broker.whileRunning(broker.settings("headers", directory.resolve("headers")), () -> await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(broker.published("headers")).containsExactly("10:00 v1 1.50")));
    }

    @Test
    void aQuietInputIsClosedOnARealBrokerAlsoAfterARestart() {
        broker.createTopic("quiet", 1);
        String[] settings = {
            "tidemark.totals.window.size=1s", "tidemark.totals.grace=1s", "tidemark.totals.idle-after=500ms"
        };
        Path state = directory.resolve("quiet");
        broker.sale("quiet", "e1", "10:00:00", "1.00");
        Broker.whileRunning(broker.settings("quiet", state, settings), () -> {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.published("quiet")).containsExactly("10:00 v1 1.00"));
        });
        Broker.whileRunning(broker.settings("quiet", state, settings), () -> {
            broker.sale("quiet", "e2", "10:00:00.500", "2.00");
            broker.sale("quiet", "e3", "10:05:00", "4.00");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published("quiet"))
                    .containsExactlyInAnyOrder("10:00 v1 1.00", "10:00 v2 3.00", "10:05 v1 4.00"));
        });
    }

    /** The trap: the operators of the plain DSL forget their time at a restart and publish a second final. */
    @Test
    void thePlainDslProgramPublishesASecondFinalAfterARestart() {
        broker.createTopic("plain", 1);
        broker.createTopic("plain-finals", 1);
        Path state = directory.resolve("plain");
        try (KafkaStreams streams = plainProgram(state)) {
            streams.start();
            plainSale("10:01:00", 350);
            plainSale("10:16:00", 1);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.read("plain-finals")).containsExactly("350"));
        }
        try (KafkaStreams streams = plainProgram(state)) {
            streams.start();
            plainSale("10:02:00", 80);
            plainSale("10:31:00", 1);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.read("plain-finals")).contains("350", "430"));
        }
    }

    private static void plainSale(String time, int amount) {
        broker.send("plain", "A", Instant.parse("2026-07-01T" + time + "Z").toEpochMilli() + "," + amount);
    }

    private static KafkaStreams plainProgram(Path state) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(
                        "plain",
                        Consumed.with(Serdes.String(), Serdes.String())
                                .withTimestampExtractor((record, time) ->
                                        Long.parseLong(record.value().toString().split(",")[0])))
                .mapValues(value -> Long.parseLong(value.split(",")[1]))
                .groupByKey(Grouped.with(Serdes.String(), Serdes.Long()))
                .windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMinutes(10), Duration.ofMinutes(5)))
                .reduce(Long::sum, Named.as("sum"), Materialized.with(Serdes.String(), Serdes.Long()))
                .suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded()))
                .toStream()
                .map((window, sum) -> KeyValue.pair(window.key(), Long.toString(sum)))
                .to("plain-finals", Produced.with(Serdes.String(), Serdes.String()));
        Properties properties = new Properties();
        properties.putAll(StreamsSettings.defaults(DataSize.ofKilobytes(512)));
        properties.putAll(StreamsSettings.required());
        properties.remove(StreamsConfig.ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG);
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "plain-program");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers());
        properties.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
        properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
        properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
        return new KafkaStreams(builder.build(), properties);
    }
}
