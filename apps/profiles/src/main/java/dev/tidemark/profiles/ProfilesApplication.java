package dev.tidemark.profiles;

import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.Pipeline;
import dev.tidemark.common.Pipeline.ResultTopic;
import dev.tidemark.common.StreamsAppConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;

/** Runs the profiles app. */
@SpringBootApplication
@Import(StreamsAppConfiguration.class)
@EnableConfigurationProperties(ProfilesProperties.class)
public class ProfilesApplication {

    public static void main(String[] args) {
        SpringApplication.run(ProfilesApplication.class, args);
    }

    @Bean
    InputPartitions inputPartitions() {
        return new InputPartitions();
    }

    @Bean
    Pipeline pipeline(ProfilesProperties settings, InputPartitions partitions, MeterRegistry meters) {
        return new Pipeline(
                settings.applicationId(),
                List.of(settings.input().topic(), settings.table().topic()),
                List.of(
                        ResultTopic.ofRows(settings.profilesTopic(), settings.largestRow())
                                .keepingDeletions(),
                        ResultTopic.ofRows(settings.sessionsTopic()),
                        ResultTopic.ofRows(settings.exceptionsTopic()),
                        ResultTopic.ofRows(settings.ledgerTopic()),
                        ResultTopic.ofRawRecords(settings.deadLettersTopic(), settings.largestValue())),
                settings.topics().partitions(),
                settings.topics().replicationFactor(),
                settings.largestRecord(),
                partitions,
                settings.stateTerms(),
                new ProfilesTopology(settings, partitions, meters)::build);
    }

    @Bean
    Profiles profiles(ProfilesProperties settings, InputPartitions partitions, StreamsBuilderFactoryBean streams) {
        return new Profiles(settings, partitions, streams);
    }

    /** A key may contain slashes. */
    @Bean
    @ConditionalOnWebApplication
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> slashesInKeys() {
        return tomcat -> tomcat.addConnectorCustomizers(ProfilesApplication::passSlashesOn);
    }

    private static void passSlashesOn(Connector connector) {
        connector.setEncodedSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
        connector.setEncodedReverseSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue());
    }
}
