package dev.tidemark.enrich;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import dev.tidemark.common.StartRefusedException;
import dev.tidemark.embedded.KafkaTopics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.FileSystemUtils;

/** Enrichment on a real broker: what the app refuses, that the table is there first, and what restarts must not change. */
class EnrichIT {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String LIGHT = "spring.kafka.streams.properties.num.stream.threads=1";
    private static final String LITTLE = "tidemark.state.memory=16MB";

    private static final int LARGEST = 512 * 1024;

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
    void topicsThatCannotBePartitionedAlikeAreNamedWithBothNumbers() {
        broker.createInputs("uneven", 4, 3);

        assertThatThrownBy(() -> Broker.start(broker.settings("uneven", directory.resolve("uneven")))
                        .close())
                .hasRootCauseInstanceOf(StartRefusedException.class)
                .rootCause()
                .hasMessage("The input topics have different numbers of partitions, uneven-a 4 and uneven-c 3, so not"
                        + " all events of a key are in the same partition of each, as partitioned-by-key: true says; set"
                        + " it to false, or give them the same number.");
    }

    @Test
    void aBroadcastTableWithoutATopicIsRefused() {
        broker.topics().create("lonely-a", 1, Map.of());

        assertThatThrownBy(() -> Broker.start(broker.settings(
                                "lonely", directory.resolve("lonely"), "tidemark.enrich.table.broadcast=true"))
                        .close())
                .hasRootCauseInstanceOf(StartRefusedException.class)
                .rootCause()
                .hasMessageStartingWith("The input topic lonely-c does not exist on ");
    }

    @Test
    void theJarSaysInOneSentenceWhatIsWrongWithASetting() {
        try (AppProcess app = AppProcess.start(
                Path.of(""),
                broker.settings("wrong", directory.resolve("wrong"), "tidemark.enrich.table.history=0s"),
                directory.resolve("processes"))) {
            assertThat(app.exitCode()).isEqualTo(1);
            assertThat(app.output())
                    .contains("tidemark.enrich.table.history is 0s; it needs 1s to 3660d.")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void inFiveRunsNoActivityMissesAProfileThatIsThere() {
        runWhole("five", 1);
    }

    @Test
    @Tag("thorough")
    void inTwentyRunsNoActivityMissesAProfileThatIsThere() {
        runWhole("twenty", 4);
    }

    /** Its first record is its newest; and Kafka hands out the activities first, because their records are older. */
    @Test
    void aTableInAnyOrderIsReadBeforeActivitiesOfYears() {
        broker.createInputs("copied", 1, 1);
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            String time = "2026-07-01T%02d:%02d:00Z".formatted(i / 60 % 20, i % 60);
            sent.add(broker.send("copied-a", "C" + i % 1_000, Enrich.activityJson("A" + i, "C" + i % 1_000, time)));
        }
        KafkaTopics.await(sent);
        for (int i = 0; i < 1_000; i++) {
            String from = i == 0 ? "2026-07-01T23:00:00Z" : "2019-01-01T00:%02d:%02dZ".formatted(i / 60, i % 60);
            sent.add(broker.send("copied-c", "C" + (999 - i), Enrich.customerJson("C" + (999 - i), "gold", from)));
        }
        KafkaTopics.await(sent);
        Broker.whileRunning(
                broker.settings(
                        "copied",
                        directory.resolve("copied"),
                        "tidemark.enrich.idle-after=2s",
                        "tidemark.enrich.input.partitioned-by-key=true",
                        "tidemark.enrich.table.partitioned-by-key=true"),
                () -> await().atMost(Duration.ofMinutes(2))
                        .until(() -> broker.published("copied").size() >= 3_000));

        // C999 came into being at 23:00.
        assertThat(broker.published("copied"))
                .filteredOn(row -> row.contains("missing"))
                .hasSize(3);
    }

    /** Each run begins with empty state and reads 1,000 profiles and 5,000 activities that are all there. */
    private static void runWhole(String shared, int batches) {
        broker.createInputs(shared, 2, 2);
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            String customer = "C" + i % 1_000;
            String time = "2026-07-01T10:%02d:%02dZ".formatted(i / 100, i % 60);
            sent.add(broker.send(shared + "-a", customer, Enrich.activityJson("A" + i, customer, time)));
        }
        for (int i = 0; i < 1_000; i++) { // after the activities, and yet they are found
            sent.add(broker.send(shared + "-c", "C" + i, Enrich.customerJson("C" + i, "gold", "09:00:00")));
        }
        KafkaTopics.await(sent);
        broker.endInput(shared + "-a", 2);
        broker.endInput(shared + "-c", 2);
        for (int batch = 0; batch < batches; batch++) {
            runFive(shared, batch);
        }
    }

    /** Five runs side by side, because each lasts for some commits. */
    private static void runFive(String shared, int batch) {
        List<ConfigurableApplicationContext> apps = new ArrayList<>();
        try {
            for (int run = 0; run < 5; run++) {
                String pipeline = shared + batch + run;
                apps.add(Broker.start(broker.settings(
                        pipeline,
                        directory.resolve(pipeline),
                        LIGHT,
                        LITTLE,
                        "tidemark.enrich.input.topic=" + shared + "-a",
                        "tidemark.enrich.table.topic=" + shared + "-c",
                        "tidemark.enrich.input.partitioned-by-key=" + (run % 2 == 0),
                        "tidemark.enrich.table.partitioned-by-key=" + (run % 3 == 0))));
            }
            for (int run = 0; run < 5; run++) {
                String pipeline = shared + batch + run;
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(broker.topics().read(pipeline + "-enriched"))
                                .hasSize(5_000));
                assertThat(broker.published(pipeline)).allMatch(row -> row.endsWith(" v1 gold@09:00:00"));
            }
        } finally {
            apps.forEach(ConfigurableApplicationContext::close);
        }
    }

    @ParameterizedTest
    @CsvSource({"false, true", "false, false"})
    void topicsThatArePartitionedOtherwiseAreMovedToOneAnother(String activitiesByKey, String customersByKey) {
        String pipeline = "moved-" + activitiesByKey + "-" + customersByKey;
        broker.createInputs(pipeline, 4, 3);
        List<String> expected = new ArrayList<>();
        for (String customer : List.of("C1", "é-Ω-日本", "x".repeat(500), "C4", "C5")) {
            broker.activity(pipeline, "A" + expected.size(), customer, "10:00:00");
            expected.add("A" + expected.size() + " v1 gold@09:00:00");
            broker.customer(pipeline, customer, "gold", "09:00:00");
        }
        broker.endInput(pipeline + "-a", 4);
        broker.endInput(pipeline + "-c", 3);
        Map<String, String> settings = broker.settings(
                pipeline,
                directory.resolve(pipeline),
                LIGHT,
                "tidemark.enrich.input.partitioned-by-key=" + activitiesByKey,
                "tidemark.enrich.table.partitioned-by-key=" + customersByKey);

        Broker.whileRunning(
                settings, () -> await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published(pipeline))
                        .containsExactlyInAnyOrderElementsOf(expected)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWaitsAndWhatTheTableSaidSurvivesARestartAndALostDisk(boolean lostDisk) throws IOException {
        String pipeline = "restart-" + lostDisk;
        Path state = directory.resolve(pipeline);
        String[] more = {LIGHT, "tidemark.enrich.re-enrich-until=1d"};
        broker.createInputs(pipeline, 1, 1);
        Broker.whileRunning(broker.settings(pipeline, state, more), () -> {
            broker.customer(pipeline, "C1", "basic", "09:00:00");
            broker.customer(pipeline, "C1", "gold", "10:03:00");
            broker.activity(pipeline, "A0", "C0", "09:50:00");
            tick(pipeline, "10:04:00");
            broker.activity(pipeline, "A1", "C1", "10:02:00"); // two of one millisecond wait
            broker.activity(pipeline, "A2", "C1", "10:02:00");
            broker.activity(pipeline, "A3", "C1", "10:03:00");
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(broker.published(pipeline))
                        .containsExactly("A0 v1 missing: customers has nothing for its key");
                assertThat(broker.processed(pipeline)).isEqualTo(8);
            });
        });
        if (lostDisk) {
            assertThat(FileSystemUtils.deleteRecursively(state)).isTrue();
        }
        Broker.whileRunning(broker.settings(pipeline, state, more), () -> {
            broker.activity(pipeline, "A4", "C1", "10:02:00");
            broker.customer(pipeline, "C1", "plus", "10:04:30");
            broker.customer(pipeline, "C0", "plus", "09:40:00");
            tick(pipeline, "12:00:00");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published(pipeline))
                    .containsExactlyInAnyOrder(
                            "A0 v1 missing: customers has nothing for its key",
                            "A0 v2 plus@09:40:00: what customers says of it from 2026-07-01T09:40:00.000Z on came later",
                            "A1 v1 basic@09:00:00",
                            "A2 v1 basic@09:00:00",
                            "A4 v1 basic@09:00:00",
                            "A3 v1 gold@10:03:00"));
        });
    }

    /** What is longer as a text within the row than it is in its record, up to the last byte that is read. */
    @Test
    void theLargestEventAndProfileMakeARowWhateverTheyConsistOf() {
        broker.createInputs("large", 1, 1);
        List<String> fills = List.of("\\\"", "\\\\", "\\u0001", "\\n", "\u007f", "é", "\ud83d\ude00", "\ufffd");
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < fills.size(); i++) {
            String customer = "C" + i;
            String profile = Enrich.customerJson(customer, "gold", "09:00:00");
            sent.add(broker.send("large-c", customer, filled(profile, "\"name\":\"", fills.get(i))));
            String activity = Enrich.activityJson("A" + i, customer, "10:00:00").replace("}", ",\"note\":\"\"}");
            sent.add(broker.send("large-a", customer, filled(activity, "\"note\":\"", fills.get(i))));
            expected.add("A" + i + " v1 gold@09:00:00");
        }
        KafkaTopics.await(sent);
        broker.endInput("large-a", 1);
        broker.endInput("large-c", 1);
        Map<String, String> settings = broker.settings(
                "large",
                directory.resolve("large"),
                LIGHT,
                // Otherwise the broker measures what compression makes of it.
                "spring.kafka.streams.properties.producer.compression.type=none");

        Broker.whileRunning(
                settings, () -> await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published("large"))
                        .containsExactlyInAnyOrderElementsOf(expected)));
        assertThat(broker.topics().read("large-enriched"))
                .anyMatch(row -> row.getBytes(StandardCharsets.UTF_8).length > 2 * 2 * LARGEST - 1_000);
    }

    /** JSON that is as large as can be, because one of its texts begins with many of the same. */
    private static String filled(String json, String before, String fill) {
        int room = LARGEST - json.getBytes(StandardCharsets.UTF_8).length;
        int bytes = fill.getBytes(StandardCharsets.UTF_8).length;
        return json.replace(before, before + fill.repeat(room / bytes) + "x".repeat(room % bytes));
    }

    private static void tick(String pipeline, String time) {
        broker.activity(pipeline, "tick" + time, "tick", time);
        broker.customer(pipeline, "tick", "basic", time);
    }

    @Test
    void aBroadcastTableServesOtherKeysAndNumbersOfPartitions() {
        broker.createInputs("broadcast", 3, 5);
        for (int i = 0; i < 10; i++) {
            broker.customer("broadcast", "S" + i, "gold", "09:00:00");
        }
        Map<String, String> settings = broker.settings(
                "broadcast",
                directory.resolve("broadcast"),
                "tidemark.enrich.table.broadcast=true",
                "tidemark.enrich.input.key=/store");
        for (int restart = 0; restart < 2; restart++) {
            List<String> expected = new ArrayList<>();
            int from = 10 * restart;
            Broker.whileRunning(settings, () -> {
                for (int i = from; i < from + 10; i++) {
                    String json = "{\"activity_id\":\"A%d\",\"store\":\"S%d\",\"at\":\"2026-07-01T10:00:00Z\"}"
                            .formatted(i, i % 10);
                    broker.topics().send("broadcast-a", "other" + i, json);
                }
                for (int i = 0; i < from + 10; i++) {
                    expected.add("A" + i + " v1 gold@09:00:00");
                }
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published("broadcast"))
                        .containsExactlyInAnyOrderElementsOf(expected));
            });
        }
    }
}
