package dev.tidemark.enrich;

import dev.tidemark.common.EndOfInput;
import dev.tidemark.common.TestApp;
import dev.tidemark.embedded.EmbeddedKafka;
import dev.tidemark.embedded.KafkaTopics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.springframework.context.ConfigurableApplicationContext;

/** A real broker with customers and activities, and the real app on it. Topics begin with the name of their pipeline. */
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

    void createInputs(String pipeline, int activities, int customers) {
        topics.create(pipeline + "-a", activities, Map.of());
        topics.create(pipeline + "-c", customers, Map.of("cleanup.policy", "compact"));
    }

    void customer(String pipeline, String id, String plan, String from) {
        topics.send(pipeline + "-c", id, Enrich.customerJson(id, plan, from));
    }

    void activity(String pipeline, String id, String customer, String time) {
        topics.send(pipeline + "-a", customer, Enrich.activityJson(id, customer, time));
    }

    /** Sends many without waiting for each. */
    Future<RecordMetadata> send(String topic, String key, String value) {
        return topics.producer().send(new ProducerRecord<>(topic, key, value));
    }

    void endInput(String topic, int partitions) {
        for (int partition = 0; partition < partitions; partition++) {
            topics.sendHeader(topic, partition, EndOfInput.HEADER, EndOfInput.VALUE);
        }
    }

    /** What was published, without the customer {@code tick}. */
    List<String> published(String pipeline) {
        List<String> rows = new ArrayList<>();
        for (String row : topics.read(pipeline + "-enriched")) {
            String brief = Enrich.brief(Enrich.json(row));
            if (!brief.startsWith("tick")) {
                rows.add(brief.replace(pipeline + "-c", "customers"));
            }
        }
        return rows;
    }

    /** How many records of the inputs a pipeline has processed, by what it has committed. */
    long processed(String pipeline) {
        return topics.processed(pipeline + "-enrich", topic -> topic.matches(pipeline + "-[ac]"));
    }

    Map<String, String> settings(String pipeline, Path state, String... more) {
        Map<String, String> enrich = new LinkedHashMap<>();
        enrich.put("pipeline", pipeline);
        enrich.put("input.topic", pipeline + "-a");
        enrich.put("input.partitioned-by-key", "true");
        enrich.put("input.event-id", "/activity_id");
        enrich.put("input.key", "/customer_id");
        enrich.put("input.event-time", "/at");
        enrich.put("table.topic", pipeline + "-c");
        enrich.put("table.partitioned-by-key", "true");
        enrich.put("table.event-time", "/updated_at");
        enrich.put("table.take", "/name,/plan");
        enrich.put("accept-end-of-input", "true");
        enrich.put("idle-after", "1h"); // only records move the clock, however slow this machine is
        return TestApp.settings(kafka.bootstrapServers(), state, "tidemark.enrich", enrich, more);
    }

    /** Starts the app in this JVM. */
    static ConfigurableApplicationContext start(Map<String, String> settings) {
        return TestApp.start(EnrichApplication.class, settings);
    }

    /** Does something while the app runs in this JVM. */
    static void whileRunning(Map<String, String> settings, Runnable action) {
        TestApp.whileRunning(EnrichApplication.class, settings, action);
    }

    @Override
    public void close() throws IOException {
        topics.close();
        kafka.close();
    }
}
