package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** A copy of an app with the settings of another one finds both the port and the directory taken. */
class SecondCopyTest {

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({StreamsAppConfigurationTest.App.class, StreamsAppConfiguration.class})
    static class App {}

    @TempDir
    Path directory;

    private StateDirectory first;

    @BeforeEach
    void firstCopy() {
        Properties properties = new Properties();
        properties.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "sales-totals");
        first = new StateDirectory(properties);
    }

    @Test
    void theDirectoryIsNamedAndNotThePort() throws IOException {
        try (ServerSocket port = portInUse();
                StateDirectory held = first) {
            held.hold();

            assertThat(failure(port.getLocalPort()))
                    .hasStackTraceContaining("The state directory " + directory.resolve("sales-totals")
                            + " is in use by another process; stop that one");
        }
    }

    @Test
    void whenThePortOfAnotherProgramIsTakenTheDirectoryIsGivenUp() throws IOException {
        try (ServerSocket port = portInUse()) {
            assertThat(failure(port.getLocalPort()))
                    .hasStackTraceContaining("Port " + port.getLocalPort() + " is already in use");
        }
        assertThatTheDirectoryIsFree();
    }

    @Test
    void whenNoBrokerIsThereTheDirectoryIsGivenUp() throws IOException {
        assertThat(failure(0)).hasStackTraceContaining("Cannot reach the Kafka brokers at 127.0.0.1:1");
        assertThatTheDirectoryIsFree();
    }

    private void assertThatTheDirectoryIsFree() throws IOException {
        try (StateDirectory free = first) {
            free.hold();
        }
    }

    private static ServerSocket portInUse() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    private Throwable failure(int port) {
        Map<String, String> settings = TestApp.settings(
                "127.0.0.1:1",
                directory,
                "tidemark.startup",
                Map.of("broker-timeout", "1s"),
                "spring.application.name=totals",
                "server.port=" + port);
        return catchThrowable(() -> TestApp.start(App.class, settings).close());
    }
}
