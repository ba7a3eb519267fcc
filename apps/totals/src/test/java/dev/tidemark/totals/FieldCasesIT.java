package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.streams.KafkaStreams;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;
import tools.jackson.databind.JsonNode;

/** What has gone wrong for others when partitions are quiet, processes die or topics take no more. */
class FieldCasesIT {

    private static final Duration PATIENCE = Duration.ofSeconds(600);
    private static final String MINUTES = "tidemark.totals.window.size=1m";
    private static final String HALF_A_MINUTE = "tidemark.totals.grace=30s";
    /** How long the group waits for a member that was killed. */
    private static final String SESSION = "spring.kafka.streams.properties.consumer.session.timeout.ms=6000";

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

    /** Elsewhere one partition without records held the results of all back, or its own were never closed. */
    @Test
    void aQuietPartitionHoldsNothingBackAndIsClosedWhenItIsIdle() {
        broker.createTopic("quiet-one", 2);
        Path state = directory.resolve("quiet-one");
        String seconds = "tidemark.totals.window.size=1s";
        String grace = "tidemark.totals.grace=500ms";
        List<String> expected = new ArrayList<>();
        broker.sendTo("quiet-one", 0, Totals.saleJson("A", "a", "10:00:00.100", "1"));
        for (int second = 0; second <= 10; second++) {
            String time = "10:00:%02d".formatted(second);
            broker.sendTo("quiet-one", 1, Totals.saleJson("B", "b" + second, time, "1"));
            if (second < 9) {
                expected.add("B " + time + " watermark");
            }
        }
        Broker.whileRunning(
                broker.settings("quiet-one", state, seconds, grace, "tidemark.totals.idle-after=1h"),
                () -> await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(finals("quiet-one")).containsExactlyElementsOf(expected)));
        expected.add("A 10:00:00 idle");
        expected.add("B 10:00:09 idle");
        expected.add("B 10:00:10 idle");
        Broker.whileRunning(
                broker.settings("quiet-one", state, seconds, grace, "tidemark.totals.idle-after=500ms"),
                () -> await().atMost(PATIENCE).untilAsserted(() -> assertThat(finals("quiet-one"))
                        .containsExactlyInAnyOrderElementsOf(expected)));
    }

    private static List<String> finals(String pipeline) {
        return broker.read(pipeline + "-totals").stream()
                .map(Totals::json)
                .filter(row -> row.get("version").intValue() > 0)
                .map(row -> row.get("key").asString() + " "
                        + row.get("window_start").asString().substring(11, 19) + " "
                        + row.get("closed_by").asString())
                .toList();
    }

    /** Elsewhere the first sale after a restart gave the time anew, and an expired window was opened again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWindowStaysClosedWhenTheProcessIsKilled(boolean onTheSameMachine) {
        String pipeline = "killed-" + onTheSameMachine;
        broker.createTopic(pipeline, 1);
        Path state = directory.resolve(pipeline);
        try (AppProcess app = process(pipeline, state)) {
            broker.send(pipeline, null, Totals.saleJson("A", "a1", "10:00:10", "1.00"));
            broker.send(pipeline, null, Totals.saleJson("A", "a2", "2999-01-01T00:00:00Z", "1.00"));
            broker.send(pipeline, null, Totals.saleJson("B", "b1", "10:05:00", "5.00"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.published(pipeline)).containsExactly("10:00 v1 1.00"));
            app.kill();
        }
        Path stateAfter = onTheSameMachine ? state : directory.resolve(pipeline + "-elsewhere");
        Broker.whileRunning(broker.settings(pipeline, stateAfter, MINUTES, HALF_A_MINUTE, SESSION), () -> {
            broker.send(pipeline, null, Totals.saleJson("A", "a3", "10:00:40", "9.00"));
            broker.endInput(pipeline, 0);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published(pipeline))
                    .containsExactly("10:00 v1 1.00", "10:00 v2 10.00", "10:05 v1 5.00"));
        });
    }

    private static AppProcess process(String pipeline, Path state, String... more) {
        Map<String, String> settings = broker.settings(pipeline, state, more);
        for (String setting : List.of(MINUTES, HALF_A_MINUTE, SESSION)) {
            settings.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        settings.remove("tidemark.startup.exit-when-failed");
        return AppProcess.start(Path.of(""), settings, directory.resolve("processes"));
    }

    /** Elsewhere the id of such a sale was remembered, but the sale was not, and so it was its own duplicate. */
    @Test
    void aSaleThatWasProcessedButNotCommittedIsCountedOnceByWhoeverTakesOver() {
        String pipeline = "taken-over";
        String standby = "spring.kafka.streams.properties.num.standby.replicas=1";
        String seldom = "spring.kafka.streams.properties.commit.interval.ms=8000";
        broker.createTopic(pipeline, 1);
        broker.send(pipeline, null, Totals.saleJson("A", "e1", "10:00:10", "10.00"));
        ConfigurableApplicationContext second;
        try (AppProcess first = process(pipeline, directory.resolve("first"), standby, seldom)) {
            await().atMost(PATIENCE).until(() -> broker.committed(pipeline, 0) == 1);
            second = Broker.start(
                    broker.settings(pipeline, directory.resolve("second"), MINUTES, HALF_A_MINUTE, SESSION, standby));
            awaitRunning(second);
            // Right after a commit, the next one is seconds away.
            broker.send(pipeline, null, Totals.saleJson("A", "e1", "10:00:10", "10.00"));
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> broker.committed(pipeline, 0) == 2);

            broker.send(pipeline, null, Totals.saleJson("A", "e2", "10:00:20", "20.00"));
            broker.send(pipeline, null, "rubbish");
            // A dead letter is sent at once, so what came before it has been processed.
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> broker.readUncommitted(
                            pipeline + "-dead-letters")
                    .contains("rubbish"));
            first.kill();
            assertThat(broker.committed(pipeline, 0)).isEqualTo(2);
        }
        try (AppProcess first = process(pipeline, directory.resolve("first"), standby)) {
            await().atMost(PATIENCE).until(() -> broker.committed(pipeline, 0) == 4);
            second.close();
            broker.send(pipeline, null, Totals.saleJson("A", "e2", "10:00:20", "20.00"));
            broker.endInput(pipeline, 0);

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.published(pipeline)).containsExactly("10:00 v1 30.00"));
            assertThat(first.isAlive()).isTrue();
        }
        assertThat(broker.read(pipeline + "-dead-letters")).containsExactly("rubbish");
        JsonNode ledger = broker.ledger(pipeline);
        assertThat(ledger.get("received").intValue()).isEqualTo(5);
        assertThat(ledger.get("counted").intValue()).isEqualTo(2);
        assertThat(ledger.get("duplicate").intValue()).isEqualTo(2);
    }

    private static void awaitRunning(ConfigurableApplicationContext app) {
        StreamsBuilderFactoryBean streams = app.getBean(StreamsBuilderFactoryBean.class);
        await().atMost(PATIENCE).until(() -> streams.getKafkaStreams().state() == KafkaStreams.State.RUNNING);
    }

    /** Elsewhere a skipped record was not committed, so that it was skipped again at each start and the lag never zero. */
    @Test
    void badTimesAtTheEndOfAPartitionAreParkedOnceAndCommitted() {
        String pipeline = "untimely";
        broker.createTopic(pipeline, 1);
        List<String> bad = new ArrayList<>();
        for (String time : List.of("null", "\"\"", "-1", "\"yesterday\"")) {
            bad.add("{\"event_id\":\"e\",\"store_id\":\"A\",\"amount\":1,\"event_time\":" + time + "}");
        }
        broker.send(pipeline, null, Totals.saleJson("A", "e1", "10:00:10", "1.00"));
        bad.forEach(value -> broker.send(pipeline, null, value));
        for (int start = 0; start < 3; start++) {
            ConfigurableApplicationContext app = Broker.start(broker.settings(pipeline, directory.resolve(pipeline)));
            try {
                awaitRunning(app);
                await().atMost(PATIENCE).until(() -> broker.committed(pipeline, 0) == 5);
            } finally {
                app.close();
            }
        }
        Broker.whileRunning(broker.settings(pipeline, directory.resolve(pipeline)), () -> {
            broker.send(pipeline, null, "last");
            await().atMost(PATIENCE).until(() -> broker.committed(pipeline, 0) == 6);
        });

        bad.add("last");
        assertThat(broker.read(pipeline + "-dead-letters")).isEqualTo(bad);
        assertThat(broker.ledger(pipeline).get("received").intValue()).isEqualTo(6);
    }

    /** Elsewhere a sale that its producer had taken back was counted, and the one that it then stood for was its duplicate. */
    @Test
    void aSaleOfAnAbortedTransactionWasNeverThere() {
        String pipeline = "taken-back";
        broker.createTopic(pipeline, 1);
        String sale = Totals.saleJson("A", "e1", "10:00:10", "10.00");
        broker.sendInTransaction(pipeline, sale, KafkaProducer::abortTransaction);
        broker.sendInTransaction(pipeline, sale, KafkaProducer::commitTransaction);
        broker.endInput(pipeline, 0);

        Broker.whileRunning(broker.settings(pipeline, directory.resolve(pipeline), MINUTES), () -> await().atMost(
                        PATIENCE)
                .untilAsserted(() -> assertThat(broker.published(pipeline)).containsExactly("10:00 v1 10.00")));
        assertThat(broker.readUncommitted(pipeline)).contains(sale, sale);
        assertThat(broker.ledger(pipeline).get("received").intValue()).isEqualTo(1);
    }

    /** Elsewhere the record that could not be parked was lost, or tried again for ever. */
    @Test
    void theAppStopsBeforeARecordThatItCannotParkAndParksItWhenItCan() throws ExecutionException, InterruptedException {
        String pipeline = "full";
        Path state = directory.resolve(pipeline);
        broker.createTopic(pipeline, 1);
        try (AppProcess app = process(pipeline, state)) {
            broker.send(pipeline, null, Totals.saleJson("A", "e1", "10:00:10", "1.00"));
            await().atMost(PATIENCE).until(() -> broker.committed(pipeline, 0) == 1);
            setMaxMessageBytes(pipeline + "-dead-letters", 100);
            broker.send(pipeline, null, "rubbish");
            broker.send(pipeline, null, Totals.saleJson("A", "e2", "10:00:20", "2.00"));

            assertThat(app.exitCode()).isEqualTo(1);
            assertThat(app.output())
                    .contains("The streams client stops because of an unexpected error; nothing past it was committed.")
                    .contains("full-dead-letters");
        }
        assertThat(broker.committed(pipeline, 0)).isEqualTo(1);
        assertThat(broker.read(pipeline + "-dead-letters")).isEmpty();

        setMaxMessageBytes(pipeline + "-dead-letters", 2_000_000);
        try (AppProcess app = process(pipeline, state)) {
            broker.endInput(pipeline, 0);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.published(pipeline)).containsExactly("10:00 v1 3.00"));
            assertThat(broker.read(pipeline + "-dead-letters")).containsExactly("rubbish");
            assertThat(app.isAlive()).isTrue();
        }
    }

    private static void setMaxMessageBytes(String topic, int bytes) throws ExecutionException, InterruptedException {
        ConfigEntry entry = new ConfigEntry("max.message.bytes", Integer.toString(bytes));
        broker.admin()
                .incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, topic),
                        List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET))))
                .all()
                .get();
    }
}
