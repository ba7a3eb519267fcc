package dev.tidemark.common;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.streams.StreamsBuilder;
import org.springframework.util.unit.DataSize;

/**
 * What an app has to say about itself to be started by {@link StreamsAppConfiguration}.
 *
 * @param applicationId application id of the streams client; names its consumer group and internal topics
 * @param inputs input topics, which must exist; those that one task reads with the same number of partitions
 * @param wholeTables input topics that each instance reads as a whole; they must exist, with any number of partitions
 * @param results topics that the app writes, which are created where they are missing
 * @param partitions partitions of result topics; 0: as many as the input with most of them
 * @param replicationFactor replicas of result topics; -1: the broker's default
 * @param largestRecord the largest record that is written
 * @param inputPartitions is told how many partitions the inputs have, before the first task starts
 * @param terms the settings that existing state has to have been written with
 * @param topology adds the app's operators to a builder
 */
public record Pipeline(
        String applicationId,
        List<String> inputs,
        List<String> wholeTables,
        List<ResultTopic> results,
        int partitions,
        short replicationFactor,
        DataSize largestRecord,
        InputPartitions inputPartitions,
        StateTerms terms,
        Consumer<StreamsBuilder> topology) {

    /** Without tables that are read as a whole. */
    public Pipeline(
            String applicationId,
            List<String> inputs,
            List<ResultTopic> results,
            int partitions,
            short replicationFactor,
            DataSize largestRecord,
            InputPartitions inputPartitions,
            StateTerms terms,
            Consumer<StreamsBuilder> topology) {
        this(
                applicationId,
                inputs,
                List.of(),
                results,
                partitions,
                replicationFactor,
                largestRecord,
                inputPartitions,
                terms,
                topology);
    }

    /**
     * A topic that an app writes, or is told by what to write.
     *
     * @param name its name
     * @param config its configuration when it is created
     * @param asInput whether it has to have as many partitions as the input, whatever is configured
     */
    public record ResultTopic(String name, Map<String, String> config, boolean asInput) {

        /** For ever, whatever times the records speak of. */
        private static final Map<String, String> KEPT = Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                TopicConfig.CLEANUP_POLICY_DELETE,
                TopicConfig.RETENTION_MS_CONFIG,
                "-1",
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                "LogAppendTime");

        private ResultTopic(String name, Map<String, String> config) {
            this(name, config, false);
        }

        /** Commands to the app, which are as good as input and kept like it. */
        public static ResultTopic ofCommands(String name) {
            return new ResultTopic(name, KEPT, true);
        }

        /** Rows by primary key: compaction keeps the latest record of each, for ever. */
        public static ResultTopic ofRows(String name) {
            return ofRows(name, DataSize.ofBytes(StreamsSettings.MAX_ROW));
        }

        /** Rows that may be larger than a topic takes by default. */
        public static ResultTopic ofRows(String name, DataSize largest) {
            return new ResultTopic(
                    name,
                    Map.of(
                            TopicConfig.CLEANUP_POLICY_CONFIG,
                            TopicConfig.CLEANUP_POLICY_COMPACT,
                            TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                            "LogAppendTime",
                            TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                            Long.toString(largest.toBytes())));
        }

        /** The same, and deletions stay for a month, so that a sink may be away for as long. */
        public ResultTopic keepingDeletions() {
            Map<String, String> longer = new HashMap<>(config);
            longer.put(
                    TopicConfig.DELETE_RETENTION_MS_CONFIG,
                    Long.toString(Duration.ofDays(31).toMillis()));
            return new ResultTopic(name, longer, asInput);
        }

        /** Raw records of up to the given size, kept until the user deletes them. */
        public static ResultTopic ofRawRecords(String name, DataSize largestValue) {
            Map<String, String> config = new HashMap<>(KEPT);
            config.put(
                    TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                    Long.toString(StreamsSettings.maxRecord(largestValue).toBytes()));
            return new ResultTopic(name, config);
        }
    }
}
