package dev.tidemark.pairs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import dev.tidemark.common.StartRefusedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.FileSystemUtils;

/** Pairs on a real broker: what the app refuses, and what restarts, disks and commits must not change. */
class PairsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

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
    void inputsThatCannotBePartitionedAlikeAreNamedWithBothNumbers() {
        broker.createInputs("uneven", 4, 3);

        assertThatThrownBy(() -> Broker.start(broker.settings("uneven", directory.resolve("uneven")))
                        .close())
                .hasRootCauseInstanceOf(StartRefusedException.class)
                .rootCause()
                .hasMessage("The input topics have different numbers of partitions, uneven-o 4 and uneven-p 3, so not"
                        + " all events of a key are in the same partition of each, as partitioned-by-key: true says; set"
                        + " it to false, or give them the same number.");
    }

    @Test
    void theJarSaysInOneSentenceWhatIsWrongWithASetting() {
        assertThat(output("tidemark.pairs.left.max-size=0B"))
                .contains("tidemark.pairs.left.max-size is 0B, but 1B to 64MB is allowed.");
        assertThat(output("tidemark.pairs.within.after=-1s"))
                .contains("tidemark.pairs.within.after is -1s; it needs 0s to 366d.");
        assertThat(output("tidemark.pairs.expect=one-to-none"))
                .contains("tidemark.pairs.expect")
                .contains("is \"one-to-none\", which is not a Expectation");
    }

    private static String output(String setting) {
        try (AppProcess app = AppProcess.start(
                Path.of(""),
                broker.settings("wrong", directory.resolve("wrong"), setting),
                directory.resolve("processes"))) {
            assertThat(app.exitCode()).isEqualTo(1);
            assertThat(app.output()).doesNotContain("\tat ");
            return app.output();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void inputsThatArePartitionedOtherwiseAreMovedToOneAnother(String leftByKey) {
        String pipeline = "moved-" + leftByKey;
        broker.createInputs(pipeline, 4, 3);
        List<String> expected = new ArrayList<>();
        for (String order : List.of("O1", "é-Ω-日本", "x".repeat(500), "O4", "O5")) {
            broker.order(pipeline, order, "10:00:00");
            broker.payment(pipeline, "P" + order, order, "10:01:00");
            expected.add(order + " P" + order + " v1");
        }
        broker.topics().sendTo(pipeline + "-p", 0, Pairs.paymentJson("Q1", "O1", "10:02:00"));
        broker.topics().sendTo(pipeline + "-p", 2, Pairs.paymentJson("Q2", "O1", "10:02:00"));
        expected.addAll(List.of("O1 Q1 v1", "O1 Q2 v1"));
        broker.endInput(pipeline, "-o", 4);
        broker.endInput(pipeline, "-p", 3);
        Map<String, String> settings = broker.settings(
                pipeline,
                directory.resolve(pipeline),
                "tidemark.pairs.left.partitioned-by-key=" + leftByKey,
                "tidemark.pairs.right.partitioned-by-key=false");

        Broker.whileRunning(
                settings, () -> await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published(pipeline))
                        .containsExactlyInAnyOrderElementsOf(expected)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsWaitedForAndRememberedSurvivesARestartAndALostDisk(boolean lostDisk) throws IOException {
        String pipeline = "restart-" + lostDisk;
        Path state = directory.resolve(pipeline);
        broker.createInputs(pipeline, 1, 1);
        Broker.whileRunning(broker.settings(pipeline, state), () -> {
            broker.order(pipeline, "O1", "10:00:00");
            broker.payment(pipeline, "P0", "O0", "10:00:00");
            tick(pipeline, "10:35:01");
            broker.payment(pipeline, "P2", "O2", "10:31:00"); // waits for its order, with the next of one millisecond
            broker.payment(pipeline, "P3", "O2", "10:31:00");
            broker.order(pipeline, "O4", "10:31:00");
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(broker.published(pipeline))
                        .containsExactlyInAnyOrder(
                                "O1 - v1 no payments within 30m", "- P0 v1 no orders within 30m before");
                assertThat(broker.processed(pipeline)).isEqualTo(7);
            });
        });
        if (lostDisk) {
            assertThat(FileSystemUtils.deleteRecursively(state)).isTrue();
        }
        Broker.whileRunning(broker.settings(pipeline, state), () -> {
            broker.payment(pipeline, "P1", "O1", "10:10:00");
            List.of("P4", "P5", "P6", "P7") // of the same millisecond
                    .forEach(payment -> broker.payment(pipeline, payment, "O2", "10:31:00"));
            broker.order(pipeline, "O2", "10:31:00");
            tick(pipeline, "12:00:00");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published(pipeline))
                    .containsExactlyInAnyOrder(
                            "O1 - v1 no payments within 30m",
                            "- P0 v1 no orders within 30m before",
                            "O1 P1 v2 late",
                            "O2 P2 v1",
                            "O2 P3 v1",
                            "O2 P4 v1",
                            "O2 P5 v1",
                            "O2 P6 v1",
                            "O2 P7 v1",
                            "O4 - v1 no payments within 30m"));
        });
    }

    /** Both topics claim to be partitioned by key, and one record is not. */
    @Test
    void anEventInAWrongPartitionIsNeverQuietlyMissing() {
        String pipeline = "misplaced";
        broker.createInputs(pipeline, 4, 4);
        int right = Utils.toPositive(Utils.murmur2("O1".getBytes(StandardCharsets.UTF_8))) % 4;
        broker.order(pipeline, "O1", "10:00:00");
        broker.topics().sendTo(pipeline + "-p", (right + 1) % 4, Pairs.paymentJson("P1", "O1", "10:01:00"));
        broker.endInput(pipeline, "-o", 4);
        broker.endInput(pipeline, "-p", 4);

        Broker.whileRunning(broker.settings(pipeline, directory.resolve(pipeline)), () -> await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(broker.published(pipeline))
                        .containsExactlyInAnyOrder(
                                "O1 - v1 no payments within 30m", "- P1 v1 no orders within 30m before")));
    }

    /** One topic never had a record, and nothing ever comes again. */
    @Test
    void anOrderIsUnmatchedByWallTimeAfterARestart() {
        String pipeline = "quiet";
        Path state = directory.resolve(pipeline);
        broker.createInputs(pipeline, 1, 1);
        String[] quick = {"tidemark.pairs.within.after=2s", "tidemark.pairs.grace=1s"};
        Broker.whileRunning(broker.settings(pipeline, state, quick), () -> {
            broker.order(pipeline, "O1", "10:00:00");
            broker.topics().producer().flush();
            await().atMost(PATIENCE).until(() -> broker.processed(pipeline) == 1);
        });
        assertThat(broker.published(pipeline)).isEmpty();

        Broker.whileRunning(
                broker.settings(pipeline, state, quick[0], quick[1], "tidemark.pairs.idle-after=1s"),
                () -> await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published(pipeline))
                        .containsExactly("O1 - v1 no payments within 2s")));
        assertThat(Pairs.json(broker.topics().read(pipeline + "-pairs").get(0))
                        .get("closed_by")
                        .asString())
                .isEqualTo("idle");
    }

    /** Each quote of an event takes four times as much in a row, which holds two events. */
    @Test
    void eventsOfFourMegabytesArePairedWhateverBecomesOfThem() throws IOException {
        String pipeline = "large";
        Path state = directory.resolve(pipeline);
        broker.createInputs(pipeline, 1, 1, Map.of("max.message.bytes", "5000000"));
        Map<String, String> settings = broker.settings(
                pipeline, state, "tidemark.pairs.left.max-size=4MB", "tidemark.pairs.right.max-size=4MB");
        Broker.whileRunning(settings, () -> {
            sendLarge(pipeline + "-o", Pairs.orderJson("O1", "10:00:00"));
            sendLarge(pipeline + "-p", Pairs.paymentJson("P1", "O1", "10:01:00"));
            sendLarge(pipeline + "-p", Pairs.paymentJson("P1", "O1", "10:01:00")); // duplicate
            sendLarge(pipeline + "-p", Pairs.paymentJson("P1", "O1", "10:02:00")); // conflicting
            sendLarge(pipeline + "-o", Pairs.orderJson("O2", "10:00:00"));
            tick(pipeline, "10:40:00");
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(broker.published(pipeline)).contains("O2 - v1 no payments within 30m");
                assertThat(broker.processed(pipeline)).isEqualTo(7);
            });
        });
        assertThat(FileSystemUtils.deleteRecursively(state)).isTrue();
        Broker.whileRunning(settings, () -> {
            sendLarge(pipeline + "-p", Pairs.paymentJson("P2", "O2", "10:01:00")); // late
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published(pipeline))
                    .containsExactlyInAnyOrder("O1 P1 v1", "O2 - v1 no payments within 30m", "O2 P2 v2 late"));
        });
        assertThat(broker.topics().read(pipeline + "-pairs").stream().mapToInt(String::length))
                .filteredOn(length -> length > 15_000_000)
                .hasSize(2);
    }

    /** Sends an event with a field of quotes, four million bytes of it. */
    private static void sendLarge(String topic, String json) {
        String note = ",\"note\":\"" + "\\\"".repeat(2_000_000) + "\"}";
        broker.topics().sendTo(topic, 0, json.substring(0, json.length() - 1) + note);
    }

    private static void tick(String pipeline, String time) {
        broker.order(pipeline, "tick" + time, time);
        broker.payment(pipeline, "tickp" + time, "tick" + time, time);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 30_000})
    void neitherTheOrderOfArrivalNorTheCommitsMatter(int commitMillis) {
        publishTheSamePairs(commitMillis, 0, 3);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 30_000})
    @Tag("thorough")
    void twentyRunsOfTwentyPublishTheSamePairs(int commitMillis) {
        publishTheSamePairs(commitMillis, 3, 10);
    }

    /** Side by side, because each lasts for some commits. */
    private static void publishTheSamePairs(int commitMillis, int first, int count) {
        List<Shuffled> runs = IntStream.range(first, first + count)
                .mapToObj(run -> new Shuffled(commitMillis, run))
                .toList();
        whileAllAreRunning(runs, run -> run.send(15));
        whileAllAreRunning(runs, run -> {
            run.send(50);
            broker.endInput(run.pipeline, "-o", 1);
            broker.endInput(run.pipeline, "-p", 1);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published(run.pipeline))
                    .containsExactlyInAnyOrderElementsOf(run.expected));
        });
    }

    private static void whileAllAreRunning(List<Shuffled> runs, Consumer<Shuffled> action) {
        List<ConfigurableApplicationContext> apps = new ArrayList<>();
        try {
            runs.forEach(run -> apps.add(Broker.start(run.settings())));
            runs.forEach(action);
        } finally {
            apps.forEach(ConfigurableApplicationContext::close);
        }
    }

    /** Orders of less than four minutes with their payments, in any order; the grace is five. */
    private static final class Shuffled {

        private final String pipeline;
        private final int commitMillis;
        private final List<String> expected = new ArrayList<>();
        private final Deque<Runnable> unsent;

        Shuffled(int commitMillis, int run) {
            this.pipeline = "shuffled-" + commitMillis + "-" + run;
            this.commitMillis = commitMillis;
            broker.createInputs(pipeline, 1, 1);
            List<Runnable> all = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                String order = "O" + i;
                Instant time = Instant.parse("2026-07-01T10:00:00Z").plusSeconds(7L * i);
                all.add(() -> broker.order(pipeline, order, time.toString()));
                if (i % 3 == 0) {
                    expected.add(order + " - v1 no payments within 30m");
                } else {
                    String paid = time.plusSeconds(3).toString();
                    all.add(() -> broker.payment(pipeline, "P" + order, order, paid));
                    expected.add(order + " P" + order + " v1");
                }
            }
            Collections.shuffle(all, new Random(run));
            unsent = new ArrayDeque<>(all);
        }

        void send(int most) {
            for (int count = 0; count < most && !unsent.isEmpty(); count++) {
                unsent.remove().run();
            }
        }

        Map<String, String> settings() {
            return broker.settings(
                    pipeline,
                    directory.resolve(pipeline),
                    "tidemark.state.memory=16MB",
                    "spring.kafka.streams.properties.num.stream.threads=1",
                    "spring.kafka.streams.properties.commit.interval.ms=" + commitMillis,
                    "spring.kafka.streams.properties.producer.transaction.timeout.ms=60000");
        }
    }
}
