package dev.tidemark.demo;

import dev.tidemark.totals.TotalsApplication;
import java.nio.file.Path;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;

/** The totals app in this JVM. */
final class TotalsApp implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final StreamsBuilderFactoryBean streams;

    private TotalsApp(ConfigurableApplicationContext context) {
        this.context = context;
        this.streams = context.getBean(StreamsBuilderFactoryBean.class);
    }

    /**
     * Starts the app.
     *
     * @param settings its settings, a YAML file
     * @param bootstrapServers the broker
     * @param state where its state is or will be
     * @param httpPort port of its actuator, or 0 for any free one
     */
    static TotalsApp start(Path settings, String bootstrapServers, Path state, int httpPort) {
        return new TotalsApp(new SpringApplicationBuilder(TotalsApplication.class)
                .registerShutdownHook(false)
                .run(
                        "--spring.config.additional-location="
                                + settings.toAbsolutePath().toUri(),
                        "--tidemark.startup.exit-when-failed=false",
                        "--spring.kafka.bootstrap-servers=" + bootstrapServers,
                        "--spring.kafka.streams.state-dir=" + state,
                        "--server.address=127.0.0.1",
                        "--server.port=" + httpPort));
    }

    /** Where its health is shown. */
    String url() {
        return "http://127.0.0.1:%s/actuator/health"
                .formatted(context.getEnvironment().getProperty("local.server.port"));
    }

    /** The name of its consumer group. */
    String applicationId() {
        return streams.getStreamsConfiguration().getProperty(StreamsConfig.APPLICATION_ID_CONFIG);
    }

    /** Whether it has ended by itself. */
    boolean hasFailed() {
        KafkaStreams running = streams.getKafkaStreams();
        return !context.isActive()
                || running == null
                || running.state() == KafkaStreams.State.ERROR
                || running.state() == KafkaStreams.State.PENDING_ERROR;
    }

    @Override
    public void close() {
        context.close();
    }
}
