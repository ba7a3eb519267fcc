package dev.tidemark.common;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.streams.StreamsConfig;

/**
 * Asks the brokers for the last record of a partition that a streams client has not processed. Offsets alone do not tell:
 * the last ones may be markers of transactions, or of records that compaction has removed.
 */
final class UnreadInput {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MORE = 8;

    private final Properties streamsProperties;
    private final String group;

    /**
     * @param streamsProperties the settings of the streams client
     * @param group its consumer group
     */
    UnreadInput(Properties streamsProperties, String group) {
        this.streamsProperties = streamsProperties;
        this.group = group;
    }

    /** Its offset, or {@link InputPartitions#NOTHING}; ends exceptionally if the brokers do not tell. */
    CompletableFuture<Long> last(TopicPartition partition) {
        return CompletableFuture.supplyAsync(() -> ask(partition));
    }

    private long ask(TopicPartition partition) {
        Map<String, Object> asking = new StreamsConfig(streamsProperties).getAdminConfigs("unread");
        asking.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        asking.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        Map<String, Object> reading =
                new HashMap<>(new StreamsConfig(streamsProperties).getRestoreConsumerConfigs("unread"));
        reading.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        reading.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        try (Admin admin = Admin.create(asking);
                Consumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(reading, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            OffsetAndMetadata committed = admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .get(partition);
            consumer.assign(List.of(partition));
            long begin = consumer.beginningOffsets(List.of(partition)).get(partition);
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            long first = committed == null ? begin : Math.max(begin, committed.offset());
            for (long back = 1; first < end; back *= MORE) {
                long from = Math.max(first, end - back);
                long last = lastBetween(consumer, partition, from, end);
                if (last != InputPartitions.NOTHING || from == first) {
                    return last;
                }
            }
            return InputPartitions.NOTHING;
        } catch (ExecutionException e) {
            throw new CompletionException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        }
    }

    private static long lastBetween(Consumer<byte[], byte[]> consumer, TopicPartition partition, long from, long end) {
        consumer.seek(partition, from);
        long last = InputPartitions.NOTHING;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (consumer.position(partition) < end) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the brokers hand out nothing of " + partition);
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                last = record.offset() < end ? record.offset() : last;
            }
        }
        return last;
    }
}
