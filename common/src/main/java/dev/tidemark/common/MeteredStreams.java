package dev.tidemark.common;

import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;

/**
 * A streams client whose metrics may be read at any time. Kafka Streams 4.4.0 asks native memory how much a transactional
 * store has not committed yet, and when the store is being closed that memory has been freed: the JVM crashes.
 */
final class MeteredStreams extends KafkaStreams {

    private static final String UNSAFE = "uncommitted-bytes";

    MeteredStreams(Topology topology, Properties settings, KafkaClientSupplier clients) {
        super(topology, settings, clients);
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return super.metrics().entrySet().stream()
                .filter(metric -> !metric.getKey().name().equals(UNSAFE))
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
