package dev.tidemark.common;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;

/**
 * The streams client without the one meter that can end the JVM: in Kafka 4.4.0, that of a transactional store's
 * uncommitted bytes reads native memory that is freed when the store's task is closed.
 */
final class SafeStreams extends KafkaStreams {

    private static final String UNSAFE = "uncommitted-bytes";

    SafeStreams(Topology topology, Properties properties, KafkaClientSupplier clients) {
        super(topology, properties, clients);
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        Map<MetricName, Metric> safe = new HashMap<>(super.metrics());
        safe.keySet().removeIf(name -> name.name().contains(UNSAFE));
        return safe;
    }
}
