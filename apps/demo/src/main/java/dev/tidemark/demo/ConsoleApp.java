package dev.tidemark.demo;

import dev.tidemark.console.ConsoleApplication;
import dev.tidemark.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The console in this JVM, over the demo's database. */
final class ConsoleApp implements AutoCloseable {

    private static final int USUAL_PORT = 8080;

    private final ConfigurableApplicationContext context;

    private ConsoleApp(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /**
     * Starts it.
     *
     * @param database what it reads
     * @param actuators the actuators of the apps by the names that they are shown with
     * @param settings further settings of the console, such as {@code profiles}
     * @param port port to listen on, 0 for a free one; empty for the usual one, or a free one if that is in use
     */
    static ConsoleApp start(
            EmbeddedDatabase database,
            Map<String, String> actuators,
            Map<String, String> settings,
            Optional<Integer> port) {
        List<String> arguments = new ArrayList<>(List.of(
                // Not the settings of the apps that share the class path.
                "--spring.config.name=console",
                "--server.address=127.0.0.1",
                "--server.port=" + port.orElseGet(ConsoleApp::usualOrFree),
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.user(),
                "--spring.datasource.password=" + database.password(),
                "--tidemark.console.refresh=2s"));
        settings.forEach((name, value) -> arguments.add("--tidemark.console.%s=%s".formatted(name, value)));
        int count = 0;
        for (Map.Entry<String, String> app : actuators.entrySet()) {
            arguments.add("--tidemark.console.apps[%d].name=%s".formatted(count, app.getKey()));
            arguments.add("--tidemark.console.apps[%d].url=%s".formatted(count, app.getValue()));
            count++;
        }
        return new ConsoleApp(new SpringApplicationBuilder(ConsoleApplication.class)
                .registerShutdownHook(false)
                .run(arguments.toArray(String[]::new)));
    }

    /** What a browser opens. */
    String url() {
        return "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port");
    }

    @Override
    public void close() {
        context.close();
    }

    private static int usualOrFree() {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), USUAL_PORT));
            return USUAL_PORT;
        } catch (IOException e) {
            return 0;
        }
    }
}
