package dev.tidemark.demo;

import dev.tidemark.common.EndOfInput;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends events, mostly to the input topic, in order and without repeating any by itself. What could not be delivered fails the
 * next call.
 */
final class EventSender implements AutoCloseable {

    private static final Map<String, String> TOPIC_CONFIG =
            Map.of(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime", TopicConfig.RETENTION_MS_CONFIG, "-1");
    private static final Map<String, String> TABLE_CONFIG = Map.of(
            TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
            "CreateTime",
            TopicConfig.CLEANUP_POLICY_CONFIG,
            TopicConfig.CLEANUP_POLICY_COMPACT,
            // What a customer was at an earlier time is asked for; simulated time is long ago by the broker's clock.
            TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG,
            Long.toString(Long.MAX_VALUE),
            TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG,
            Long.toString(Long.MAX_VALUE));
    private static final Header END_OF_INPUT =
            new RecordHeader(EndOfInput.HEADER, EndOfInput.VALUE.getBytes(StandardCharsets.UTF_8));

    private final String topic;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicLong sent = new AtomicLong();
    private volatile Exception failure;

    EventSender(String bootstrapServers, String topic) {
        this.topic = topic;
        this.producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ProducerConfig.BATCH_SIZE_CONFIG,
                        128 * 1024,
                        ProducerConfig.LINGER_MS_CONFIG,
                        20,
                        ProducerConfig.BUFFER_MEMORY_CONFIG,
                        16L * 1024 * 1024),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /**
     * Creates topics that are missing: record timestamps are those of the broker, and nothing is ever deleted, however
     * old its event time is.
     *
     * @param partitions how many partitions each of them has
     */
    static void createTopics(String bootstrapServers, Map<String, Integer> partitions) throws InterruptedException {
        create(bootstrapServers, partitions, TOPIC_CONFIG);
    }

    /**
     * Creates topics that are missing and hold tables: the latest record of each key stays, and timestamps are the
     * sender's, because a record that deletes has no other time.
     *
     * @param partitions how many partitions each of them has
     */
    static void createTables(String bootstrapServers, Map<String, Integer> partitions) throws InterruptedException {
        create(bootstrapServers, partitions, TABLE_CONFIG);
    }

    private static void create(String bootstrapServers, Map<String, Integer> partitions, Map<String, String> config)
            throws InterruptedException {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers))) {
            Map<String, KafkaFuture<Void>> created = admin.createTopics(partitions.entrySet().stream()
                            .map(topic -> new NewTopic(topic.getKey(), Optional.of(topic.getValue()), Optional.empty())
                                    .configs(config))
                            .toList())
                    .values();
            for (Map.Entry<String, KafkaFuture<Void>> topic : created.entrySet()) {
                await(topic.getKey(), topic.getValue());
            }
        }
    }

    private static void await(String topic, KafkaFuture<Void> creation) throws InterruptedException {
        try {
            creation.get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw new DemoException(
                        "The topic %s cannot be created: %s"
                                .formatted(topic, e.getCause().getMessage()),
                        e);
            }
        }
    }

    /** Sends an event; a null key leaves the choice of the partition to the producer. */
    void send(String key, byte[] value) {
        send(topic, key, value, null);
    }

    /**
     * Sends a record to a topic other than the input topic.
     *
     * @param value null: the key's row of a table is deleted
     * @param timestamp in epoch milliseconds, unless the broker sets it; null: now
     */
    void send(String topic, String key, byte[] value, Long timestamp) {
        send(new ProducerRecord<>(
                topic, null, timestamp, key == null ? null : key.getBytes(StandardCharsets.UTF_8), value));
        sent.incrementAndGet();
    }

    /** Tells each partition that nothing more will come; with a key, because compacted topics take no record without one. */
    void endInput() {
        for (PartitionInfo partition : producer.partitionsFor(topic)) {
            send(new ProducerRecord<>(
                    topic, partition.partition(), null, END_OF_INPUT.value(), null, List.of(END_OF_INPUT)));
        }
        flush();
    }

    /** Waits until everything has been delivered. */
    void flush() {
        producer.flush();
        failIfUndelivered();
    }

    /** How many events have been sent, not counting the ends of input. */
    long sent() {
        return sent.get();
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(2));
    }

    private void send(ProducerRecord<byte[], byte[]> message) {
        failIfUndelivered();
        producer.send(message, (metadata, exception) -> {
            if (exception != null && failure == null) {
                failure = exception;
            }
        });
    }

    private void failIfUndelivered() {
        if (failure != null) {
            throw new DemoException(
                    "An event could not be sent to the topic %s: %s".formatted(topic, failure.getMessage()), failure);
        }
    }
}
