package dev.tidemark.totals;

import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.Pipeline;
import dev.tidemark.common.Pipeline.ResultTopic;
import dev.tidemark.common.StreamsAppConfiguration;
import dev.tidemark.common.StreamsSettings;
import dev.tidemark.common.TotalsProperties;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Runs the totals app. */
@SpringBootApplication
@Import(StreamsAppConfiguration.class)
@EnableConfigurationProperties(TotalsProperties.class)
public class TotalsApplication {

    public static void main(String[] args) {
        SpringApplication.run(TotalsApplication.class, args);
    }

    @Bean
    Pipeline pipeline(TotalsProperties settings, MeterRegistry meters) {
        InputPartitions partitions = new InputPartitions();
        return new Pipeline(
                settings.applicationId(),
                List.of(settings.input().topic()),
                List.of(
                        ResultTopic.ofRows(settings.totalsTopic()),
                        ResultTopic.ofRows(settings.exceptionsTopic()),
                        ResultTopic.ofRows(settings.ledgerTopic()),
                        ResultTopic.ofRows(settings.latenessTopic()),
                        ResultTopic.ofCommands(settings.recountsTopic()),
                        ResultTopic.ofRawRecords(
                                settings.deadLettersTopic(), settings.input().maxSize())),
                settings.topics().partitions(),
                settings.topics().replicationFactor(),
                StreamsSettings.maxRecord(settings.input().maxSize()),
                partitions,
                settings.stateTerms(),
                new TotalsTopology(settings, partitions, meters)::build);
    }
}
