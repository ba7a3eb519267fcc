package dev.tidemark.pairs;

import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.PairsProperties;
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

/** Runs the pairs app. */
@SpringBootApplication
@Import(StreamsAppConfiguration.class)
@EnableConfigurationProperties(PairsProperties.class)
public class PairsApplication {

    public static void main(String[] args) {
        SpringApplication.run(PairsApplication.class, args);
    }

    @Bean
    Pipeline pipeline(PairsProperties settings, MeterRegistry meters) {
        InputPartitions partitions = new InputPartitions();
        return new Pipeline(
                settings.applicationId(),
                List.of(settings.left().topic(), settings.right().topic()),
                List.of(
                        ResultTopic.ofRows(settings.pairsTopic(), settings.largestRow()),
                        ResultTopic.ofRows(settings.exceptionsTopic()),
                        ResultTopic.ofRows(settings.ledgerTopic()),
                        ResultTopic.ofRawRecords(settings.deadLettersTopic(), settings.largestEvent())),
                settings.topics().partitions(),
                settings.topics().replicationFactor(),
                settings.largestRecord(),
                partitions,
                settings.stateTerms(),
                new PairsTopology(settings, partitions, meters)::build);
    }
}
