package dev.tidemark.enrich;

import dev.tidemark.common.AllTasks;
import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.Rows;
import dev.tidemark.common.TaskFixture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.StreamsBuilder;
import tools.jackson.databind.JsonNode;

/** All tasks of a pipeline on one log, customers and activities for them, and who processes what when. */
final class EnrichTasks implements AutoCloseable {

    private static final Instant START = Instant.parse("2026-07-01T10:00:00Z");
    private static final List<String> INPUTS = List.of("activities", "customers");
    private static final List<String> PLANS = List.of("basic", "plus", "gold");

    private final EnrichProperties settings;
    private final int partitions;
    private final Random random;
    private final MemoryLog log;
    private final ManualTime time = new ManualTime(Enrich.NOW);
    private final AllTasks tasks;
    private final Map<String, Long> streamTimes = new HashMap<>();
    private final List<Update> updates = new ArrayList<>();
    private final List<Activity> activities = new ArrayList<>();
    private final Set<String> withinGrace = new HashSet<>();
    private int sent;
    private long second = 7_200;

    EnrichTasks(EnrichProperties settings, int partitions, Random random) {
        this.settings = settings;
        this.partitions = partitions;
        this.random = random;
        Map<String, Integer> counts = new HashMap<>();
        INPUTS.forEach(topic -> counts.put(topic, partitions));
        for (String moved : List.of("by-key", "by-key-table")) {
            counts.put("test-" + moved + "-repartition", partitions);
        }
        log = new MemoryLog(counts);
        tasks = new AllTasks(this::build, log, time);
    }

    private void build(StreamsBuilder builder) {
        new EnrichTopology(settings, Enrich.partitions(settings, partitions), new SimpleMeterRegistry()).build(builder);
    }

    /** Each record is processed before the next one is sent. */
    void oneByOne(EnrichOracle oracle) {
        TaskFixture task = tasks.first();
        for (int count = 10 + random.nextInt(60); count > 0; count--) {
            if (random.nextInt(5) < 2) {
                oracle.arrives(sendUpdate(late()));
            } else {
                oracle.arrives(sendActivity());
            }
            time.advance(Duration.ofMillis(1 + random.nextInt(300)));
            task.drain();
            switch (random.nextInt(16)) {
                case 0 -> {
                    task.restart();
                    sayThatTheTableIsRead(task);
                }
                case 1 -> {
                    task.commit();
                    task.crash();
                    sayThatTheTableIsRead(task);
                }
                case 2, 3 -> task.commit();
                default -> {
                    // goes on
                }
            }
        }
        endInput();
        task.drain();
        task.commit();
    }

    /** It is looked at after a second; until then, the clock stands still. */
    private void sayThatTheTableIsRead(TaskFixture task) {
        time.advance(Duration.ofSeconds(1));
        task.punctuate();
    }

    /** All records lie there, updates within the grace, and the tasks read, commit, restart and crash in any order. */
    void inAnyOrder() {
        for (int count = 10 + random.nextInt(40); count > 0; count--) {
            if (random.nextInt(5) < 2) {
                sendUpdate(random.nextLong(Math.max(1, settings.grace().toMillis() - 3_000)));
            } else {
                sendActivity();
            }
        }
        endInput();
        for (int step = 0; step < 40; step++) {
            tasks.step(random);
        }
        tasks.settle();
    }

    private long late() {
        return 1_000L * (random.nextInt(6) == 0 ? random.nextInt(6_000) : random.nextInt(200));
    }

    /** What a customer of three has from a time on, so far behind the greatest time; each tenth is deleted. */
    private Update sendUpdate(long late) {
        second += random.nextInt(60);
        String key = "K" + random.nextInt(3);
        // No two of one time, because their order would be that of the partitions.
        long at = Math.max(0, START.plusSeconds(second).toEpochMilli() - late) / 1000 * 1000 + sent % 1000;
        String plan = random.nextInt(10) == 0 ? null : PLANS.get(random.nextInt(PLANS.size()));
        int partition = partition(key, settings.table().partitionedByKey());
        String source = "customers/" + partition;
        Update update = new Update(key, at, plan, source + "/" + size("customers", partition));
        byte[] value = plan == null
                ? null
                : Enrich.customerJson(key, plan, Instant.ofEpochMilli(at).toString())
                        .getBytes(StandardCharsets.UTF_8);
        Instant timestamp = plan == null ? Instant.ofEpochMilli(at) : time.now();
        byte[] recordKey = key.getBytes(StandardCharsets.UTF_8);
        log.append("customers", partition, recordKey, value, new RecordHeaders(), timestamp);
        sent++;
        updates.add(update);
        return update;
    }

    /** An activity, some out of order, some an hour or more late. */
    private Activity sendActivity() {
        second += random.nextInt(60);
        String key = "K" + random.nextInt(3);
        long at = START.plusSeconds(second).toEpochMilli() - late() + random.nextInt(2) * random.nextInt(1_000);
        int partition = partition(key, settings.input().partitionedByKey());
        String source = "activities/" + partition;
        Activity activity =
                new Activity("A" + activities.size(), key, at, source + "/" + size("activities", partition));
        if (at >= streamTimes.getOrDefault(source, 0L) - settings.grace().toMillis()) {
            withinGrace.add(activity.place());
        }
        streamTimes.merge(source, at, Math::max);
        String json =
                Enrich.activityJson(activity.id(), key, Instant.ofEpochMilli(at).toString());
        log.append("activities", partition, json.getBytes(StandardCharsets.UTF_8), time.now());
        sent++;
        activities.add(activity);
        return activity;
    }

    private int size(String topic, int partition) {
        return log.records(new TopicPartition(topic, partition)).size();
    }

    /** As the repartition topics do. */
    private int partition(String key, boolean byKey) {
        return byKey
                ? Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % partitions
                : random.nextInt(partitions);
    }

    private void endInput() {
        for (String topic : INPUTS) {
            for (int partition = 0; partition < partitions; partition++) {
                log.endInput(topic, partition, time.now());
            }
        }
    }

    List<Update> updates() {
        return updates;
    }

    List<Activity> activities() {
        return activities;
    }

    boolean withinGrace(String place) {
        return withinGrace.contains(place);
    }

    int sent() {
        return sent;
    }

    List<JsonNode> rows(String topic) {
        List<JsonNode> rows = new ArrayList<>();
        log.records(topic).forEach(record -> rows.add(Rows.json(record.value())));
        return rows;
    }

    @Override
    public void close() {
        tasks.close();
    }
}
