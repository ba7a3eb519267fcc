package dev.tidemark.embedded;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Broker, Connect worker and migrated database with the shipped connectors and the topics of pipeline "sales". */
final class Servers implements AutoCloseable {

    static final List<String> TOPICS = List.of(
            "sales-totals",
            "sales-pairs",
            "sales-enriched",
            "sales-profiles",
            "sales-sessions",
            "sales-exceptions",
            "sales-ledger",
            "sales-lateness");

    private static final int LARGEST_RECORD = 16 * 1024 * 1024;

    final EmbeddedKafka kafka;
    final EmbeddedDatabase database;
    final EmbeddedConnect connect;
    final ConnectWatch watch;
    private final Admin admin;
    private final KafkaProducer<String, String> producer;

    private Servers(EmbeddedKafka kafka, EmbeddedDatabase database, EmbeddedConnect connect) {
        this.kafka = kafka;
        this.database = database;
        this.connect = connect;
        this.watch = new ConnectWatch(connect.url(), Duration.ofSeconds(1));
        this.admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "max.request.size", LARGEST_RECORD),
                new StringSerializer(),
                new StringSerializer());
    }

    /** Starts everything; the database gets the given statements before the sinks connect to it. */
    static Servers start(Path directory, String... statements) throws Exception {
        EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("kafka"), 0);
        EmbeddedDatabase database = EmbeddedDatabase.start(directory.resolve("database"), 0);
        database.migrate();
        Servers servers = new Servers(kafka, database, EmbeddedConnect.start(kafka.bootstrapServers(), 0));
        servers.admin
                .createTopics(TOPICS.stream()
                        .map(topic -> new NewTopic(topic, 1, (short) 1)
                                .configs(Map.of("max.message.bytes", Integer.toString(LARGEST_RECORD))))
                        .toList())
                .all()
                .get();
        servers.execute(statements);
        servers.connect.install(database);
        return servers;
    }

    void write(String topic, String value) {
        write(topic, null, value);
    }

    void write(String topic, String key, String value) {
        write(List.of(new ProducerRecord<>(topic, key, value)));
    }

    void write(List<ProducerRecord<String, String>> records) {
        records.forEach(producer::send);
        producer.flush();
    }

    /** Whether a connector has committed everything that its topic holds; false if the brokers cannot tell now. */
    boolean caughtUp(String connector) {
        try {
            return offset(connector) == endOffset(new TopicPartition("sales-" + connector, 0));
        } catch (ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Which record of its topic a connector would begin with, -1 if none is committed. */
    long committed(String connector) {
        try {
            return offset(connector);
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private long offset(String connector) throws ExecutionException, InterruptedException {
        OffsetAndMetadata committed = admin.listConsumerGroupOffsets("connect-" + connector)
                .partitionsToOffsetAndMetadata()
                .get()
                .get(new TopicPartition("sales-" + connector, 0));
        return committed == null ? -1 : committed.offset();
    }

    /** Where the records lie that no sink could read, as {@code topic/offset}, in the order in which that was noticed. */
    List<String> deadLetters() {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "auto.offset.reset", "earliest");
        TopicPartition partition = new TopicPartition("tidemark-sink-dead-letters", 0);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            List<String> places = new ArrayList<>();
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(100))
                        .forEach(record -> places.add(header(record, "topic") + "/" + header(record, "offset")));
            }
            return places;
        }
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        byte[] value = record.headers().lastHeader("__connect.errors." + name).value();
        return new String(value, StandardCharsets.UTF_8);
    }

    /** How many records partition 0 of a topic ever got, 0 if there is no such topic. */
    long written(String topic) throws Exception {
        return admin.listTopics().names().get().contains(topic) ? endOffset(new TopicPartition(topic, 0)) : 0;
    }

    private long endOffset(TopicPartition partition) throws ExecutionException, InterruptedException {
        return admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                .partitionResult(partition)
                .get()
                .offset();
    }

    List<String> rows(String query) {
        return new Sql(database.dataSource()).rows(query);
    }

    void execute(String... statements) {
        new Sql(database.dataSource()).execute(statements);
    }

    @Override
    public void close() {
        producer.close();
        admin.close();
        watch.close();
        connect.close();
        database.close();
        kafka.close();
    }
}
