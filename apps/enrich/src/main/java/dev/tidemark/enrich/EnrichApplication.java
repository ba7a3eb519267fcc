package dev.tidemark.enrich;

import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.Pipeline;
import dev.tidemark.common.Pipeline.ResultTopic;
import dev.tidemark.common.StreamsAppConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Runs the enrich app. */
@SpringBootApplication
@Import(StreamsAppConfiguration.class)
@EnableConfigurationProperties(EnrichProperties.class)
public class EnrichApplication {

    public static void main(String[] args) {
        SpringApplication.run(EnrichApplication.class, args);
    }

    @Bean
    Pipeline pipeline(EnrichProperties settings, MeterRegistry meters) {
        InputPartitions partitions = new InputPartitions();
        return new Pipeline(
                settings.applicationId(),
                inputs(settings),
                settings.table().broadcast() ? List.of(settings.table().topic()) : List.of(),
                List.of(
                        ResultTopic.ofRows(settings.enrichedTopic(), settings.largestRow()),
                        ResultTopic.ofRows(settings.exceptionsTopic()),
                        ResultTopic.ofRows(settings.ledgerTopic()),
                        ResultTopic.ofRawRecords(settings.deadLettersTopic(), settings.largestValue())),
                settings.topics().partitions(),
                settings.topics().replicationFactor(),
                settings.largestRecord(),
                partitions,
                settings.stateTerms(),
                new EnrichTopology(settings, partitions, meters)::build);
    }

    /** A table that every instance reads as a whole has partitions of its own. */
    private static List<String> inputs(EnrichProperties settings) {
        String events = settings.input().topic();
        return settings.table().broadcast()
                ? List.of(events)
                : List.of(events, settings.table().topic());
    }
}
