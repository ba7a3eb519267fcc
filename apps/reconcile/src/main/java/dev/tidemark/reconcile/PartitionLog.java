package dev.tidemark.reconcile;

import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;

/** A piece of a partition, record by record. Not thread-safe. */
final class PartitionLog implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final TopicPartition partition;
    private final long end;
    private final Duration patience;
    private final LongConsumer passed;
    private Iterator<ConsumerRecord<byte[], byte[]>> polled = Collections.emptyIterator();
    private long position;

    /**
     * @param consumer is closed with this
     * @param patience how long the brokers may be silent
     * @param passed is told of offsets that were passed, how many at a time
     */
    PartitionLog(
            KafkaConsumer<byte[], byte[]> consumer,
            TopicPartition partition,
            Range range,
            Duration patience,
            LongConsumer passed) {
        this.consumer = consumer;
        this.partition = partition;
        this.end = range.end();
        this.patience = patience;
        this.passed = passed;
        this.position = range.begin();
        consumer.assign(List.of(partition));
        consumer.seek(partition, position);
    }

    /** The next record, or null behind the last one. */
    ConsumerRecord<byte[], byte[]> next() {
        while (!polled.hasNext()) {
            if (position >= end) {
                return null;
            }
            poll();
        }
        ConsumerRecord<byte[], byte[]> record = polled.next();
        if (record.offset() >= end) {
            polled = Collections.emptyIterator();
            return null;
        }
        return record;
    }

    private void poll() {
        long deadline = System.nanoTime() + patience.toNanos();
        long before = position;
        while (position == before) {
            if (System.nanoTime() > deadline) {
                throw new CouldNotTellException("The brokers have handed out nothing of " + partition + " behind "
                        + position + " within " + patience.toSeconds() + " seconds; see whether they are well.");
            }
            try {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                polled = records.iterator();
                position = Math.min(end, consumer.position(partition));
            } catch (OffsetOutOfRangeException e) {
                throw new CouldNotTellException(
                        "Records of the input " + partition
                                + " were deleted while they were to be read; keep it for longer.",
                        e);
            }
        }
        passed.accept(position - before);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
