package dev.tidemark.common;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.MetadataRecoveryStrategy;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.metrics.JmxReporter;
import org.apache.kafka.streams.StreamsConfig;
import org.springframework.util.unit.DataSize;

/** The Kafka Streams settings of every app: those that its promises rest on, and defaults that a user may change. */
public final class StreamsSettings {

    /** What a topic takes by default, and more than any row needs; a broker may be set to less. */
    static final int MAX_ROW = 1_048_588;

    private static final Map<String, Object> REQUIRED = Map.of(
            StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
            StreamsConfig.EXACTLY_ONCE_V2,
            // A crash leaves the state of the last commit, so nothing has to be restored from the start.
            StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG,
            true,
            StreamsConfig.ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG,
            true,
            StreamsConfig.PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG,
            FailOnMissingTopic.class.getName(),
            // Brokers that ask for metrics, and readers of JMX, would read one that may crash the JVM; see
            // MeteredStreams.
            StreamsConfig.ENABLE_METRICS_PUSH_CONFIG,
            false,
            JmxReporter.EXCLUDE_CONFIG,
            ".*type=stream-state-metrics.*",
            // State bears the times of its events, which may be years old; ticks and days of a calendar run ahead of
            // the broker's clock.
            StreamsConfig.topicPrefix(TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG),
            Long.toString(Long.MAX_VALUE),
            StreamsConfig.topicPrefix(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG),
            Long.toString(Long.MAX_VALUE));

    private StreamsSettings() {}

    /** What a user cannot change. */
    public static Map<String, Object> required() {
        return REQUIRED;
    }

    /**
     * What holds unless the user sets it.
     *
     * @param largestRecord the largest record that is written
     */
    public static Map<String, Object> defaults(DataSize largestRecord) {
        Map<String, Object> defaults = new LinkedHashMap<>();
        defaults.put(
                StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, Duration.ofSeconds(1).toMillis());
        defaults.put(
                StreamsConfig.NUM_STREAM_THREADS_CONFIG, Runtime.getRuntime().availableProcessors());
        defaults.put(
                StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG,
                DataSize.ofMegabytes(64).toBytes());
        defaults.put(
                StreamsConfig.STATE_DIR_CONFIG,
                Path.of(System.getProperty("user.home"), ".tidemark", "state").toString());
        // EventClock waits for what lags. While one of a task's topics has nothing to read, Kafka's own way of waiting
        // formats a message with each record of the others.
        defaults.put(StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, StreamsConfig.MAX_TASK_IDLE_MS_DISABLED);
        // How long the tasks of a killed process wait before another takes them over.
        defaults.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), (int)
                Duration.ofSeconds(10).toMillis());
        // While no broker is there, the admin client would bootstrap anew, and log it, a thousand times a second.
        defaults.put(
                StreamsConfig.adminClientPrefix(AdminClientConfig.METADATA_RECOVERY_STRATEGY_CONFIG),
                MetadataRecoveryStrategy.NONE.name);
        defaults.put(StreamsConfig.producerPrefix(ProducerConfig.COMPRESSION_TYPE_CONFIG), "lz4");
        // Every batch has buffers of lz4 of its own, which cost as much as to fill a small one.
        defaults.put(StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG), (int)
                DataSize.ofKilobytes(128).toBytes());
        int maxRecord = (int) largestRecord.toBytes();
        defaults.put(StreamsConfig.producerPrefix(ProducerConfig.MAX_REQUEST_SIZE_CONFIG), maxRecord);
        defaults.put(StreamsConfig.topicPrefix(TopicConfig.MAX_MESSAGE_BYTES_CONFIG), Integer.toString(maxRecord));
        // What is larger than its buffer the producer refuses, too.
        defaults.put(
                StreamsConfig.producerPrefix(ProducerConfig.BUFFER_MEMORY_CONFIG),
                Math.max(DataSize.ofMegabytes(32).toBytes(), 2L * maxRecord));
        return defaults;
    }

    /**
     * What holds of state unless the user sets it.
     *
     * @param memory what all stores of the process share outside of the heap
     */
    public static Map<String, Object> state(DataSize memory) {
        return Map.of(
                StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG,
                StateMemory.class,
                StateMemory.SIZE,
                memory.toBytes());
    }

    /** The size of a dead letter with a value of the given size. */
    public static DataSize maxRecord(DataSize largestValue) {
        return DataSize.ofBytes(largestValue.toBytes() + 2 * DeadLetters.MAX_REST + DeadLetters.OWN);
    }
}
