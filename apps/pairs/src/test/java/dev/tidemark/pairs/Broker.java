package dev.tidemark.pairs;

import dev.tidemark.common.EndOfInput;
import dev.tidemark.common.TestApp;
import dev.tidemark.embedded.EmbeddedKafka;
import dev.tidemark.embedded.KafkaTopics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
        return topics.processed(pipeline + "-pairs", topic -> topic.matches(pipeline + "-[op]"));
    }

    Map<String, String> settings(String pipeline, Path state, String... more) {
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
        return TestApp.settings(kafka.bootstrapServers(), state, "tidemark.pairs", pairs, more);
    }

    /** Starts the app in this JVM. */
    static ConfigurableApplicationContext start(Map<String, String> settings) {
        return TestApp.start(PairsApplication.class, settings);
    }

    /** Does something while the app runs in this JVM. */
    static void whileRunning(Map<String, String> settings, Runnable action) {
        TestApp.whileRunning(PairsApplication.class, settings, action);
    }

    @Override
    public void close() throws IOException {
        topics.close();
        kafka.close();
    }
}
