package dev.tidemark.common;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Waits until consumer groups have processed what lies in topics. Committed offsets alone do not tell, because the
 * markers of transactions take offsets too and nobody commits past the last one: what lies between the committed and
 * the last offset is read, and must be nothing.
 */
public final class Completion implements AutoCloseable {

    private static final Duration EVERY = Duration.ofMillis(300);

    private final Admin admin;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Runnable failIfHopeless;

    /**
     * @param bootstrapServers the broker
     * @param failIfHopeless called while waiting; throws if waiting makes no sense any more
     */
    public Completion(String bootstrapServers, Runnable failIfHopeless) {
        this(Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers), failIfHopeless);
    }

    /**
     * @param clients what every client needs to reach the brokers
     * @param failIfHopeless called while waiting; throws if waiting makes no sense any more
     */
    public Completion(Map<String, Object> clients, Runnable failIfHopeless) {
        this.failIfHopeless = failIfHopeless;
        this.admin = Admin.create(clients);
        Map<String, Object> reader = new HashMap<>(clients);
        reader.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        reader.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        reader.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 4096);
        reader.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        this.consumer = new KafkaConsumer<>(reader, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Waits until the group has processed everything that is now in those of the topics that exist. */
    public void await(String group, Predicate<String> topics) throws InterruptedException {
        await(group, ends(topics));
    }

    /** Waits until the group has processed all records before these offsets. */
    public void await(String group, Map<TopicPartition, Long> ends) throws InterruptedException {
        while (!isProcessed(group, ends)) {
            failIfHopeless.run();
            TimeUnit.MILLISECONDS.sleep(EVERY.toMillis());
        }
    }

    @Override
    public void close() {
        consumer.close();
        admin.close(Duration.ofSeconds(1));
    }

    private boolean isProcessed(String group, Map<TopicPartition, Long> ends) throws InterruptedException {
        Map<TopicPartition, Long> rest = new HashMap<>();
        Map<TopicPartition, OffsetAndMetadata> committed = committed(group);
        ends.forEach((partition, end) -> {
            OffsetAndMetadata offset = committed.get(partition);
            long from = offset == null ? 0 : offset.offset();
            if (from < end) {
                rest.put(partition, from);
            }
        });
        return rest.isEmpty() || areEmpty(rest, ends);
    }

    /** Whether there are no records from these offsets to the others, only markers. */
    private boolean areEmpty(Map<TopicPartition, Long> from, Map<TopicPartition, Long> ends) {
        consumer.assign(from.keySet());
        from.forEach(consumer::seek);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        while (isAnyBefore(from.keySet(), ends) && System.nanoTime() < deadline) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                if (record.offset() < ends.get(new TopicPartition(record.topic(), record.partition()))) {
                    return false;
                }
            }
        }
        return !isAnyBefore(from.keySet(), ends);
    }

    private boolean isAnyBefore(Set<TopicPartition> partitions, Map<TopicPartition, Long> ends) {
        return partitions.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition));
    }

    private Map<TopicPartition, Long> ends(Predicate<String> topics) throws InterruptedException {
        try {
            Collection<String> names =
                    admin.listTopics().names().get().stream().filter(topics).collect(Collectors.toSet());
            Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
            admin.describeTopics(names).allTopicNames().get().forEach((name, topic) -> topic.partitions()
                    .forEach(partition ->
                            latest.put(new TopicPartition(name, partition.partition()), OffsetSpec.latest())));
            Map<TopicPartition, Long> ends = new HashMap<>();
            admin.listOffsets(latest).all().get().forEach((partition, end) -> ends.put(partition, end.offset()));
            return ends;
        } catch (ExecutionException e) {
            throw failed("the ends of the topics", e);
        }
    }

    private Map<TopicPartition, OffsetAndMetadata> committed(String group) throws InterruptedException {
        try {
            return admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get();
        } catch (ExecutionException e) {
            throw failed("the offsets of the group " + group, e);
        }
    }

    private static KafkaException failed(String what, ExecutionException e) {
        return new KafkaException(
                "Kafka does not tell %s: %s".formatted(what, e.getCause().getMessage()), e);
    }
}
