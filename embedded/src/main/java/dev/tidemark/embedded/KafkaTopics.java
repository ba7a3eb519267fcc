package dev.tidemark.embedded;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The topics of a broker, to be created, written and read in tests. What it sends is in the log when it returns. */
public final class KafkaTopics implements AutoCloseable {

    private final String bootstrapServers;
    private final Admin admin;
    private final KafkaProducer<String, String> producer;

    public KafkaTopics(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
        admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "max.request.size", 5_000_000),
                new StringSerializer(),
                new StringSerializer());
    }

    public Admin admin() {
        return admin;
    }

    /** Sends without waiting. */
    public KafkaProducer<String, String> producer() {
        return producer;
    }

    /** Creates a topic whose records bear the time at which they are appended. */
    public void create(String topic, int partitions, Map<String, String> more) {
        Map<String, String> config = new HashMap<>(more);
        config.put("message.timestamp.type", "LogAppendTime");
        await(admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(config)))
                .all()
                .toCompletionStage()
                .toCompletableFuture());
        awaitLeaders(topic, partitions);
    }

    /**
     * Waits until the broker takes records for each partition. Where the first batch of a producer is refused because it
     * comes too soon and the second is not, the first is out of order for ever.
     */
    private void awaitLeaders(String topic, int partitions) {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            ends.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        while (!await(admin.listOffsets(ends)
                .all()
                .toCompletionStage()
                .handle((found, error) -> error == null)
                .toCompletableFuture())) {
            Thread.onSpinWait();
        }
    }

    public void send(String topic, String key, String value) {
        await(producer.send(new ProducerRecord<>(topic, key, value)));
    }

    public void sendTo(String topic, int partition, String value) {
        await(producer.send(new ProducerRecord<>(topic, partition, null, value)));
    }

    /** Sends a record without a value that only has a header, and its text as key, because compacted topics need one. */
    public void sendHeader(String topic, int partition, String header, String text) {
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, partition, text, null);
        record.headers().add(header, text.getBytes(StandardCharsets.UTF_8));
        await(producer.send(record));
    }

    /** Waits until what was sent is in the log. */
    public static void await(List<Future<RecordMetadata>> sent) {
        sent.forEach(KafkaTopics::await);
    }

    /** How many records of some topics a consumer group has processed, by what it has committed. */
    public long processed(String group, Predicate<String> topics) {
        return await(admin.listConsumerGroupOffsets(group)
                        .partitionsToOffsetAndMetadata()
                        .toCompletionStage()
                        .toCompletableFuture())
                .entrySet()
                .stream()
                .filter(committed -> topics.test(committed.getKey().topic()))
                .mapToLong(committed -> committed.getValue().offset())
                .sum();
    }

    /** Everything committed in a topic, in the order of the log by partition. */
    public List<String> read(String topic) {
        return read(topic, "read_committed");
    }

    /** Everything in a topic under an isolation level, in the order of the log by partition. */
    public List<String> read(String topic, String isolation) {
        List<String> values = new ArrayList<>();
        forEach(topic, isolation, record -> values.add(record.value()));
        return values;
    }

    /** The last committed value of each key of a topic; null where it was deleted. */
    public Map<String, String> readLatest(String topic) {
        Map<String, String> latest = new LinkedHashMap<>();
        forEach(topic, "read_committed", record -> latest.put(record.key(), record.value()));
        return latest;
    }

    private void forEach(String topic, String isolation, Consumer<ConsumerRecord<String, String>> action) {
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "isolation.level",
                isolation,
                "allow.auto.create.topics",
                false,
                "auto.offset.reset",
                "earliest");
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(100)).forEach(action);
            }
        }
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        producer.close();
        admin.close();
    }
}
