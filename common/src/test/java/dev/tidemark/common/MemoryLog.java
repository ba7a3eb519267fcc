package dev.tidemark.common;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/**
 * A log in memory, which stands for the broker of the {@link TaskFixture}s that share it: what one of them commits, or a
 * test appends, the others can read. Offsets have no gaps. A topic has one partition unless more are given.
 */
public final class MemoryLog {

    private final Map<String, Integer> partitions;
    private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = new HashMap<>();

    public MemoryLog() {
        this(Map.of());
    }

    /** @param partitions how many partitions a topic has, for topics that have more than one */
    public MemoryLog(Map<String, Integer> partitions) {
        this.partitions = partitions;
    }

    public void append(String topic, int partition, byte[] key, byte[] value, Headers headers, Instant timestamp) {
        TopicPartition place = new TopicPartition(topic, partition);
        List<ConsumerRecord<byte[], byte[]>> log = records.computeIfAbsent(place, p -> new ArrayList<>());
        log.add(new ConsumerRecord<>(
                topic,
                partition,
                log.size(),
                timestamp.toEpochMilli(),
                TimestampType.CREATE_TIME,
                ConsumerRecord.NULL_SIZE,
                ConsumerRecord.NULL_SIZE,
                key,
                value,
                headers,
                Optional.empty()));
    }

    /** Appends a record with a null key. */
    public void append(String topic, int partition, byte[] value, Instant timestamp) {
        append(topic, partition, null, value, new RecordHeaders(), timestamp);
    }

    /** Says that a source partition is complete. */
    public void endInput(String topic, int partition, Instant timestamp) {
        Headers headers = new RecordHeaders();
        headers.add(EndOfInput.HEADER, EndOfInput.VALUE.getBytes(StandardCharsets.UTF_8));
        append(topic, partition, null, null, headers, timestamp);
    }

    /** All records of a partition. */
    public List<ConsumerRecord<byte[], byte[]>> records(TopicPartition partition) {
        return Collections.unmodifiableList(records.getOrDefault(partition, List.of()));
    }

    /** All records of the first partition of a topic. */
    public List<ConsumerRecord<byte[], byte[]>> records(String topic) {
        return records(new TopicPartition(topic, 0));
    }

    void append(ProducerRecord<byte[], byte[]> record) {
        append(
                record.topic(),
                record.partition(),
                record.key(),
                record.value(),
                record.headers(),
                Instant.ofEpochMilli(record.timestamp()));
    }

    int partitions(String topic) {
        return partitions.getOrDefault(topic, 1);
    }
}
