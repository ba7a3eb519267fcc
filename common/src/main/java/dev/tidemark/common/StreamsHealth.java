package dev.tidemark.common;

import java.util.function.Predicate;
import org.apache.kafka.streams.KafkaStreams;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;

/** Reports the state of the streams client: UP in the states that the given rule accepts. */
final class StreamsHealth implements HealthIndicator {

    private final StreamsBuilderFactoryBean streams;
    private final Predicate<KafkaStreams.State> up;

    StreamsHealth(StreamsBuilderFactoryBean streams, Predicate<KafkaStreams.State> up) {
        this.streams = streams;
        this.up = up;
    }

    @Override
    public Health health() {
        KafkaStreams client = streams.getKafkaStreams();
        if (client == null) {
            return Health.down().withDetail("state", "NOT_STARTED").build();
        }
        KafkaStreams.State state = client.state();
        return (up.test(state) ? Health.up() : Health.down())
                .withDetail("state", state.name())
                .build();
    }
}
