package dev.tidemark.reconcile;

import dev.tidemark.common.EndOfInput;
import dev.tidemark.common.EventReader;
import dev.tidemark.common.InputMapping;
import dev.tidemark.common.Item;
import dev.tidemark.common.Origin;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * An input topic, read by plain consumers: what is committed, in the order of each partition, one partition at a time per
 * thread.
 */
final class InputLog {

    private static final int RECORDS_OF_A_POLL = 2_000;
    private static final int RECORDS_OF_A_BATCH = 1_000;
    private static final int BYTES_OF_A_BATCH = 1 << 20;
    private static final byte[] END_OF_INPUT = EndOfInput.VALUE.getBytes(StandardCharsets.UTF_8);

    private final String topic;
    private final EventReader reader;
    private final boolean acceptEndOfInput;
    private final Map<String, Object> clients;
    private final Duration patience;

    /**
     * @param reader how records are read as events; shared by all threads
     * @param acceptEndOfInput whether control records are obeyed; if not, they are read like any other record
     * @param surroundings the brokers, and how long they may be silent
     */
    InputLog(String topic, EventReader reader, boolean acceptEndOfInput, Surroundings surroundings) {
        this.topic = topic;
        this.reader = reader;
        this.acceptEndOfInput = acceptEndOfInput;
        this.clients = surroundings.clients();
        this.patience = surroundings.patience();
    }

    /** The input that a mapping describes. */
    static InputLog of(InputMapping input, Duration maxFuture, boolean acceptEndOfInput, Surroundings surroundings) {
        return new InputLog(input.topic(), new EventReader(input, maxFuture), acceptEndOfInput, surroundings);
    }

    /** The offsets behind the last committed record of each partition. */
    Map<TopicPartition, Long> ends() {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            return consumer.endOffsets(partitions(consumer), patience);
        } catch (KafkaException e) {
            throw unreachable(e);
        }
    }

    /**
     * The offset of the first record of each partition that has to be read.
     *
     * @param needed records that bear this timestamp, in epoch milliseconds, or a later one have to be there
     * @param wanted records that bear this one or a later one are read, as far as they are there
     * @throws CouldNotTellException if records are deleted that may be needed
     */
    Map<TopicPartition, Long> begins(long needed, long wanted) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            List<TopicPartition> partitions = partitions(consumer);
            Map<TopicPartition, Long> earliest = consumer.beginningOffsets(partitions, patience);
            Map<TopicPartition, Long> latest = consumer.endOffsets(partitions, patience);
            Map<TopicPartition, Long> first = firstSince(consumer, partitions, needed, earliest, latest);
            for (TopicPartition partition : partitions) {
                // The record before the first needed one is there, so none that is needed has been deleted.
                if (earliest.get(partition) > 0 && first.get(partition).equals(earliest.get(partition))) {
                    throw new CouldNotTellException("The input " + topic + " begins at offset "
                            + earliest.get(partition) + " of partition " + partition.partition()
                            + ", so events of the span may have been deleted; recount a later span, or keep the input"
                            + " for longer.");
                }
            }
            return firstSince(consumer, partitions, wanted, earliest, latest);
        } catch (KafkaException e) {
            throw unreachable(e);
        }
    }

    /** The offset of the first record of each partition, of those that are still there, that bears this timestamp or a later. */
    Map<TopicPartition, Long> firstSince(long timestamp) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            List<TopicPartition> partitions = partitions(consumer);
            return firstSince(
                    consumer,
                    partitions,
                    timestamp,
                    consumer.beginningOffsets(partitions, patience),
                    consumer.endOffsets(partitions, patience));
        } catch (KafkaException e) {
            throw unreachable(e);
        }
    }

    private Map<TopicPartition, Long> firstSince(
            KafkaConsumer<byte[], byte[]> consumer,
            List<TopicPartition> partitions,
            long timestamp,
            Map<TopicPartition, Long> earliest,
            Map<TopicPartition, Long> latest) {
        if (timestamp <= 0) {
            return earliest;
        }
        Map<TopicPartition, Long> times = new HashMap<>();
        partitions.forEach(partition -> times.put(partition, timestamp));
        Map<TopicPartition, Long> first = new HashMap<>(latest);
        for (Map.Entry<TopicPartition, OffsetAndTimestamp> found :
                consumer.offsetsForTimes(times, patience).entrySet()) {
            if (found.getValue() != null) {
                first.put(found.getKey(), found.getValue().offset());
            }
        }
        return first;
    }

    /**
     * Reads pieces of partitions, several at a time. While one batch of a partition is taken, the next one is read, so that
     * an input whose events are mostly in one partition keeps two processors busy.
     */
    void read(Map<TopicPartition, Range> ranges, Consumer<Item> receiver, Progress progress) {
        progress.begin(
                "reading", ranges.values().stream().mapToLong(Range::size).sum());
        int threads = Math.max(1, Math.min(ranges.size(), Runtime.getRuntime().availableProcessors()));
        ExecutorService readers = Executors.newFixedThreadPool(threads);
        ExecutorService takers = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> reading = new ArrayList<>();
            ranges.forEach((partition, range) -> {
                if (range.size() > 0) {
                    reading.add(readers.submit(() -> read(partition, range, receiver, takers, progress)));
                }
            });
            reading.forEach(InputLog::await);
        } finally {
            end(readers);
            end(takers);
            progress.end();
        }
    }

    private void read(
            TopicPartition partition, Range range, Consumer<Item> receiver, ExecutorService takers, Progress progress) {
        try (PartitionLog records = open(partition, range, progress)) {
            Future<?> taken = CompletableFuture.completedFuture(null);
            List<Item> batch = new ArrayList<>();
            int bytes = 0;
            for (ConsumerRecord<byte[], byte[]> record = records.next(); record != null; record = records.next()) {
                batch.add(read(record));
                bytes += Math.max(0, record.serializedValueSize());
                if (batch.size() == RECORDS_OF_A_BATCH || bytes >= BYTES_OF_A_BATCH) {
                    await(taken);
                    List<Item> full = batch;
                    taken = takers.submit(() -> full.forEach(receiver));
                    batch = new ArrayList<>(RECORDS_OF_A_BATCH);
                    bytes = 0;
                }
            }
            await(taken);
            batch.forEach(receiver);
        } catch (KafkaException e) {
            throw unreachable(e);
        }
    }

    /** After an error others may still be at work, and what they work on must not be closed under them. */
    private static void end(ExecutorService workers) {
        workers.shutdownNow();
        try {
            workers.awaitTermination(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(Future<?> part) {
        try {
            part.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CouldNotTellException("The recount was interrupted.", e);
        }
    }

    /** A piece of a partition, to be read by whoever opens it; progress is told of every offset. */
    PartitionLog open(TopicPartition partition, Range range, Progress progress) {
        return new PartitionLog(consumer(), partition, range, patience, progress::advance);
    }

    /** What a record says. */
    Item read(ConsumerRecord<byte[], byte[]> record) {
        Origin origin = new Origin(topic, record.partition(), record.offset());
        if (acceptEndOfInput) {
            Header control = record.headers().lastHeader(EndOfInput.HEADER);
            if (control != null && Arrays.equals(control.value(), END_OF_INPUT)) {
                return new EndOfInput(origin);
            }
        }
        return reader.read(origin, record.key(), record.value(), record.timestamp());
    }

    private List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer) {
        List<PartitionInfo> found = consumer.partitionsFor(topic, patience);
        if (found == null || found.isEmpty()) {
            throw new CouldNotTellException(
                    "The input topic " + topic + " does not exist; see whether these are the right brokers.");
        }
        return found.stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
    }

    private CouldNotTellException unreachable(KafkaException e) {
        return new CouldNotTellException(
                "The input topic " + topic + " cannot be read (" + e.getMessage() + "); check that the brokers run, "
                        + "spring.kafka.bootstrap-servers and the security settings.",
                e);
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        Map<String, Object> config = new HashMap<>(clients);
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, RECORDS_OF_A_POLL);
        config.remove(ConsumerConfig.GROUP_ID_CONFIG);
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }
}
