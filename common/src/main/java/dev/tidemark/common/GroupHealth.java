package dev.tidemark.common;

import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;

/**
 * Reports whether every thread of the streams client can still be a member of its consumer group: DOWN when one has sent
 * no heartbeat for a session's length, because the brokers are away, the process was frozen, or a record blocks the
 * thread for longer than {@code max.poll.interval.ms}. The client itself says RUNNING all that time.
 */
final class GroupHealth implements HealthIndicator {

    private static final String METRICS = "consumer-coordinator-metrics";
    private static final String LAST_HEARTBEAT = "last-heartbeat-seconds-ago";

    private final StreamsBuilderFactoryBean streams;
    private final double sessionSeconds;

    GroupHealth(StreamsBuilderFactoryBean streams) {
        this.streams = streams;
        this.sessionSeconds = sessionSeconds(streams.getStreamsConfiguration());
    }

    @Override
    public Health health() {
        KafkaStreams client = streams.getKafkaStreams();
        if (client == null) {
            return Health.down().build();
        }
        double seconds = longestSinceHeartbeat(client.metrics());
        return (seconds < sessionSeconds ? Health.up() : Health.down())
                .withDetail(LAST_HEARTBEAT, (long) seconds)
                .build();
    }

    /** -1 before the first heartbeat. */
    private static double longestSinceHeartbeat(Map<MetricName, ? extends Metric> metrics) {
        return metrics.entrySet().stream()
                .filter(metric -> metric.getKey().group().equals(METRICS))
                .filter(metric -> metric.getKey().name().equals(LAST_HEARTBEAT))
                .mapToDouble(metric -> (double) metric.getValue().metricValue())
                .max()
                .orElse(-1);
    }

    private static double sessionSeconds(Properties settings) {
        String key = ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG;
        return Stream.of(StreamsConfig.mainConsumerPrefix(key), StreamsConfig.consumerPrefix(key))
                .filter(settings::containsKey)
                .mapToDouble(
                        prefixed -> Double.parseDouble(settings.get(prefixed).toString()) / 1000)
                .findFirst()
                .orElseThrow();
    }
}
