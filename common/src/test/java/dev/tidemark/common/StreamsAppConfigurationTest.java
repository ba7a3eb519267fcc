package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rocksdb.Options;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;
import org.springframework.util.unit.DataSize;

/** A user's own Kafka settings reach the streams client; those that the promises rest on cannot be changed. */
class StreamsAppConfigurationTest {

    @Configuration(proxyBeanMethods = false)
    static class App {

        @Bean
        Pipeline pipeline() {
            return new Pipeline(
                    "sales-totals",
                    List.of("sales"),
                    List.of(),
                    0,
                    (short) -1,
                    DataSize.ofKilobytes(512),
                    new InputPartitions(),
                    new StateTerms(Map.of()),
                    builder -> builder.stream("sales"));
        }
    }

    /** A user's own. */
    public static final class OwnSetter implements RocksDBConfigSetter {

        @Override
        public void setConfig(String storeName, Options options, Map<String, Object> configs) {}

        @Override
        public void close(String storeName, Options options) {}
    }

    private static final ApplicationContextRunner RUNNER = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
            .withUserConfiguration(App.class, StreamsAppConfiguration.class)
            .withPropertyValues(
                    "spring.application.name=totals",
                    "spring.kafka.bootstrap-servers=kafka.example.com:9093",
                    "spring.kafka.streams.auto-startup=false");

    private static Properties settings(String... properties) {
        Properties[] settings = {null};
        RUNNER.withPropertyValues(properties)
                .run(context -> settings[0] =
                        context.getBean(StreamsBuilderFactoryBean.class).getStreamsConfiguration());
        return settings[0];
    }

    @Test
    void theTopologyCanBeLookedAt() {
        RUNNER.run(context -> assertThat(context.getBean(TopologyEndpoint.class).topology())
                .containsEntry("application-id", "sales-totals")
                .hasEntrySatisfying(
                        "description", description -> assertThat(description).contains("(topics: [sales])")));
    }

    @Test
    void securityAndOwnSettingsAreThoseOfAnySpringApplication() {
        assertThat(settings(
                        "spring.kafka.security.protocol=SASL_SSL",
                        "spring.kafka.properties.sasl.mechanism=SCRAM-SHA-512",
                        "spring.kafka.properties.sasl.jaas.config=a login module",
                        "spring.kafka.ssl.trust-store-location=file:/etc/kafka/trust.p12",
                        "spring.kafka.streams.properties.commit.interval.ms=500",
                        "spring.kafka.streams.properties.num.stream.threads=7"))
                .containsEntry("security.protocol", "SASL_SSL")
                .containsEntry("sasl.mechanism", "SCRAM-SHA-512")
                .containsEntry("sasl.jaas.config", "a login module")
                .containsKey("ssl.truststore.location")
                .containsEntry("commit.interval.ms", "500")
                .containsEntry("num.stream.threads", "7");
    }

    @Test
    void whatThePromisesRestOnCannotBeChanged() {
        assertThat(settings(
                        "spring.kafka.streams.application-id=other",
                        "spring.kafka.streams.properties.processing.guarantee=at_least_once",
                        "spring.kafka.streams.properties.enable.transactional.statestores=false"))
                .containsEntry("application.id", "sales-totals")
                .containsEntry("processing.guarantee", "exactly_once_v2")
                .containsEntry("enable.transactional.statestores", true)
                .containsEntry("ensure.explicit.internal.resource.naming", true);
    }

    @Test
    void stateIsNotKeptAmongTemporaryFilesThatAreCleanedUp() {
        assertThat(settings().get("state.dir").toString())
                .startsWith(System.getProperty("user.home"))
                .doesNotStartWith("/tmp");
    }

    @Test
    void theMemoryOfTheStoresIsASettingOfOursAndTheirConfigurationCanBeReplaced() {
        assertThat(settings())
                .containsEntry("rocksdb.config.setter", StateMemory.class)
                .containsEntry("tidemark.state.memory", 256L << 20);
        assertThat(settings("tidemark.state.memory=2GB")).containsEntry("tidemark.state.memory", 2L << 30);
        assertThat(settings("spring.kafka.streams.properties.rocksdb.config.setter=" + OwnSetter.class.getName()))
                .containsEntry("rocksdb.config.setter", OwnSetter.class.getName());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tidemark.state.memory=1MB|tidemark.state.memory is 1048576B, but 16MB to 1TB is allowed.",
                "tidemark.state.memory=2TB|tidemark.state.memory is 2199023255552B, but 16MB to 1TB is allowed.",
                "tidemark.state.memory=much|tidemark.state.memory is \"much\", which is not a DataSize.",
                "tidemark.state.size=1GB|tidemark.state.size is not a setting of this app; correct or remove it."
            })
    void aMemoryThatCannotBeStopsTheStartWithOneSentence(String setting, String sentence) {
        RUNNER.withPropertyValues(setting).run(context -> assertThat(new StartFailureAnalyzer()
                        .analyze(context.getStartupFailure())
                        .getDescription()
                        .replaceAll(" \\(.*?\\)", "")) // where the setting comes from
                .isEqualTo(sentence));
    }

    @Test
    void anAppWhoseStreamsClientDoesNotRunIsNotReady() {
        RUNNER.run(context -> {
            Health readiness = context.getBean("streams", HealthIndicator.class).health();

            assertThat(readiness.getStatus()).isEqualTo(Status.DOWN);
            assertThat(readiness.getDetails()).containsEntry("state", "NOT_STARTED");
        });
    }
}
