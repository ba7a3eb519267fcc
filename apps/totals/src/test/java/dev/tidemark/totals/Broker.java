package dev.tidemark.totals;

import dev.tidemark.common.AppProcess;
import dev.tidemark.common.EndOfInput;
import dev.tidemark.common.TestApp;
import dev.tidemark.embedded.EmbeddedKafka;
import dev.tidemark.embedded.KafkaTopics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;

/** A real broker with topics to write to and to read from, and the real app on it. */
final class Broker implements AutoCloseable {

    private final Path directory;
    private final Map<String, String> more;
    private final KafkaTopics topics;
    private final Admin admin;
    private final KafkaProducer<String, String> producer;
    private EmbeddedKafka kafka;

    Broker(Path directory) {
        this(directory, Map.of());
    }

    /** A broker with settings of its own. */
    Broker(Path directory, Map<String, String> more) {
        this.directory = directory;
        this.more = more;
        kafka = EmbeddedKafka.start(directory, 0, more);
        topics = new KafkaTopics(kafka.bootstrapServers());
        admin = topics.admin();
        producer = topics.producer();
    }

    /** Stops the broker; its data and its address stay. */
    void stop() {
        kafka.close();
    }

    /** Starts the broker that was stopped. */
    void startAgain() {
        String address = kafka.bootstrapServers();
        kafka = EmbeddedKafka.start(directory, Integer.parseInt(address.substring(address.indexOf(':') + 1)), more);
    }

    String bootstrapServers() {
        return kafka.bootstrapServers();
    }

    Admin admin() {
        return admin;
    }

    void createTopic(String topic, int partitions) {
        createTopic(topic, partitions, Map.of());
    }

    void createTopic(String topic, int partitions, Map<String, String> more) {
        topics.create(topic, partitions, more);
    }

    void sendWithHeader(String topic, String value, byte[] header) {
        ProducerRecord<String, String> sent = new ProducerRecord<>(topic, "A", value);
        sent.headers().add("trace", header);
        await(producer.send(sent)::get);
    }

    /** Sends a sale of store A on 2026-07-01 and waits until it is in the log. */
    void sale(String topic, String id, String time, String amount) {
        send(topic, "A", saleJson(id, time, amount));
    }

    static String saleJson(String id, String time, String amount) {
        return "{\"event_id\":\"%s\",\"store_id\":\"A\",\"event_time\":\"2026-07-01T%sZ\",\"amount\":%s}"
                .formatted(id, time, amount);
    }

    void send(String topic, String key, String value) {
        topics.send(topic, key, value);
    }

    void sendTo(String topic, int partition, String value) {
        topics.sendTo(topic, partition, value);
    }

    /** Sends a record without waiting until it is in the log. */
    Future<RecordMetadata> sendLater(String topic, String key, String value) {
        return producer.send(new ProducerRecord<>(topic, key, value));
    }

    /** Waits until what was sent is in the log. */
    static void await(List<Future<RecordMetadata>> sent) {
        KafkaTopics.await(sent);
    }

    /** Sends several records in one batch. */
    void sendTogether(String topic, List<String> values) {
        values.forEach(value -> producer.send(new ProducerRecord<>(topic, 0, null, value)));
        producer.flush();
    }

    /** Sends a record in a transaction of its own, which is ended in the given way. */
    void sendInTransaction(String topic, String value, Consumer<KafkaProducer<String, String>> end) {
        Map<String, Object> config = Map.of("bootstrap.servers", bootstrapServers(), "transactional.id", "sales");
        try (KafkaProducer<String, String> sender =
                new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            sender.initTransactions();
            sender.beginTransaction();
            await(sender.send(new ProducerRecord<>(topic, 0, null, value))::get);
            end.accept(sender);
        }
    }

    void endInput(String topic, int partition) {
        topics.sendHeader(topic, partition, EndOfInput.HEADER, EndOfInput.VALUE);
    }

    /** How many records of a topic a pipeline has processed, by what it has committed. */
    long processed(String pipeline, String topic) {
        return topics.processed(pipeline + "-totals", topic::equals);
    }

    /** How many threads of all copies of a pipeline have partitions to work on, as far as the broker knows. */
    long workers(String pipeline) {
        return members(pipeline).stream()
                .filter(member -> !member.assignment().topicPartitions().isEmpty())
                .count();
    }

    /** How many copies of a pipeline have partitions of a topic to read, as far as the broker knows. */
    long readers(String pipeline, String topic) {
        return members(pipeline).stream()
                .filter(member -> member.assignment().topicPartitions().stream()
                        .anyMatch(partition -> partition.topic().equals(topic)))
                .map(member -> member.clientId().replaceFirst("-StreamThread-.*", ""))
                .distinct()
                .count();
    }

    private Collection<MemberDescription> members(String pipeline) {
        String group = pipeline + "-totals";
        try {
            return result(admin.describeConsumerGroups(List.of(group))
                            .describedGroups()
                            .get(group))
                    .members();
        } catch (IllegalStateException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) { // no copy has come so far
                return List.of();
            }
            throw e;
        }
    }

    /** How many transactions are neither committed nor aborted. */
    long openTransactions() {
        return result(admin.listTransactions().all()).stream()
                .filter(transaction -> transaction.state() == TransactionState.ONGOING)
                .count();
    }

    private static <T> T result(KafkaFuture<T> future) {
        List<T> result = new ArrayList<>();
        await(() -> result.add(future.get()));
        return result.get(0);
    }

    /** Everything committed in a topic, in the order of the log by partition. */
    List<String> read(String topic) {
        return topics.read(topic);
    }

    /** Everything in a topic, be it committed, aborted or neither yet. */
    List<String> readUncommitted(String topic) {
        return topics.read(topic, "read_uncommitted");
    }

    /** How many records of a partition of its input a pipeline has processed, by what it has committed. */
    long committed(String pipeline, int partition) {
        try {
            OffsetAndMetadata committed = admin.listConsumerGroupOffsets(pipeline + "-totals")
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .get(new TopicPartition(pipeline, partition));
            return committed == null ? 0 : committed.offset();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The latest row of a ledger of one partition. */
    JsonNode ledger(String pipeline) {
        List<String> rows = read(pipeline + "-ledger");
        return Totals.json(rows.get(rows.size() - 1));
    }

    /** Finals and corrections of a pipeline, as {@code start version total}. */
    List<String> published(String pipeline) {
        return read(pipeline + "-totals").stream()
                .map(Totals::json)
                .filter(row -> row.get("version").intValue() > 0)
                .map(Broker::brief)
                .toList();
    }

    private static String brief(JsonNode row) {
        return row.get("window_start").asString().substring(11, 16) + " v" + row.get("version") + " "
                + row.get("total");
    }

    /** The settings of the worked example for a pipeline whose input topic has its name. */
    Map<String, String> settings(String pipeline, Path state, String... more) {
        Map<String, String> totals = Map.of(
                "pipeline", pipeline,
                "input.topic", pipeline,
                "input.partitioned-by-key", "true",
                "input.event-id", "/event_id",
                "input.key", "/store_id",
                "input.event-time", "/event_time",
                "input.amount", "/amount",
                "input.amount-scale", "2",
                "window.size", "10m",
                "accept-end-of-input", "true");
        return TestApp.settings(kafka.bootstrapServers(), state, "tidemark.totals", totals, more);
    }

    /** Starts the app's jar in a process of its own, with its state in the given directory; it exits when it fails. */
    AppProcess startProcess(String pipeline, Path state, String... more) {
        Map<String, String> settings = settings(pipeline, state, more);
        settings.put("tidemark.startup.exit-when-failed", "true");
        return AppProcess.start(Path.of(""), settings, directory.resolveSibling("processes"));
    }

    /** Starts the app in this JVM. */
    static ConfigurableApplicationContext start(Map<String, String> settings) {
        return TestApp.start(TotalsApplication.class, settings);
    }

    /** Does something while the app runs in this JVM. */
    static void whileRunning(Map<String, String> settings, Runnable action) {
        TestApp.whileRunning(TotalsApplication.class, settings, action);
    }

    private static void await(Waiting waiting) {
        try {
            waiting.run();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private interface Waiting {
        Object run() throws ExecutionException, InterruptedException;
    }

    @Override
    public void close() throws IOException {
        topics.close();
        kafka.close();
    }
}
