package dev.tidemark.common;

import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;

/** Shows at {@code /actuator/topology} what the app is made of: its application id and the description of its topology. */
@Endpoint(id = "topology")
final class TopologyEndpoint {

    private final StreamsBuilderFactoryBean streams;

    TopologyEndpoint(StreamsBuilderFactoryBean streams) {
        this.streams = streams;
    }

    @ReadOperation
    public Map<String, String> topology() {
        return Map.of(
                "application-id",
                streams.getStreamsConfiguration().getProperty("application.id"),
                "description",
                streams.getTopology().describe().toString());
    }
}
