package dev.tidemark.bench;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends the events of a {@link Workload}, in large batches. */
final class Sender implements AutoCloseable {

    private final KafkaProducer<byte[], byte[]> producer;

    Sender(String bootstrapServers) {
        Properties config = new Properties();
        config.put("bootstrap.servers", bootstrapServers);
        config.put("compression.type", "lz4");
        config.put("linger.ms", "20");
        config.put("batch.size", "262144");
        this.producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Creates a topic that keeps events of any time. */
    static void createTopic(String bootstrapServers, String name, int partitions)
            throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            NewTopic topic = new NewTopic(name, partitions, (short) 1)
                    .configs(Map.of("message.timestamp.type", "LogAppendTime", "retention.ms", "-1"));
            admin.createTopics(List.of(topic)).all().get();
        }
    }

    /** Sends an event; a null key spreads the events over the partitions. */
    void send(String topic, String key, String json) {
        send(topic, null, key, json);
    }

    /** Sends an event to a partition, or, if that is null, to the one of its key. */
    void send(String topic, Integer partition, String key, String json) {
        producer.send(new ProducerRecord<>(topic, partition, key == null ? null : bytes(key), bytes(json)));
    }

    /** Waits until the brokers have everything. */
    void flush() {
        producer.flush();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        producer.close();
    }
}
