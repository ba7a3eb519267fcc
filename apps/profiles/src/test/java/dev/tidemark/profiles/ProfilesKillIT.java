package dev.tidemark.profiles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import dev.tidemark.profiles.ProfilesOracle.Activity;
import dev.tidemark.profiles.ProfilesOracle.Update;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** An app that is killed again and again leaves the rows and sessions of one that is not. */
@Timeout(1200)
class ProfilesKillIT {

    private static final int ACTIVITIES = Integer.getInteger("kill.activities", 20_000);
    private static final int PARTITIONS = 3;
    private static final Instant START = Instant.parse("2026-07-01T00:00:00Z");
    /** Customers who come, move, go, and go again; after each step the app is killed. */
    private static final List<Update> MOVES = List.of(
            new Update("u1", at(1), "EU"),
            new Update("u2", at(2), "EU"),
            new Update("u1", at(3), "US"),
            new Update("u1", 0, null),
            new Update("u1", 0, null),
            new Update("u9", 0, null));

    private static final Duration PATIENCE = Duration.ofMinutes(8);

    @TempDir
    Path directory;

    private final Random random = new Random(20260701);
    private final List<Activity> sent = new ArrayList<>();
    private final List<Update> updates = new ArrayList<>();

    @Test
    void killsLeaveNoTraceInRowsAndSessions() throws IOException {
        try (Broker broker = new Broker(directory.resolve("kafka"))) {
            broker.createInputs("killed", PARTITIONS, PARTITIONS);
            AppProcess app = start(broker);
            int interrupted = 0;
            for (Update move : MOVES) {
                int before = sent.size();
                send(broker, ACTIVITIES / MOVES.size());
                send(broker, move);
                broker.topics().producer().flush();
                long half = (before + sent.size()) / 2;
                await().atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(10))
                        .until(() -> broker.processed("killed", "-a") >= half);
                app.kill();
                interrupted += broker.processed("killed", "-a") < sent.size() ? 1 : 0;
                app = start(broker);
            }
            broker.endInput("killed", PARTITIONS);
            ProfilesOracle oracle = new ProfilesOracle(Duration.ofMinutes(30).toMillis(), true);
            long clock = sent.stream().mapToLong(Activity::time).max().orElseThrow();
            Map<String, String> owed = oracle.rows(sent, updates, clock);
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(500))
                    .until(() -> ledger(broker, "counted") + ledger(broker, "late") + ledger(broker, "too_late")
                            == sent.size() + updates.size());
            await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> assertThat(left(broker))
                    .isEqualTo(owed));
            app.close();

            assertThat(left(broker)).containsEntry("u2", "EU").doesNotContainKeys("u1", "u9");
            assertThat(interrupted).as("kills in the middle of work").isGreaterThan(0);
            assertThat(ProfilesInvariantsTest.live(broker.topics().read("killed-sessions").stream()
                            .map(Customers::json)
                            .toList()))
                    .containsExactlyInAnyOrderElementsOf(oracle.sessions(sent));
        }
    }

    private static long at(int second) {
        return START.plusSeconds(second).toEpochMilli();
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

    /** Some days of 200 customers; one in ten activities up to three hours late. */
    private void send(Broker broker, int count) {
        for (int i = 0; i < count; i++) {
            int number = sent.size();
            long late = random.nextInt(10) == 0 ? random.nextInt(10_800_000) : 0;
            long time = START.toEpochMilli() + number * 10_000L + 10_800_000 - late;
            boolean visit = random.nextBoolean();
            Activity activity = new Activity(
                    "a" + number, "C" + random.nextInt(200), time, visit ? 0 : random.nextInt(10_000), visit);
            sent.add(activity);
            broker.activity(
                    "killed",
                    activity.id(),
                    activity.key(),
                    visit ? "visit" : "purchase",
                    BigDecimal.valueOf(activity.cents(), 2).toPlainString(),
                    Instant.ofEpochMilli(time).toString());
            if (number % 20 == 0) {
                update(broker, "C" + random.nextInt(210), time);
            }
        }
    }

    private void update(Broker broker, String key, long time) {
        send(
                broker,
                random.nextInt(5) == 0
                        ? new Update(key, 0, null)
                        : new Update(key, time - random.nextInt(1_000_000), "plan" + updates.size()));
    }

    private void send(Broker broker, Update update) {
        updates.add(update);
        broker.customer(
                "killed",
                update.key(),
                update.plan(),
                Instant.ofEpochMilli(update.time()).toString());
    }

    private static Map<String, String> left(Broker broker) {
        Map<String, String> left = new TreeMap<>();
        for (Map.Entry<String, String> record :
                broker.topics().readLatest("killed-profiles").entrySet()) {
            String key = Customers.json(record.getKey()).get("key").asString();
            if (record.getValue() != null) {
                left.put(key, ProfilesInvariantsTest.brief(Customers.json(record.getValue())));
            }
        }
        return left;
    }

    private static long ledger(Broker broker, String column) {
        Map<String, JsonNode> latest = new HashMap<>();
        for (String text : broker.topics().read("killed-ledger")) {
            JsonNode row = Customers.json(text);
            latest.put(row.get("source_topic").asString() + row.get("source_partition"), row);
        }
        return latest.values().stream()
                .mapToLong(row -> row.get(column).longValue())
                .sum();
    }
}
