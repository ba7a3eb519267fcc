package dev.tidemark.pairs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** An app that is killed again and again publishes the same pairs as one that is not. */
@Timeout(1200)
class PairsKillIT {

    private static final int ORDERS = Integer.getInteger("kill.orders", 100_000);
    private static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(8);
    private static final Instant START = Instant.parse("2026-07-01T00:00:00Z");

    @TempDir
    Path directory;

    private final Random random = new Random(20260701);
    /** The rows that are owed: their status by {@code left right}. */
    private final Map<String, String> owed = new TreeMap<>();

    private final List<Future<RecordMetadata>> sent = new ArrayList<>();

    @Test
    void fiveKillsLeaveNoTraceInThePairs() throws IOException {
        try (Broker broker = new Broker(directory.resolve("kafka"))) {
            broker.createInputs("killed", PARTITIONS, PARTITIONS);

            killFiveTimes(broker);

            requireEveryPairOnce(broker);
        }
    }

    /** It takes over the partitions of the one that is killed, and gives them back. */
    @Test
    @Tag("thorough")
    void norDoTheyWithAnotherInstanceBesideIt() throws IOException {
        try (Broker broker = new Broker(directory.resolve("kafka"))) {
            broker.createInputs("killed", PARTITIONS, PARTITIONS);
            try (AppProcess beside = start(broker, "beside")) {

                killFiveTimes(broker);

                assertThat(beside.isAlive()).isTrue();
            }
            requireEveryPairOnce(broker);
        }
    }

    private void killFiveTimes(Broker broker) {
        AppProcess app = start(broker, "state");
        int interrupted = 0;
        for (int kill = 1; kill <= 5; kill++) {
            send(broker, (kill - 1) * (ORDERS / 5), kill * (ORDERS / 5));
            long half = (2L * kill - 1) * sent.size() / (2L * kill);
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> broker.processed("killed") >= half);
            app.kill();
            interrupted += broker.processed("killed") < sent.size() ? 1 : 0;
            app = start(broker, "state");
        }
        broker.endInput("killed", "-o", PARTITIONS);
        broker.endInput("killed", "-p", PARTITIONS);
        await().atMost(PATIENCE).until(() -> broker.processed("killed") >= sent.size() + 2L * PARTITIONS);
        app.close();
        assertThat(interrupted).as("kills in the middle of work").isGreaterThan(1);
    }

    private void requireEveryPairOnce(Broker broker) {
        Map<String, String> published = new TreeMap<>();
        for (String text : broker.topics().read("killed-pairs")) {
            JsonNode row = Pairs.json(text);
            String pair =
                    row.get("left_id").asString() + " " + row.get("right_id").asString();
            assertThat(published.put(pair, row.get("status").asString()))
                    .as("%s is published once", pair)
                    .isNull();
        }
        assertThat(published).isEqualTo(owed);
        assertThat(counted(broker)).isEqualTo(sent.size());
    }

    private AppProcess start(Broker broker, String state) {
        return AppProcess.start(
                Path.of(""),
                broker.settings(
                        "killed",
                        directory.resolve(state),
                        // Many transactions to be interrupted, and no long wait for the dead.
                        "spring.kafka.streams.properties.commit.interval.ms=200",
                        "spring.kafka.streams.properties.consumer.session.timeout.ms=6000",
                        "tidemark.startup.exit-when-failed=true"),
                directory.resolve(state + "-processes"));
    }

    /** Orders of a day in order, each tenth never paid, each tenth paid twice, and each hundredth payment without an order. */
    private void send(Broker broker, int from, int to) {
        for (int i = from; i < to; i++) {
            Instant time = START.plusMillis(i * Duration.ofDays(1).toMillis() / ORDERS);
            String order = "O" + i;
            String key = i % 100 == 1 ? "X" + i : order;
            send(broker, "killed-o", order, Pairs.orderJson(order, time.toString()));
            int payments = i % 10 == 0 ? 0 : i % 10 == 5 ? 2 : 1;
            for (int p = 0; p < payments; p++) {
                String payment = "P" + i + "-" + p;
                String at = time.plusMillis(random.nextInt(60_000)).toString();
                send(broker, "killed-p", key, Pairs.paymentJson(payment, key, at));
                owed.put(
                        (key.equals(order) ? order : "") + " " + payment,
                        key.equals(order) ? "matched" : "right-unmatched");
            }
            if (payments == 0 || !key.equals(order)) {
                owed.put(order + " ", "left-unmatched");
            }
        }
        broker.topics().producer().flush();
    }

    private void send(Broker broker, String topic, String key, String value) {
        sent.add(broker.topics().producer().send(new ProducerRecord<>(topic, key, value)));
    }

    private static long counted(Broker broker) {
        Map<String, JsonNode> latest = new HashMap<>();
        for (String text : broker.topics().read("killed-ledger")) {
            JsonNode row = Pairs.json(text);
            latest.put(row.get("source_topic").asString() + row.get("source_partition"), row);
        }
        return latest.values().stream()
                .mapToLong(row -> row.get("counted").longValue())
                .sum();
    }
}
