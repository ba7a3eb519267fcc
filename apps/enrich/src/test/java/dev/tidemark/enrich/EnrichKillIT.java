package dev.tidemark.enrich;

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
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** An app that is killed again and again publishes what a recomputation says, row by row. */
@Timeout(900)
class EnrichKillIT {

    private static final int PARTITIONS = 4;
    private static final int CUSTOMERS = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(8);
    private static final Instant START = Instant.parse("2026-07-01T00:00:00Z");

    @TempDir
    Path directory;

    private final Random random = new Random(20260701);
    private final Map<String, TreeMap<Long, String>> plans = new HashMap<>();
    /** Plan and its time, or missing, by activity. */
    private final Map<String, String> owed = new TreeMap<>();

    private final List<Future<RecordMetadata>> sent = new ArrayList<>();
    private int activities;

    @Test
    void twoKillsLeaveNoTraceInTheRows() throws IOException {
        killed(2, 30_000);
    }

    @Test
    @Tag("thorough")
    void twentyKillsLeaveNoTraceInTheRows() throws IOException {
        killed(20, 600_000);
    }

    private void killed(int kills, int count) throws IOException {
        try (Broker broker = new Broker(directory.resolve("kafka"))) {
            broker.createInputs("killed", PARTITIONS, PARTITIONS);
            AppProcess app = start(broker);
            int interrupted = 0;
            for (int kill = 1; kill <= kills; kill++) {
                send(broker, count / kills, count);
                long half = (2L * kill - 1) * sent.size() / (2L * kill);
                await().atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(10))
                        .until(() -> broker.processed("killed") >= half);
                app.kill();
                interrupted += broker.processed("killed") < sent.size() ? 1 : 0;
                app = start(broker);
            }
            broker.endInput("killed-a", PARTITIONS);
            broker.endInput("killed-c", PARTITIONS);
            await().atMost(PATIENCE).until(() -> broker.processed("killed") >= sent.size() + 2L * PARTITIONS);
            app.close();

            assertThat(interrupted).as("kills in the middle of work").isPositive();
            recompute();
            assertThat(published(broker)).isEqualTo(owed);
            assertThat(broker.topics().read("killed-exceptions")).isEmpty();
        }
    }

    private AppProcess start(Broker broker) {
        return AppProcess.start(
                Path.of(""),
                broker.settings(
                        "killed",
                        directory.resolve("state"),
                        // Many transactions to be interrupted, and no long wait for the dead.
                        "spring.kafka.streams.properties.commit.interval.ms=200",
                        "spring.kafka.streams.properties.consumer.session.timeout.ms=6000",
                        "tidemark.startup.exit-when-failed=true"),
                directory.resolve("processes"));
    }

    /** A day of activities of customers who change their plan now and then; both are up to four minutes out of order. */
    private void send(Broker broker, int more, int ofAll) {
        for (int i = 0; i < more; i++) {
            long now = START.plusMillis(activities * Duration.ofDays(1).toMillis() / ofAll)
                    .toEpochMilli();
            String customer = "C" + random.nextInt(CUSTOMERS + 20);
            String id = "A" + activities++;
            long at = now - random.nextInt(activities < 1_000 ? 1 : 240_000);
            owed.put(id, customer + " " + at);
            String time = Instant.ofEpochMilli(at).toString();
            sent.add(broker.send("killed-a", customer, Enrich.activityJson(id, customer, time)));
            if (random.nextInt(10) == 0) {
                String changed = "C" + random.nextInt(CUSTOMERS);
                long from = now - random.nextInt(activities < 1_000 ? 1 : 240_000);
                String plan = "p" + activities;
                plans.computeIfAbsent(changed, key -> new TreeMap<>()).put(from, plan);
                String text = Instant.ofEpochMilli(from).toString();
                sent.add(broker.send("killed-c", changed, Enrich.customerJson(changed, plan, text)));
            }
        }
        broker.topics().producer().flush();
    }

    private void recompute() {
        owed.replaceAll((id, activity) -> {
            String customer = activity.substring(0, activity.indexOf(' '));
            long at = Long.parseLong(activity.substring(activity.indexOf(' ') + 1));
            Map.Entry<Long, String> then =
                    plans.getOrDefault(customer, new TreeMap<>()).floorEntry(at);
            return then == null ? "missing" : then.getValue() + " of " + then.getKey();
        });
    }

    private static Map<String, String> published(Broker broker) {
        Map<String, String> published = new TreeMap<>();
        for (String text : broker.topics().read("killed-enriched")) {
            JsonNode row = Enrich.json(text);
            String id = row.get("event_id").asString();
            assertThat(published.put(id, says(row)))
                    .as("%s is published once", id)
                    .isNull();
        }
        return published;
    }

    private static String says(JsonNode row) {
        if (row.get("status").asString().equals("missing")) {
            return "missing";
        }
        String plan = Enrich.json(row.get("profile").asString()).get("plan").asString();
        return plan + " of " + Instant.parse(row.get("profile_time").asString()).toEpochMilli();
    }
}
