package dev.tidemark.pairs;

import dev.tidemark.common.AllTasks;
import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.PairsProperties;
import dev.tidemark.common.Rows;
import dev.tidemark.common.TaskFixture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.StreamsBuilder;
import tools.jackson.databind.JsonNode;

/** All tasks of a pipeline on one log, orders and payments for them, and who processes what when. */
final class PairsTasks {

    private static final Instant START = Instant.parse("2026-07-01T10:00:00Z");
    private static final List<String> INPUTS = List.of("orders", "payments");

    private final PairsProperties settings;
    private final int partitions;
    private final Random random;
    private final MemoryLog log;
    private final ManualTime time = new ManualTime(Pairs.NOW);
    private final AllTasks tasks;
    private final Map<String, Long> streamTimes = new HashMap<>();
    private final Map<String, Sent> accepted = new LinkedHashMap<>();
    private final Set<String> withinGrace = new HashSet<>();
    private int sent;
    private long second = 7_200;

    PairsTasks(PairsProperties settings, int partitions, Random random) {
        this.settings = settings;
        this.partitions = partitions;
        this.random = random;
        Map<String, Integer> counts = new HashMap<>();
        INPUTS.forEach(topic -> counts.put(topic, partitions));
        for (String moved : List.of("by-key-left", "by-key-right")) {
            counts.put("test-" + moved + "-repartition", partitions);
        }
        log = new MemoryLog(counts);
        tasks = new AllTasks(this::build, log, time);
    }

    private void build(StreamsBuilder builder) {
        new PairsTopology(settings, Pairs.partitions(settings, partitions), new SimpleMeterRegistry()).build(builder);
    }

    /** Each event is processed before the next one is sent. */
    void oneByOne(Consumer<Sent> oracle) {
        TaskFixture task = tasks.first();
        for (int count = 10 + random.nextInt(60); count > 0; count--) {
            oracle.accept(send());
            time.advance(Duration.ofMillis(1 + random.nextInt(300)));
            task.drain();
            switch (random.nextInt(12)) {
                case 0 -> task.restart();
                case 1 -> {
                    task.commit();
                    task.crash();
                }
                case 2, 3 -> task.commit();
                default -> {
                    // goes on
                }
            }
        }
        endInput();
        task.drain();
        task.stop();
    }

    /** All events lie there, and the tasks read, commit, restart and crash in any order. */
    void inAnyOrder() {
        for (int count = 10 + random.nextInt(40); count > 0; count--) {
            Sent event = send();
            if (random.nextInt(8) == 0 && !settings.left().partitionedByKey()) {
                again(event);
            }
        }
        endInput();
        for (int step = 0; step < 60; step++) {
            tasks.step(random);
        }
        tasks.settle();
        tasks.close();
    }

    /** An order or a payment of one of three keys, some out of order, some an hour or more late. */
    private Sent send() {
        second += random.nextInt(90);
        long late = random.nextInt(6) == 0 ? random.nextInt(4_000) : random.nextInt(200);
        long at = START.plusSeconds(second - late).toEpochMilli() + random.nextInt(2) * random.nextInt(1_000);
        String key = "K" + random.nextInt(3);
        boolean isLeft = random.nextBoolean();
        return send(isLeft, (isLeft ? "O" : "P") + accepted.size(), key, at);
    }

    private Sent send(boolean isLeft, String id, String key, long at) {
        String topic = isLeft ? "orders" : "payments";
        boolean byKey =
                isLeft ? settings.left().partitionedByKey() : settings.right().partitionedByKey();
        int partition = byKey ? partitionOf(key) : random.nextInt(partitions);
        String source = topic + "/" + partition;
        String place =
                source + "/" + log.records(new TopicPartition(topic, partition)).size();
        boolean inGrace =
                at >= streamTimes.getOrDefault(source, 0L) - settings.grace().toMillis();
        streamTimes.merge(source, at, Math::max);
        String json = "{\"%s\":\"%s\",\"key\":\"%s\",\"%s\":\"%s\"}"
                .formatted(
                        isLeft ? "order_id" : "payment_id",
                        id,
                        key,
                        isLeft ? "ordered_at" : "paid_at",
                        Instant.ofEpochMilli(at));
        log.append(topic, partition, json.getBytes(StandardCharsets.UTF_8), time.now());
        sent++;
        Sent event = new Sent(isLeft, id, key, at, place, inGrace);
        if (inGrace) {
            withinGrace.add(place);
        }
        accepted.putIfAbsent(id, event);
        return event;
    }

    /** The repetition may come first where tasks read in any order; then it is the one that is accepted. */
    private void again(Sent event) {
        Sent repeated = send(event.isLeft(), event.id(), event.key(), event.time());
        if (!repeated.withinGrace()) {
            accepted.put(
                    event.id(), new Sent(event.isLeft(), event.id(), event.key(), event.time(), event.place(), false));
        }
    }

    /** As the repartition topics do. */
    private int partitionOf(String key) {
        return Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % partitions;
    }

    private void endInput() {
        for (String topic : INPUTS) {
            for (int partition = 0; partition < partitions; partition++) {
                log.endInput(topic, partition, time.now());
            }
        }
    }

    List<Sent> accepted() {
        return List.copyOf(accepted.values());
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
}
