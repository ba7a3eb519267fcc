package dev.tidemark.demo;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Waits until consumer groups have processed what lies in topics. Committed offsets alone do not tell, because the
 * markers of transactions take offsets too and nobody commits past the last one: what lies between the committed and
 * the last offset is read, and must be nothing.
 */
final class Completion implements AutoCloseable {

    private static final Duration EVERY = Duration.ofMillis(300);

    private final Admin admin;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Runnable failIfHopeless;

    /**
     * @param bootstrapServers the broker
     * @param failIfHopeless called while waiting; throws if waiting makes no sense any more
     */
    Completion(String bootstrapServers, Runnable failIfHopeless) {
        this.failIfHopeless = failIfHopeless;
        this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
        this.consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest",
                        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                        4096,
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** Waits until the group has processed everything that is now in those of the topics that exist. */
    void await(String group, Predicate<String> topics) throws InterruptedException {
        Map<TopicPartition, Long> ends = ends(topics);
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
        for (Map.Entry<TopicPartition, Long> unread : rest.entrySet()) {
            if (!isEmpty(unread.getKey(), unread.getValue(), ends.get(unread.getKey()))) {
                return false;
            }
        }
        return true;
    }

    /** Whether there is no record from the one offset to the other, only markers. */
    private boolean isEmpty(TopicPartition partition, long from, long end) {
        consumer.assign(Set.of(partition));
        consumer.seek(partition, from);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        while (consumer.position(partition) < end && System.nanoTime() < deadline) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
            if (!records.isEmpty()) {
                return records.iterator().next().offset() >= end;
            }
        }
        return consumer.position(partition) >= end;
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

    private static DemoException failed(String what, ExecutionException e) {
        return new DemoException(
                "Kafka does not tell %s: %s".formatted(what, e.getCause().getMessage()), e);
    }
}
