package dev.tidemark.enrich;

import dev.tidemark.common.EndOfInput;
import dev.tidemark.embedded.EmbeddedKafka;
import dev.tidemark.embedded.KafkaTopics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
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
        try {
            return topics
                    .admin()
                    .listConsumerGroupOffsets(pipeline + "-enrich")
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .entrySet()
                    .stream()
                    .filter(committed -> committed.getKey().topic().matches(pipeline + "-[ac]"))
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
        enrich.forEach((key, value) -> settings.put("tidemark.enrich." + key, value));
        for (String setting : more) {
            int equals = setting.indexOf('=');
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return settings;
    }

    /** Starts the app in this JVM. */
    static ConfigurableApplicationContext start(Map<String, String> settings) {
        return new SpringApplicationBuilder(EnrichApplication.class)
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
