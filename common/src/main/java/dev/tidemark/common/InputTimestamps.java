package dev.tidemark.common;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.processor.TimestampExtractor;

/**
 * The timestamp of each input record is its arrival time. A record without one gets 0, which {@link EventReader}
 * refuses; Kafka Streams itself would stop at it.
 */
public final class InputTimestamps implements TimestampExtractor {

    @Override
    public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
        return Math.max(record.timestamp(), 0);
    }
}
