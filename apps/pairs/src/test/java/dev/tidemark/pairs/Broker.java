package dev.tidemark.pairs;

import dev.tidemark.common.EndOfInput;
import dev.tidemark.embedded.EmbeddedKafka;
import dev.tidemark.embedded.KafkaTopics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** A real broker with orders and payments, and the real app on it. Topics begin with the name of their pipeline. */
final class Broker implements AutoCloseable {

    private final EmbeddedKafka kafka;
    private final KafkaTopics topics;

    Broker(Path directory) {
        kafka = EmbeddedKafka.start(directory, 0);
        topics = new KafkaTopics(kafka.bootstrapServers());
    }

    KafkaTopics topics() {
        return topics;
    }

    void createInputs(String pipeline, int orders, int payments) {
        createInputs(pipeline, orders, payments, Map.of());
    }

    void createInputs(String pipeline, int orders, int payments, Map<String, String> config) {
        topics.create(pipeline + "-o", orders, config);
        topics.create(pipeline + "-p", payments, config);
    }

    void order(String pipeline, String id, String time) {
        topics.send(pipeline + "-o", id, Pairs.orderJson(id, time));
    }

    void payment(String pipeline, String id, String order, String time) {
        topics.send(pipeline + "-p", order, Pairs.paymentJson(id, order, time));
    }

    void endInput(String pipeline, String topic, int partitions) {
        for (int partition = 0; partition < partitions; partition++) {
            topics.sendHeader(pipeline + topic, partition, EndOfInput.HEADER, EndOfInput.VALUE);
        }
    }

    /** What was published, without orders and payments whose name begins with {@code tick}. */
    List<String> published(String pipeline) {
        return topics.read(pipeline + "-pairs").stream()
                .map(row -> Pairs.brief(Pairs.json(row)))
                .filter(row -> !row.startsWith("tick"))
                .map(row -> row.replace(pipeline + "-o", "orders").replace(pipeline + "-p", "payments"))
                .toList();
    }

    /** How many records of the inputs a pipeline has processed, by what it has committed. */
    long processed(String pipeline) {
        try {
            return topics
                    .admin()
                    .listConsumerGroupOffsets(pipeline + "-pairs")
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .entrySet()
                    .stream()
                    .filter(committed -> committed.getKey().topic().matches(pipeline + "-[op]"))
                    .mapToLong(committed -> committed.getValue().offset())
                    .sum();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    Map<String, String> settings(String pipeline, Path state, String... more) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("spring.kafka.bootstrap-servers", kafka.bootstrapServers());
        settings.put("spring.kafka.streams.properties.state.dir", state.toString());
        settings.put("server.address", "127.0.0.1");
        settings.put("server.port", "0");
        settings.put("tidemark.startup.exit-when-failed", "false");
        Map<String, String> pairs = new LinkedHashMap<>();
        pairs.put("pipeline", pipeline);
        pairs.put("left.topic", pipeline + "-o");
        pairs.put("left.partitioned-by-key", "true");
        pairs.put("left.event-id", "/order_id");
        pairs.put("left.key", "/order_id");
        pairs.put("left.event-time", "/ordered_at");
        pairs.put("right.topic", pipeline + "-p");
        pairs.put("right.partitioned-by-key", "true");
        pairs.put("right.event-id", "/payment_id");
        pairs.put("right.key", "/order_id");
        pairs.put("right.event-time", "/paid_at");
        pairs.put("within.after", "30m");
        pairs.put("accept-end-of-input", "true");
        pairs.put("idle-after", "1h"); // only events move the clock, however slow this machine is
        pairs.forEach((key, value) -> settings.put("tidemark.pairs." + key, value));
        for (String setting : more) {
            int equals = setting.indexOf('=');
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return settings;
    }

    /** Starts the app in this JVM. */
    static ConfigurableApplicationContext start(Map<String, String> settings) {
        return new SpringApplicationBuilder(PairsApplication.class)
                .web(WebApplicationType.SERVLET)
                .run(settings.entrySet().stream()
                        .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                        .toArray(String[]::new));
    }

    /** Does something while the app runs in this JVM. */
    static void whileRunning(Map<String, String> settings, Runnable action) {
        ConfigurableApplicationContext app = start(settings);
        try {
            action.run();
        } finally {
            app.close();
        }
    }

    @Override
    public void close() throws IOException {
        topics.close();
        kafka.close();
    }
}
