package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import dev.tidemark.common.StartRefusedException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.streams.KafkaStreams;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;

/** The app starts and says how it is, or refuses in one sentence; it never sits there dead. */
class StartupIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Path MODULE = Path.of("");

    @TempDir
    static Path directory;

    private static Broker broker;

    @BeforeAll
    static void startBroker() {
        broker = new Broker(directory.resolve("kafka"));
    }

    @AfterAll
    static void stopBroker() throws IOException {
        broker.close();
    }

    @Test
    void aMissingInputTopicIsNamed() {
        refuses(broker.settings("absent", directory.resolve("absent")))
                .isEqualTo("The input topic absent does not exist on " + broker.bootstrapServers()
                        + "; create it, or correct the setting.");
    }

    @Test
    void resultTopicsWithAnotherNumberOfPartitionsAreNamedWithBothNumbers() {
        broker.createTopic("counted", 2);
        broker.createTopic("counted-totals", 3);

        refuses(broker.settings("counted", directory.resolve("counted"), "tidemark.totals.topics.partitions=2"))
                .isEqualTo(
                        "The topic counted-totals has 3 partitions, but 2 are configured (topics.partitions); correct"
                                + " the setting, or delete the topic.");
    }

    @Test
    void theTopicOfRecountsNeedsAsManyPartitionsAsTheInput() {
        broker.createTopic("recounted", 2);
        broker.createTopic("recounted-recounts", 1);

        refuses(broker.settings("recounted", directory.resolve("recounted")))
                .isEqualTo("The topic recounted-recounts has 1 partitions, but 2 are needed, as many as the input has;"
                        + " delete the topic.");
    }

    @Test
    void anInputThatWasGivenMorePartitionsIsRefusedBecauseTheStateCannotFollow() {
        broker.createTopic("grown", 1);
        broker.createTopic("grown-totals-seen-events-changelog", 3);

        refuses(broker.settings("grown", directory.resolve("grown")))
                .startsWith("The topic grown-totals-seen-events-changelog has 3 partitions, but the input grown has 1;")
                .contains("new pipeline name");
    }

    @Test
    void unreachableBrokersAreNamedAfterTheTimeout() {
        Map<String, String> settings =
                broker.settings("unreachable", directory.resolve("unreachable"), "tidemark.startup.broker-timeout=2s");
        settings.put("spring.kafka.bootstrap-servers", "127.0.0.1:1");

        refuses(settings)
                .isEqualTo("Cannot reach the Kafka brokers at 127.0.0.1:1 within 2 seconds; check"
                        + " spring.kafka.bootstrap-servers, the security settings, and that the brokers run.");
    }

    private static org.assertj.core.api.AbstractStringAssert<?> refuses(Map<String, String> settings) {
        StringBuilder said = new StringBuilder();
        assertThatThrownBy(() -> Broker.start(settings).close()).satisfies(thrown -> {
            Throwable cause = thrown;
            while (cause != null && !(cause instanceof StartRefusedException)) {
                cause = cause.getCause();
            }
            assertThat(cause).as("refusal in %s", thrown).isNotNull();
            said.append(cause.getMessage());
        });
        return assertThat(said.toString());
    }

    @Test
    void theJarSaysInOneSentenceWhatIsWrongWithASettingAndExitsWithOne() {
        broker.createTopic("wrong", 1);

        assertThat(output("tidemark.totals.grase=5m"))
                .contains("tidemark.totals.grase")
                .contains("is not a setting of this app; correct or remove it.");
        assertThat(output("tidemark.totals.grace=soon"))
                .contains("tidemark.totals.grace")
                .contains("is \"soon\", which is not a Duration");
        assertThat(output("tidemark.totals.window.size=10ms"))
                .contains("tidemark.totals.window.size is 10ms, but 1s to 366d is allowed.");
        assertThat(output("spring.kafka.streams.properties.commit.interval.ms=often"))
                .contains("A setting under spring.kafka is wrong: Invalid value often for configuration"
                        + " commit.interval.ms");
    }

    private static String output(String setting) {
        try (AppProcess app = AppProcess.start(
                MODULE,
                broker.settings("wrong", directory.resolve("wrong"), setting),
                directory.resolve("processes"))) {
            assertThat(app.exitCode()).isEqualTo(1);
            assertThat(app.output()).doesNotContain("\tat ");
            return app.output();
        }
    }

    @Test
    void theAppIsReadyWhenItRunsAndShowsItsMeters()
            throws IOException, InterruptedException, MalformedObjectNameException {
        broker.createTopic("metered", 1);
        broker.sale("metered", "e1", "10:01:00", "1.50");
        broker.send("metered", "A", "rubbish");
        ConfigurableApplicationContext app = Broker.start(broker.settings("metered", directory.resolve("metered")));
        try {
            String url = "http://127.0.0.1:"
                    + ((WebServerApplicationContext) app).getWebServer().getPort() + "/actuator";
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(get(url + "/health/readiness"))
                    .contains("\"UP\""));
            assertThat(get(url + "/health/liveness")).contains("\"UP\"");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(get(url + "/prometheus"))
                    .contains("tidemark_events_total{disposition=\"counted\",pipeline=\"metered\"} 1.0")
                    .contains("tidemark_events_total{disposition=\"malformed\",pipeline=\"metered\"} 1.0")
                    .contains("tidemark_events_total{disposition=\"received\",pipeline=\"metered\"} 2.0")
                    .contains("tidemark_events_total{disposition=\"too-late\",pipeline=\"metered\"} 0.0")
                    .contains("kafka_stream_thread_commit_total"));
            KafkaStreams streams = app.getBean(StreamsBuilderFactoryBean.class).getKafkaStreams();
            assertThat(streams.metrics().keySet().stream().map(MetricName::name))
                    .contains("estimate-num-keys")
                    // Reading it may crash the JVM.
                    .doesNotContain("uncommitted-bytes");
            MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
            assertThat(beans.queryNames(new ObjectName("kafka.streams:type=stream-thread-metrics,*"), null))
                    .isNotEmpty();
            assertThat(beans.queryNames(new ObjectName("kafka.streams:type=stream-state-metrics,*"), null))
                    .isEmpty();
        } finally {
            app.close();
        }
    }

    private static String get(String url) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-dead-letters", "-exceptions", "-totals"})
    void theProcessEndsWithOneWhenATopicOfItsIsDeleted(String which) {
        String pipeline = "doomed" + which.length();
        broker.createTopic(pipeline, 1);
        broker.sale(pipeline, "e1", "10:01:00", "1.50");
        Map<String, String> settings = new HashMap<>(broker.settings(pipeline, directory.resolve(pipeline)));
        settings.remove("tidemark.startup.exit-when-failed");
        // How long a commit to the deleted topic, a write to it, and looking for it, may take.
        settings.put("spring.kafka.streams.properties.consumer.metadata.max.age.ms", "1000");
        settings.put("spring.kafka.streams.properties.consumer.default.api.timeout.ms", "5000");
        settings.put("spring.kafka.streams.properties.consumer.request.timeout.ms", "4000");
        settings.put("spring.kafka.streams.properties.producer.max.block.ms", "5000");
        settings.put("spring.kafka.streams.properties.producer.delivery.timeout.ms", "5000");
        settings.put("spring.kafka.streams.properties.producer.request.timeout.ms", "4000");
        try (AppProcess app = AppProcess.start(MODULE, settings, directory.resolve("processes"))) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.read(pipeline + "-ledger"))
                    .hasSize(1));
            broker.admin().deleteTopics(List.of(pipeline + which));
            if (!which.isEmpty()) {
                broker.send(pipeline, "A", "rubbish");
                broker.sale(pipeline, "e2", "10:31:00", "1.50");
            }

            assertThat(app.exitCode()).isEqualTo(1);
            assertThat(app.output()).contains("The streams client stops because of an unexpected error");
        }
    }

    @Test
    void theJarStopsCleanlyWhenItIsAskedTo() {
        broker.createTopic("asked", 1);
        Map<String, String> settings = broker.settings("asked", directory.resolve("asked"));
        AppProcess app = AppProcess.start(MODULE, settings, directory.resolve("processes"));
        broker.sale("asked", "e1", "10:01:00", "1.50");
        await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> assertThat(broker.read("asked-ledger"))
                .hasSize(1));

        app.close();

        assertThat(app.exitCode()).isEqualTo(143);
        assertThat(app.output()).doesNotContain("ERROR");
    }
}
