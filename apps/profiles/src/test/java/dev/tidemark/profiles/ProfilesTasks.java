package dev.tidemark.profiles;

import dev.tidemark.common.AllTasks;
import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.Rows;
import dev.tidemark.profiles.ProfilesOracle.Activity;
import dev.tidemark.profiles.ProfilesOracle.Update;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.StreamsBuilder;
import tools.jackson.databind.JsonNode;

/** All tasks of a pipeline on one log, activities and customers for them, and who processes what when. */
final class ProfilesTasks {

    private static final Instant START = Instant.parse("2026-07-03T20:00:00Z");

    private final ProfilesProperties settings;
    private final int partitions;
    private final Random random;
    private final MemoryLog log;
    private final ManualTime time = new ManualTime(Customers.NOW.plus(Duration.ofDays(365)));
    private final AllTasks tasks;
    private final Map<String, Activity> sent = new LinkedHashMap<>();
    private final Map<String, Long> streamTimes = new HashMap<>();
    private final Map<String, Boolean> inGrace = new HashMap<>();
    private final List<Update> updates = new ArrayList<>();
    private long second = 7_200;
    private int records;

    ProfilesTasks(ProfilesProperties settings, int partitions, Random random) {
        this.settings = settings;
        this.partitions = partitions;
        this.random = random;
        Map<String, Integer> counts = new HashMap<>();
        for (String topic :
                List.of("activities", "customers", "test-by-key-repartition", "test-by-key-profiles-repartition")) {
            counts.put(topic, partitions);
        }
        log = new MemoryLog(counts);
        tasks = new AllTasks(this::build, log, time);
    }

    private void build(StreamsBuilder builder) {
        new ProfilesTopology(settings, Customers.partitions(settings, partitions), new SimpleMeterRegistry())
                .build(builder);
    }

    /** Everything lies there, or comes bit by bit, and the tasks read, commit, restart and crash in any order. */
    void run() {
        for (int step = 20 + random.nextInt(60); step > 0; step--) {
            for (int burst = random.nextInt(4); burst > 0; burst--) {
                send();
            }
            tasks.step(random);
        }
        settle();
        for (int partition = 0; partition < partitions; partition++) {
            log.endInput("activities", partition, time.now());
        }
        settle();
        tasks.close();
    }

    private void settle() {
        tasks.settle();
    }

    private void send() {
        if (random.nextInt(6) == 0) {
            update();
        } else {
            act();
        }
    }

    /** Some out of order, some hours late, some twice. */
    private void act() {
        second += random.nextInt(40) == 0 ? random.nextInt(1_000_000) : random.nextInt(1_200);
        long late = random.nextInt(6) == 0 ? random.nextInt(20_000) : random.nextInt(400);
        long at = START.plusSeconds(second - late).toEpochMilli() + random.nextInt(2) * random.nextInt(1_000);
        boolean visit = random.nextBoolean();
        long cents = visit ? 0 : random.nextInt(10_000) - 500;
        Activity activity = new Activity("a" + sent.size(), "K" + random.nextInt(3), at, cents, visit);
        sent.put(activity.id(), activity);
        for (int times = random.nextInt(10) == 0 ? 2 : 1; times > 0; times--) {
            append(activity);
        }
    }

    private void append(Activity activity) {
        int partition = settings.input().partitionedByKey() ? partitionOf(activity.key()) : random.nextInt(partitions);
        String source = "activities/" + partition;
        boolean within = activity.time()
                >= streamTimes.getOrDefault(source, 0L) - settings.grace().toMillis();
        streamTimes.merge(source, activity.time(), Math::max);
        inGrace.merge(activity.id(), within, Boolean::logicalAnd);
        String json = Customers.activity(
                activity.id(),
                activity.key(),
                activity.isVisit() ? "visit" : "purchase",
                BigDecimal.valueOf(activity.cents(), 2).toPlainString(),
                Instant.ofEpochMilli(activity.time()).toString());
        records++;
        log.append("activities", partition, json.getBytes(StandardCharsets.UTF_8), time.now());
    }

    /** Of four customers, of whom one has no activities. */
    private void update() {
        String key = "K" + random.nextInt(4);
        Update update = random.nextInt(4) == 0
                ? new Update(key, 0, null)
                : new Update(
                        key, START.plusSeconds(second - random.nextInt(600)).toEpochMilli(), "plan" + updates.size());
        updates.add(update);
        byte[] value = update.plan() == null
                ? null
                : Customers.customerJson(
                                key,
                                update.plan(),
                                Instant.ofEpochMilli(update.time()).toString())
                        .getBytes(StandardCharsets.UTF_8);
        log.append(
                "customers",
                partitionOf(key),
                key.getBytes(StandardCharsets.UTF_8),
                value,
                new RecordHeaders(),
                time.now());
    }

    private int partitionOf(String key) {
        return Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % partitions;
    }

    /** The activities that are not refused as too late. */
    List<Activity> accepted() {
        Map<String, Activity> accepted = new LinkedHashMap<>(sent);
        rows("customers-exceptions").stream()
                .filter(row -> row.get("source_topic").asString().equals("activities"))
                .filter(row -> row.get("disposition").asString().equals("too-late"))
                .forEach(row -> accepted.remove(row.get("event_id").asString()));
        return List.copyOf(accepted.values());
    }

    /** Whether it came at most the grace behind its own source partition, each time that it came. */
    boolean isInGrace(String id) {
        return inGrace.get(id);
    }

    List<Update> updates() {
        return updates;
    }

    /** The greatest time of all activities. */
    long clock() {
        return sent.values().stream().mapToLong(Activity::time).max().orElse(0);
    }

    int records() {
        return records;
    }

    List<JsonNode> rows(String topic) {
        List<JsonNode> rows = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            log.records(new TopicPartition(topic, partition)).forEach(record -> rows.add(Rows.json(record.value())));
        }
        return rows;
    }

    /** The rows that are left by key. */
    Map<String, JsonNode> left() {
        Map<String, JsonNode> left = new TreeMap<>();
        Map<String, Long> revisions = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : log.records("customers-profiles")) {
            String key = Rows.json(record.key()).get("key").asString();
            if (record.value() == null) {
                left.remove(key);
                continue;
            }
            JsonNode row = Rows.json(record.value());
            long revision = row.get("revision").longValue();
            if (revision < revisions.getOrDefault(key, 0L)) {
                throw new AssertionError("the revision of " + key + " falls to " + revision);
            }
            revisions.put(key, revision);
            left.put(key, row);
        }
        return left;
    }
}
