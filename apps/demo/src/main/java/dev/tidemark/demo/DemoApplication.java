package dev.tidemark.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;

/**
 * Runs the demo until it is interrupted or the file has been processed; see {@link DemoProperties} for the options. The
 * exit code is 0 when the file has been processed and 1 when something could not start or failed, which is then said in
 * one sentence.
 */
public final class DemoApplication {

    private static final String LOG = "demo.log";

    private final DemoProperties properties;
    private final Path directory;
    private final DemoLog log;
    private final Demo demo;
    private volatile boolean ended;

    private DemoApplication(DemoProperties properties) throws IOException {
        this.properties = properties;
        this.directory = directory(properties);
        this.log = DemoLog.to(directory.resolve(LOG));
        this.demo = new Demo(properties, directory, log, System.out);
    }

    public static void main(String[] args) {
        System.exit(run());
    }

    private static int run() {
        try {
            DemoProperties properties = DemoProperties.of(systemProperties());
            requireFree("demo.kafka-port", properties.kafkaPort());
            requireFree("demo.connect-port", properties.connectPort());
            requireFree("demo.postgres-port", properties.postgresPort());
            requireFree("demo.http-port", properties.httpPort());
            requireFree("demo.console-port", properties.consolePort().orElse(0));
            return new DemoApplication(properties).runUntilEnd();
        } catch (DemoException e) {
            System.err.println(e.getMessage());
            return 1;
        } catch (IOException e) {
            System.err.println("The directory for the data cannot be made: " + e.getMessage());
            return 1;
        }
    }

    private int runUntilEnd() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "stop"));
        try {
            demo.run();
            end();
            return 0;
        } catch (InterruptedException e) {
            return 0;
        } catch (RuntimeException e) {
            fail(e);
            return 1;
        }
    }

    /** Called when the JVM ends; does nothing when everything has been stopped before. */
    private void stop() {
        if (!ended) {
            System.out.println("Stopping ...");
            end();
        }
    }

    private synchronized void end() {
        boolean alreadyEnded = ended;
        ended = true;
        demo.close();
        if (!alreadyEnded && properties.data().isEmpty()) {
            delete(directory);
        }
    }

    private synchronized void fail(RuntimeException failure) {
        if (ended) {
            return;
        }
        LoggerFactory.getLogger(DemoApplication.class).error("The demo has failed", failure);
        Path kept = keepLog();
        end();
        System.err.printf("%s (see %s)%n", sentence(failure), kept);
    }

    /** The log outlives a temporary directory when something has gone wrong. */
    private Path keepLog() {
        if (properties.data().isPresent()) {
            return log.file();
        }
        try {
            return Files.copy(
                    log.file(), directory.resolveSibling("tidemark-" + LOG), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the failure says itself, and what its deepest cause says. */
    private static String sentence(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause == failure || failure instanceof DemoException
                ? failure.getMessage()
                : failure.getMessage() + ": " + cause.getMessage();
    }

    private static Path directory(DemoProperties properties) throws IOException {
        return properties.data().isPresent()
                ? Files.createDirectories(properties.data().get())
                : Files.createTempDirectory("tidemark-demo-").toAbsolutePath();
    }

    private static void delete(Path directory) {
        try {
            FileSystemUtils.deleteRecursively(directory);
        } catch (IOException e) {
            System.err.println(
                    "The temporary directory %s could not be deleted: %s".formatted(directory, e.getMessage()));
        }
    }

    private static void requireFree(String option, int port) {
        if (port == 0) {
            return;
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new DemoException(
                    "Port %d is in use; give another one with -D%s=PORT, or 0 for a free one.".formatted(port, option),
                    e);
        }
    }

    private static Map<String, String> systemProperties() {
        Map<String, String> properties = new TreeMap<>();
        System.getProperties().stringPropertyNames().forEach(name -> properties.put(name, System.getProperty(name)));
        return properties;
    }
}
