package dev.tidemark.totals;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A day of sales of 200 stores that lie in any partition: all a little out of order, 3 % two hours late, 1 % twice. It
 * knows by itself what they add up to and which of them may be late.
 */
final class Backlog {

    static final Instant START = Instant.parse("2026-07-01T00:00:00Z");
    static final Duration WINDOW = Duration.ofMinutes(10);
    static final Duration GRACE = Duration.ofMinutes(5);

    private static final int STORES = 200;
    private static final int JITTER_MILLIS = 60_000;

    private final Map<String, BigDecimal> totals = new TreeMap<>();
    private final Set<String> onTime = new HashSet<>();
    private final int[] sent;
    private int distinct;

    private Backlog(int partitions) {
        sent = new int[partitions];
    }

    /** Which records are sent: those of a partition that have, or repeat, the sale with a number. */
    interface Part {

        boolean has(int partition, int sale);

        default Part rest() {
            return (partition, sale) -> !has(partition, sale);
        }
    }

    /** Sends so many distinct sales to a topic that is empty. */
    static Backlog send(String bootstrapServers, String topic, int sales, int partitions) {
        return send(bootstrapServers, topic, sales, partitions, (partition, sale) -> true);
    }

    /** Sends a part of it, and knows of all. */
    static Backlog send(String bootstrapServers, String topic, int sales, int partitions, Part part) {
        Backlog backlog = new Backlog(partitions);
        Map<String, Object> config =
                Map.of("bootstrap.servers", bootstrapServers, "compression.type", "lz4", "linger.ms", "20");
        long[] streamTimes = new long[partitions];
        Random random = new Random(7);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < sales; i++) {
                String store = String.format("S%03d", random.nextInt(STORES));
                long time = START.toEpochMilli()
                        + i * Duration.ofDays(1).toMillis() / sales
                        + Duration.ofHours(3).toMillis()
                        - random.nextInt(JITTER_MILLIS);
                if (random.nextInt(100) < 3) {
                    time -= Duration.ofHours(2).toMillis();
                }
                BigDecimal amount = BigDecimal.valueOf(random.nextInt(10_000), 2);
                byte[] value = "{\"event_id\":\"e%d\",\"store_id\":\"%s\",\"event_time\":\"%s\",\"amount\":%s}"
                        .formatted(i, store, Instant.ofEpochMilli(time), amount)
                        .getBytes(StandardCharsets.UTF_8);
                backlog.add(store, time, amount);
                int times = random.nextInt(100) == 0 ? 2 : 1;
                for (int n = 0; n < times; n++) {
                    int partition = random.nextInt(partitions);
                    if (time >= streamTimes[partition] - GRACE.toMillis()) {
                        backlog.onTime.add(partition + "/" + backlog.sent[partition]);
                    }
                    streamTimes[partition] = Math.max(streamTimes[partition], time);
                    if (part.has(partition, i)) {
                        producer.send(new ProducerRecord<>(topic, partition, null, value));
                    }
                    backlog.sent[partition]++;
                }
            }
        }
        return backlog;
    }

    private void add(String store, long time, BigDecimal amount) {
        distinct++;
        Instant start = Instant.ofEpochMilli(time - time % WINDOW.toMillis());
        totals.merge(store + " " + start, amount, BigDecimal::add);
    }

    /** The sum of each store and window, by {@code store start}. */
    Map<String, BigDecimal> totals() {
        return totals;
    }

    /** How many records were sent, repetitions included. */
    int records() {
        return Arrays.stream(sent).sum();
    }

    int distinct() {
        return distinct;
    }

    /** How many records are at most the grace behind the stream time of their source partition. */
    int onTime() {
        return onTime.size();
    }

    /** Whether the record is at most the grace behind the stream time of its own source partition. */
    boolean isOnTime(int partition, long offset) {
        return onTime.contains(partition + "/" + offset);
    }
}
