package dev.tidemark.common;

import java.util.Properties;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.kafka.annotation.EnableKafkaStreams;
import org.springframework.kafka.config.KafkaStreamsCustomizer;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;
import org.springframework.kafka.config.StreamsBuilderFactoryBeanConfigurer;

/**
 * Starts the {@link Pipeline} that an app provides as a bean: checks state directory and brokers first, runs the topology under the
 * suite's settings, reports its health, and ends the process when the streams client dies.
 */
@Configuration(proxyBeanMethods = false)
@EnableKafkaStreams
@EnableConfigurationProperties({Startup.class, StateSettings.class})
public class StreamsAppConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(StreamsAppConfiguration.class);
    private static final int CLOSE_TIMEOUT_SECONDS = 8;

    @Bean
    StreamsBuilderFactoryBeanConfigurer streamsSettings(
            Pipeline pipeline, Startup startup, StateSettings state, ApplicationContext context) {
        return new StreamsBuilderFactoryBeanConfigurer() {
            @Override
            public void configure(StreamsBuilderFactoryBean streams) {
                streams.setStreamsConfiguration(settings(pipeline, state, streams.getStreamsConfiguration()));
                streams.setKafkaStreamsCustomizer(new Metered());
                streams.setCloseTimeout(CLOSE_TIMEOUT_SECONDS);
                // So that another instance, or this one when it is back, need not wait for the session to expire.
                streams.setLeaveGroupOnClose(true);
                streams.setStreamsUncaughtExceptionHandler(StreamsAppConfiguration::die);
                streams.setStateListener((now, before) -> {
                    // Not only ERROR: a thread that hangs in the consumer can keep the client from ever getting there.
                    if (now == KafkaStreams.State.PENDING_ERROR && startup.exitWhenFailed()) {
                        exit(context);
                    }
                });
            }

            @Override
            public int getOrder() {
                return Ordered.LOWEST_PRECEDENCE;
            }
        };
    }

    /** Builds the topology; the streams client is started later, in its phase of the context's life. */
    @Bean
    Object topology(StreamsBuilder builder, Pipeline pipeline) {
        pipeline.topology().accept(builder);
        return pipeline.applicationId();
    }

    /** Given up when the context is closed, which is after the streams client was, or when it cannot start. */
    @Bean
    StateDirectory stateDirectory(StreamsBuilderFactoryBean streams) {
        return new StateDirectory(streams.getStreamsConfiguration());
    }

    /** Before the web server: a second copy of an app has the port of the first, too, but the directory says more. */
    @Bean
    SmartLifecycle holdStateDirectory(StreamsBuilderFactoryBean streams, StateDirectory stateDirectory) {
        return new AtStart(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE - 1, streams, stateDirectory::hold);
    }

    @Bean
    SmartLifecycle preflight(Pipeline pipeline, StreamsBuilderFactoryBean streams, Startup startup) {
        return new AtStart(streams.getPhase() - 1, streams, () -> new Preflight(
                        pipeline, streams.getTopology(), streams.getStreamsConfiguration(), startup.brokerTimeout())
                .check());
    }

    /** Ready to be relied on: running, and everything restored. */
    @Bean
    HealthIndicator streams(StreamsBuilderFactoryBean streams) {
        return new StreamsHealth(streams, state -> state == KafkaStreams.State.RUNNING);
    }

    /** Ready to be relied on: heard by its group. */
    @Bean
    HealthIndicator streamsGroup(StreamsBuilderFactoryBean streams) {
        return new GroupHealth(streams);
    }

    /** Worth being kept: not dead. */
    @Bean
    HealthIndicator streamsAlive(StreamsBuilderFactoryBean streams) {
        return new StreamsHealth(
                streams, state -> state != KafkaStreams.State.PENDING_ERROR && !state.hasCompletedShutdown());
    }

    @Bean
    TopologyEndpoint topologyEndpoint(StreamsBuilderFactoryBean streams) {
        return new TopologyEndpoint(streams);
    }

    private static Properties settings(Pipeline pipeline, StateSettings state, Properties given) {
        Properties settings = new Properties();
        settings.putAll(StreamsSettings.defaults(pipeline.largestRecord()));
        settings.putAll(StreamsSettings.state(state.memory()));
        settings.putAll(given);
        StreamsSettings.required().forEach((key, value) -> {
            Object own = given.get(key);
            if (own != null && !own.toString().equals(value.toString())) {
                LOG.warn("{} is {} and not {}: the app rests on it.", key, value, own);
            }
        });
        settings.putAll(StreamsSettings.required());
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, pipeline.applicationId());
        return settings;
    }

    private static StreamThreadExceptionResponse die(Throwable error) {
        if (FailedThread.canBeReplaced(error)) {
            LOG.warn("A task failed and starts anew on a new thread from its last commit: {}", error.toString());
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        }
        LOG.error("The streams client stops because of an unexpected error; nothing past it was committed.", error);
        return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }

    /** Not on the calling thread, which is the streams client's own and must end before its client can be closed. */
    private static void exit(ApplicationContext context) {
        Thread exit = new Thread(() -> System.exit(SpringApplication.exit(context, () -> 1)), "exit-after-failure");
        exit.setDaemon(false);
        exit.start();
    }

    /** Something to do in a phase of the context's start, if the streams client is to start with it. */
    private static final class AtStart implements SmartLifecycle {

        private final int phase;
        private final StreamsBuilderFactoryBean streams;
        private final Runnable action;
        private volatile boolean running;

        AtStart(int phase, StreamsBuilderFactoryBean streams, Runnable action) {
            this.phase = phase;
            this.streams = streams;
            this.action = action;
        }

        @Override
        public void start() {
            action.run();
            running = true;
        }

        @Override
        public void stop() {
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public boolean isAutoStartup() {
            return streams.isAutoStartup();
        }

        @Override
        public int getPhase() {
            return phase;
        }
    }

    private static final class Metered implements KafkaStreamsCustomizer {

        @Override
        public KafkaStreams initKafkaStreams(Topology topology, Properties settings, KafkaClientSupplier clients) {
            return new MeteredStreams(topology, settings, clients);
        }

        @Override
        public void customize(KafkaStreams streams) {}
    }
}
