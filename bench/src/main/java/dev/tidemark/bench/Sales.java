package dev.tidemark.bench;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A day of sales of 200 stores: 3 % come two hours late, 1 % come twice; about 121 bytes each. */
final class Sales {

    static final String TOPIC = "sales";

    private static final int STORES = 200;
    private static final Instant START = Instant.parse("2026-07-01T00:00:00Z");

    private Sales() {}

    static void createTopic(String bootstrapServers, String name, int partitions)
            throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            NewTopic topic = new NewTopic(name, partitions, (short) 1)
                    .configs(Map.of("message.timestamp.type", "LogAppendTime", "retention.ms", "-1"));
            admin.createTopics(List.of(topic)).all().get();
        }
    }

    /**
     * Sends the events with the numbers from {@code first} up to {@code end}, of which {@code perDay} make a day.
     *
     * @param keyed whether the records are partitioned by store, or spread over the partitions in turn
     */
    static void produce(String bootstrapServers, int first, int end, int perDay, boolean keyed) {
        Properties config = new Properties();
        config.put("bootstrap.servers", bootstrapServers);
        config.put("compression.type", "lz4");
        config.put("linger.ms", "20");
        config.put("batch.size", "262144");
        Random random = new Random(first);
        long step = Duration.ofDays(1).toMillis() / perDay;
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = first; i < end; i++) {
                String store = String.format("S%03d", random.nextInt(STORES));
                long time = START.toEpochMilli() + i * step - random.nextInt(60_000);
                if (random.nextInt(100) < 3) {
                    time -= Duration.ofHours(2).toMillis();
                }
                String amount = random.nextInt(100) + "." + (10 + random.nextInt(90));
                byte[] value = ("{\"event_id\":\"e-" + (100_000_000 + i) + "\",\"store_id\":\"" + store
                                + "\",\"event_time\":\"" + Instant.ofEpochMilli(time) + "\",\"amount\":" + amount
                                + ",\"note\":\"at the till\"}")
                        .getBytes(StandardCharsets.UTF_8);
                int times = random.nextInt(100) == 0 ? 2 : 1;
                for (int n = 0; n < times; n++) {
                    byte[] key = keyed ? store.getBytes(StandardCharsets.UTF_8) : null;
                    producer.send(new ProducerRecord<>(TOPIC, key, value));
                }
            }
        }
    }
}
