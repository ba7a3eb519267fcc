package dev.tidemark.embedded;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/**
 * A Kafka broker with its controller in this JVM, on the loopback address. It keeps its data in a directory of the
 * caller and can be closed and started again there, with the same data and, if wanted, the same port.
 *
 * <p>Topics are not created automatically. Internal topics have one replica and few partitions.
 */
public final class EmbeddedKafka implements AutoCloseable {

    private final KafkaRaftServer server;
    private final String bootstrapServers;
    private boolean closed;

    private EmbeddedKafka(KafkaRaftServer server, String bootstrapServers) {
        this.server = server;
        this.bootstrapServers = bootstrapServers;
    }

    /**
     * Starts a broker; when this returns, clients can use it.
     *
     * @param directory where its data is or will be; made if missing, never deleted here
     * @param port port to listen on, 0 for any free one
     * @throws IllegalStateException if the directory cannot be used or the broker does not start, for example because
     *     the port is taken
     */
    public static EmbeddedKafka start(Path directory, int port) {
        return start(directory, port, Map.of());
    }

    /**
     * Starts a broker with settings of its own; see {@link #start(Path, int)}.
     *
     * @param more broker settings that are added, or take the place of those made here
     */
    public static EmbeddedKafka start(Path directory, int port, Map<String, String> more) {
        List<Integer> free = FreePort.several(2);
        int brokerPort = port == 0 ? free.get(0) : port;
        int controllerPort = free.get(1);
        Path logs = directory.resolve("logs").toAbsolutePath();
        Properties settings = settings(logs, brokerPort, controllerPort);
        settings.putAll(more);
        if (!Files.exists(logs.resolve("meta.properties"))) {
            format(directory, settings);
        }
        KafkaRaftServer server = null;
        try {
            server = new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
            server.startup();
        } catch (RuntimeException e) {
            if (server != null) {
                server.shutdown();
            }
            throw new IllegalStateException(
                    "Kafka did not start on 127.0.0.1:" + brokerPort + " with its data in " + directory
                            + "; see whether another program uses the port or the directory",
                    e);
        }
        return new EmbeddedKafka(server, "127.0.0.1:" + brokerPort);
    }

    /** Address for clients, for example {@code 127.0.0.1:9092}. */
    public String bootstrapServers() {
        return bootstrapServers;
    }

    /** Stops the broker and waits until it has; its data stays. Further calls do nothing. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            server.shutdown();
            server.awaitShutdown();
        }
    }

    private static Properties settings(Path logs, int brokerPort, int controllerPort) {
        Properties settings = new Properties();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
        settings.put("listeners", "PLAINTEXT://127.0.0.1:" + brokerPort + ",CONTROLLER://127.0.0.1:" + controllerPort);
        settings.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + brokerPort);
        settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("log.dirs", logs.toString());
        settings.put("auto.create.topics.enable", "false");
        settings.put("default.replication.factor", "1");
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("offsets.topic.num.partitions", "4");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("transaction.state.log.num.partitions", "4");
        settings.put("share.coordinator.state.topic.replication.factor", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");
        settings.put("share.coordinator.state.topic.num.partitions", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        // Indexes are preallocated, 10 MiB each by default.
        settings.put("log.index.size.max.bytes", "1048576");
        settings.put("log.segment.bytes", "67108864");
        settings.put("log.cleaner.dedupe.buffer.size", "8388608");
        settings.put("num.network.threads", "2");
        settings.put("num.io.threads", "4");
        settings.put("num.recovery.threads.per.data.dir", "2");
        settings.put("background.threads", "2");
        return settings;
    }

    private static void format(Path directory, Properties settings) {
        Path file = directory.resolve("server.properties");
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int code;
        try {
            Files.createDirectories(directory);
            try (Writer out = Files.newBufferedWriter(file)) {
                settings.store(out, null);
            }
            String[] arguments = {"format", "--cluster-id", Uuid.randomUuid().toString(), "--config", file.toString()};
            try (PrintStream printer = new PrintStream(said, true, StandardCharsets.UTF_8)) {
                code = StorageTool.execute(arguments, printer);
            }
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot prepare " + directory + " for Kafka; see whether it is writable", e);
        }
        if (code != 0) {
            throw new IllegalStateException("Cannot prepare " + directory + " for Kafka: "
                    + said.toString(StandardCharsets.UTF_8).strip());
        }
    }
}
