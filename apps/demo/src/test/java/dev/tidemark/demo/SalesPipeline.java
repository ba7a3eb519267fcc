package dev.tidemark.demo;

import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import dev.tidemark.common.Completion;
import dev.tidemark.totals.TotalsApplication;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.springframework.util.FileSystemUtils;

/** Sales, the totals app that reads them, and what the tables say about them. The input topic has the pipeline's name. */
final class SalesPipeline implements AutoCloseable {

    static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Path TOTALS_MODULE = Path.of("..", "totals");

    private final Servers servers;
    private final Path directory;
    private final String name;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final EventSender sender;
    private AppProcess process;
    private App app;

    /** @param more settings, {@code name=value}; one without a value is left out */
    SalesPipeline(Servers servers, Path directory, String name, String... more) {
        this.servers = servers;
        this.directory = directory;
        this.name = name;
        servers.createTopic(name, PARTITIONS, Map.of("message.timestamp.type", "LogAppendTime"));
        this.sender = new EventSender(servers.kafka.bootstrapServers(), name);
        set("pipeline", name);
        set("input.topic", name);
        set("input.partitioned-by-key", "true");
        set("input.event-id", "/event_id");
        set("input.key", "/store_id");
        set("input.event-time", "/event_time");
        set("input.amount", "/amount");
        set("input.amount-scale", "2");
        set("window.size", "10m");
        set("accept-end-of-input", "true");
        set("idle-after", "1h"); // only events move the clock, however slow this machine is
        for (String setting : more) {
            String[] keyAndValue = setting.split("=", 2);
            settings.put(keyAndValue[0], keyAndValue[1]);
        }
        settings.values().removeIf(String::isEmpty);
    }

    private void set(String setting, String value) {
        settings.put("tidemark.totals." + setting, value);
    }

    /** Starts the app in this JVM. */
    void start() {
        try {
            Files.createDirectories(directory);
            String properties = settings.entrySet().stream()
                    .map(setting -> setting.getKey() + "=" + setting.getValue())
                    .collect(Collectors.joining("\n"));
            startWith(Files.writeString(directory.resolve("app.properties"), properties));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The settings of the app, by name. */
    Map<String, String> settings() {
        return Map.copyOf(settings);
    }

    /** Starts the app in this JVM with settings from a file. */
    void startWith(Path file) {
        app = App.start(TotalsApplication.class, file, servers.kafka.bootstrapServers(), state(), "server.port=0");
    }

    /** Starts the app's jar in a process of its own. */
    void startProcess() {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.put("spring.kafka.bootstrap-servers", servers.kafka.bootstrapServers());
        all.put("spring.kafka.streams.state-dir", state().toString());
        all.put("server.address", "127.0.0.1");
        all.put("server.port", "0");
        process = AppProcess.start(TOTALS_MODULE, all, directory);
    }

    /** As {@code kill -9} does. */
    void kill() {
        killAfter(Duration.ZERO);
    }

    /** As {@code kill -9} does, when the process has run on for this time. */
    void killAfter(Duration time) {
        process.killAfter(time);
        process = null;
    }

    /** Stops the app in an orderly way. */
    void stop() {
        if (app != null) {
            app.close();
            app = null;
        }
        if (process != null) {
            process.close();
            process = null;
        }
    }

    /** Deletes what the app keeps on disk. */
    void deleteState() {
        try {
            if (!FileSystemUtils.deleteRecursively(state())) {
                throw new IllegalStateException("the app has no state in " + state());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void send(List<Sale> sales) {
        sales.forEach(sale -> sender.send(sale.key(), sale.json().getBytes(StandardCharsets.UTF_8)));
        sender.flush();
    }

    void send(String key, byte[] value) {
        sender.send(key, value);
    }

    void endInput() {
        sender.endInput();
    }

    /** How many input records have been processed, by what the app has committed. */
    long processed() {
        try {
            return servers
                    .admin
                    .listConsumerGroupOffsets(name + "-totals")
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .entrySet()
                    .stream()
                    .filter(committed -> committed.getKey().topic().equals(name))
                    .mapToLong(committed -> committed.getValue().offset())
                    .sum();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Waits until so many input records have been processed. */
    void awaitProcessed(long count) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(() -> {
            failIfHopeless();
            return processed() >= count;
        });
    }

    /** Waits until all that was sent has been processed. */
    void awaitApp() throws InterruptedException {
        try (Completion completion = new Completion(servers.kafka.bootstrapServers(), this::failIfHopeless)) {
            completion.await(name + "-totals", name::equals);
        }
    }

    /** Waits until all that was sent has been processed and is in the tables. */
    void awaitTables() throws InterruptedException {
        awaitApp();
        servers.awaitSinks(name);
    }

    private void failIfHopeless() {
        if (process != null && !process.isAlive()) {
            throw new IllegalStateException("the app has ended; it said:\n" + process.output());
        }
        if (app != null && app.hasFailed()) {
            throw new IllegalStateException("the app has failed; see its log");
        }
    }

    /** The rows of a query with one parameter, the pipeline; each as the text of its values, joined by a bar. */
    List<String> rows(String query) {
        return servers.rows(query, name);
    }

    /** The keys of all results, as JSON, in the order of the log by partition. */
    List<String> publishedIds() {
        List<String> ids = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", servers.kafka.bootstrapServers(),
                        "isolation.level", "read_committed",
                        "auto.offset.reset", "earliest"),
                new StringDeserializer(),
                new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(name + "-totals").stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(100)).forEach(result -> ids.add(result.key()));
            }
        }
        return ids;
    }

    private Path state() {
        return directory.resolve("state");
    }

    @Override
    public void close() {
        stop();
        sender.close();
    }
}
