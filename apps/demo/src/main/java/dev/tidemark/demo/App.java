package dev.tidemark.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;

/** An app of the suite in this JVM. */
final class App implements AutoCloseable {

    private static final String DATABASE = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration";

    /** What Spring Boot would add to every app of this JVM because others have it on the class path. */
    private static final String OTHERS = String.join(
            ",",
            // All apps leave this out, and this list takes the place of theirs.
            "org.springframework.boot.micrometer.metrics.autoconfigure.logging.logback.LogbackMetricsAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
            "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
            "org.springframework.boot.thymeleaf.autoconfigure.ThymeleafAutoConfiguration");

    /** The setting that leaves out what others need, for an app with a database. */
    static final String WITH_DATABASE_ONLY = "--spring.autoconfigure.exclude=" + OTHERS;

    private final ConfigurableApplicationContext context;
    private final StreamsBuilderFactoryBean streams;

    private App(ConfigurableApplicationContext context) {
        this.context = context;
        this.streams = context.getBean(StreamsBuilderFactoryBean.class);
    }

    /**
     * Starts an app.
     *
     * @param application its main class
     * @param settings its settings, a YAML file
     * @param bootstrapServers the broker
     * @param state where its state is or will be
     * @param more further settings, as {@code name=value}
     */
    static App start(Class<?> application, Path settings, String bootstrapServers, Path state, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.config.additional-location="
                        + settings.toAbsolutePath().toUri(),
                "--tidemark.startup.exit-when-failed=false",
                "--spring.kafka.bootstrap-servers=" + bootstrapServers,
                "--spring.kafka.streams.state-dir=" + state,
                "--spring.autoconfigure.exclude=" + DATABASE + "," + OTHERS,
                "--server.address=127.0.0.1"));
        for (String setting : more) {
            arguments.add("--" + setting);
        }
        return new App(new SpringApplicationBuilder(application)
                .registerShutdownHook(false)
                .run(arguments.toArray(String[]::new)));
    }

    /** Where its health is shown. */
    String url() {
        return actuator() + "/health";
    }

    /** Where it tells about itself. */
    String actuator() {
        return "http://127.0.0.1:%s/actuator".formatted(context.getEnvironment().getProperty("local.server.port"));
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
