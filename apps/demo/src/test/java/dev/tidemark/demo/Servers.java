package dev.tidemark.demo;

import dev.tidemark.common.Completion;
import dev.tidemark.embedded.ConnectWatch;
import dev.tidemark.embedded.EmbeddedConnect;
import dev.tidemark.embedded.EmbeddedDatabase;
import dev.tidemark.embedded.EmbeddedKafka;
import dev.tidemark.embedded.SinkConnector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.util.FileSystemUtils;

/**
 * Broker, Connect worker and migrated database with the shipped connectors, started once for all tests of the JVM; each
 * test has a {@link SalesPipeline pipeline} of its own on them. They are as unfavourable as they may be: neither the zone
 * of the JVM nor that of the database is UTC, and the broker looks for expired records all the time and refuses those
 * that bear a time before yesterday.
 */
final class Servers implements AutoCloseable {

    private static final TimeZone ZONE = TimeZone.getDefault();
    private static final String ONE_DAY = Long.toString(Duration.ofDays(1).toMillis());

    private final Path directory;
    final EmbeddedKafka kafka;
    final EmbeddedDatabase database;
    final EmbeddedConnect connect;
    final Admin admin;
    private final ConnectWatch watch;

    private Servers(Path directory) {
        this.directory = directory;
        this.kafka = EmbeddedKafka.start(
                directory.resolve("kafka"),
                0,
                Map.of(
                        "log.initial.task.delay.ms", "100",
                        "log.retention.check.interval.ms", "200",
                        // Where records are compacted, too, it is the cleaner that deletes expired ones.
                        "log.cleaner.backoff.ms", "200",
                        "log.segment.delete.delay.ms", "0",
                        "log.message.timestamp.before.max.ms", ONE_DAY));
        this.database = EmbeddedDatabase.start(directory.resolve("database"), 0);
        database.migrate();
        update("alter database tidemark set timezone to 'Asia/Tokyo'");
        this.connect = EmbeddedConnect.start(kafka.bootstrapServers(), 0);
        this.admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
        for (SinkConnector connector : SinkConnector.shipped()) {
            connect.install(connector
                    .writingTo(database)
                    .with("consumer.override.metadata.max.age.ms", "500")); // new pipelines
        }
        this.watch = new ConnectWatch(connect.url(), Duration.ofSeconds(1));
    }

    private static Servers start() {
        TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
        try {
            return new Servers(Files.createTempDirectory("tidemark-servers"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A pipeline of this name, which no other test may use. */
    SalesPipeline pipeline(String name, String... settings) {
        return new SalesPipeline(this, directory.resolve(name), name, settings);
    }

    void createTopic(String topic, int partitions, Map<String, String> config) {
        try {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(config)))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(topic, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the sinks have written what these pipelines have published. */
    void awaitSinks(String... pipelines) throws InterruptedException {
        try (Completion completion = new Completion(kafka.bootstrapServers(), () -> {})) {
            for (SinkConnector sink : SinkConnector.shipped()) {
                Set<String> topics = Arrays.stream(pipelines)
                        .map(pipeline -> pipeline + "-" + sink.name())
                        .collect(Collectors.toSet());
                completion.await("connect-" + sink.name(), topics::contains);
            }
        }
    }

    /** The rows of a query, each as the text of its values, joined by a bar. */
    List<String> rows(String query, String... values) {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            List<String> rows = new ArrayList<>();
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    List<String> row = new ArrayList<>();
                    for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                        row.add(String.valueOf(found.getString(i)));
                    }
                    rows.add(String.join("|", row));
                }
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    void update(String sql) {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    @Override
    public void close() throws IOException {
        watch.close();
        admin.close();
        connect.close();
        database.close();
        kafka.close();
        FileSystemUtils.deleteRecursively(directory);
        TimeZone.setDefault(ZONE);
    }

    /** Hands the servers to the tests that ask for them, and closes them behind the last test of the JVM. */
    static final class Shared implements ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Servers.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(Namespace.GLOBAL)
                    .computeIfAbsent(Servers.class, key -> Servers.start(), Servers.class);
        }
    }
}
