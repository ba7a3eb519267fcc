package dev.tidemark.profiles;

import dev.tidemark.common.EndOfInput;
import dev.tidemark.common.TestApp;
import dev.tidemark.embedded.EmbeddedKafka;
import dev.tidemark.embedded.KafkaTopics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.springframework.context.ConfigurableApplicationContext;

/** A real broker with activities and customers, and the real app on it. Topics begin with the name of their pipeline. */
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

    /** Sends without waiting. */
    void activity(String pipeline, String id, String customer, String kind, String amount, String time) {
        topics.producer()
                .send(new ProducerRecord<>(
                        pipeline + "-a", customer, Customers.activity(id, customer, kind, amount, time)));
    }

    /** Sends without waiting; without a plan, a deletion. */
    void customer(String pipeline, String id, String plan, String time) {
        topics.producer()
                .send(new ProducerRecord<>(
                        pipeline + "-c", id, plan == null ? null : Customers.customerJson(id, plan, time)));
    }

    void endInput(String pipeline, int partitions) {
        for (int partition = 0; partition < partitions; partition++) {
            topics.sendHeader(pipeline + "-a", partition, EndOfInput.HEADER, EndOfInput.VALUE);
        }
    }

    /** How many records of the inputs, and of what it moves, a pipeline has processed, by what it has committed. */
    long processed(String pipeline, String topics) {
        return this.topics.processed(pipeline + "-profiles", topic -> topic.matches(pipeline + topics));
    }

    Map<String, String> settings(String pipeline, Path state, String... more) {
        Map<String, String> profiles = new LinkedHashMap<>();
        profiles.put("pipeline", pipeline);
        profiles.put("input.topic", pipeline + "-a");
        profiles.put("input.event-id", "/activity_id");
        profiles.put("input.key", "/customer_id");
        profiles.put("input.event-time", "/at");
        profiles.put("input.amount", "/amount");
        profiles.put("input.amount-scale", "2");
        profiles.put("visits.field", "/kind");
        profiles.put("visits.is", "visit");
        profiles.put("table.topic", pipeline + "-c");
        profiles.put("table.event-time", "/updated_at");
        profiles.put("table.take", "/name,/plan");
        profiles.put("table.delete-with-profile", "true");
        profiles.put("zone", "Europe/Berlin");
        profiles.put("accept-end-of-input", "true");
        profiles.put("idle-after", "1h"); // only events move the clock, however slow this machine is
        return TestApp.settings(kafka.bootstrapServers(), state, "tidemark.profiles", profiles, more);
    }

    /** Starts the app in this JVM. */
    static ConfigurableApplicationContext start(Map<String, String> settings) {
        return TestApp.start(ProfilesApplication.class, settings);
    }

    @Override
    public void close() throws IOException {
        topics.close();
        kafka.close();
    }
}
