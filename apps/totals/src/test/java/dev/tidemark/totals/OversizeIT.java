package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * However large a record is that the input topic takes, whatever the app writes because of it (results, exceptions, dead
 * letters, changelogs) fits into its topic.
 */
class OversizeIT {

    private static final Duration PATIENCE = Duration.ofSeconds(600);

    @TempDir
    static Path directory;

    private static Broker broker;

    @BeforeAll
    static void startBroker() {
        // What a topic needs, the app has to say itself.
        broker = new Broker(directory.resolve("kafka"), Map.of("message.max.bytes", "100000"));
    }

    @AfterAll
    static void stopBroker() throws IOException {
        broker.close();
    }

    /** The limits of a topic by default, and those of a user who has raised them. Noise cannot be compressed. */
    @ParameterizedTest
    @CsvSource({"1048588, 512KB, 524288, 258000", "4194304, 4MB, 4100000, 40000"})
    void theLargestRecordsOfEveryDispositionStopNothing(String topicTakes, String appReads, int size, int rest) {
        String pipeline = "largest-" + appReads.toLowerCase(Locale.ROOT);
        createTopic(pipeline, topicTakes);
        List<byte[]> values = List.of(
                sale("a", "2026-07-01T10:00:00Z", 1, size),
                sale("a", "2026-07-01T10:00:00Z", 1, size), // duplicate
                sale("a", "2026-07-01T10:00:00Z", 2, size), // conflicting
                sale("b", "2026-07-01T12:00:00Z", 4, size),
                sale("c", "2026-07-01T10:00:00Z", 8, size), // late
                sale("d", "2026-07-01T01:00:00Z", 16, size), // too late
                sale("e", "2999-01-01T00:00:00Z", 32, size), // future
                Arrays.copyOf(sale("f", "2026-07-01T12:00:00Z", 64, size + 1), size)); // malformed
        send(
                "none",
                values.stream()
                        .map(value -> record(pipeline, noise(rest), value, noise(rest)))
                        .toList());

        startTwice(
                pipeline,
                values.size(),
                "tidemark.totals.input.max-size=" + appReads,
                "tidemark.totals.correct-until=2h");

        JsonNode ledger = broker.ledger(pipeline);
        for (String disposition : List.of("duplicate", "conflicting", "late", "too_late", "future", "malformed")) {
            assertThat(ledger.get(disposition).intValue()).as(disposition).isEqualTo(1);
        }
        assertThat(ledger.get("counted").intValue()).isEqualTo(4);
        assertThat(deadLetters(pipeline))
                .satisfiesExactly(
                        letter -> assertThat(letter.value()).isEqualTo(values.get(6)),
                        letter -> assertThat(letter.value()).isEqualTo(values.get(7)));
    }

    /** Moved events are written to topics of their own, and those that wait to a changelog, many in one record. */
    @ParameterizedTest
    @ValueSource(strings = {"key", "global"})
    void theLargestMovedAndWaitingRecordsStopNothing(String scope) {
        String pipeline = "moved-" + scope;
        String[] settings = {
            "tidemark.totals.input.max-size=4MB",
            "tidemark.totals.input.partitioned-by-key=false",
            "tidemark.totals.deduplicate-scope=" + scope,
            "tidemark.totals.idle-after=1h",
            "spring.kafka.streams.properties.commit.interval.ms=4000"
        };
        broker.createTopic(pipeline, 2, Map.of("max.message.bytes", "4194304"));
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        records.add(record(pipeline, null, sale("a", "2026-07-01T10:00:00Z", 1, 4_100_000), noise(40_000)));
        for (int i = 1; i < 60; i++) {
            records.add(
                    record(pipeline, null, sale("e" + i, "S", "2026-07-01T10:00:00Z", 1, 10_000 + i), noise(40_000)));
        }
        records.add(records.get(0)); // duplicate
        send("none", records);
        Path state = directory.resolve(pipeline);
        // The other partition has not been heard of.
        Broker.whileRunning(broker.settings(pipeline, state, settings), () -> await().atMost(PATIENCE)
                .until(() -> held(pipeline) == 60));
        Broker.whileRunning(broker.settings(pipeline, state, settings), () -> {
            broker.endInput(pipeline, 0);
            broker.endInput(pipeline, 1);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(broker.published(pipeline))
                    .containsExactlyInAnyOrder("10:00 v1 1.00", "10:00 v1 59.00"));
        });
    }

    /** How many wait when all have been looked at; until then some are on their way between two tasks. */
    private static int held(String pipeline) {
        List<String> rows = broker.read(pipeline + "-ledger");
        if (rows.isEmpty()) {
            return 0;
        }
        JsonNode latest = Totals.json(rows.get(rows.size() - 1));
        return latest.get("duplicate").intValue() * latest.get("held").intValue();
    }

    /** A producer that compresses brings into a topic far more than the topic seems to take. */
    @Test
    void whatCompressionMadeSmallIsCutAndMarked() {
        String pipeline = "compressed";
        createTopic(pipeline, "1048588");
        byte[] zeros = new byte[5_000_000];
        byte[] sale = sale("a", "2026-07-01T10:00:00Z", 1, 3_000);
        List<ProducerRecord<byte[], byte[]>> records = List.of(
                record(pipeline, zeros, sale, zeros),
                record(pipeline, zeros, sale, zeros), // duplicate
                record(pipeline, zeros, zeros, zeros),
                record(pipeline, null, new byte[512 * 1024], new byte[0]));
        for (int i = 0; i < 600_000; i++) {
            records.get(1).headers().add("", null);
            records.get(3).headers().add("", null);
        }
        send("gzip", records);

        startTwice(pipeline, 4);

        assertThat(broker.ledger(pipeline).get("duplicate").intValue()).isEqualTo(1);
        assertThat(deadLetters(pipeline))
                .satisfiesExactly(
                        letter -> {
                            assertThat(letter.value()).hasSize(512 * 1024);
                            assertThat(letter.key()).hasSize(256 * 1024);
                            assertThat(sizes(letter)).isEqualTo("headers-size 5000013, size 5000000, key-size 5000000");
                        },
                        letter -> {
                            assertThat(letter.value()).hasSize(512 * 1024);
                            assertThat(sizes(letter)).isEqualTo("headers-size 6000013");
                        });
    }

    private static String sizes(ConsumerRecord<byte[], byte[]> letter) {
        return Arrays.stream(letter.headers().toArray())
                .filter(header -> header.key().endsWith("size"))
                .map(header -> header.key().replace("tidemark-", "") + " "
                        + new String(header.value(), StandardCharsets.UTF_8))
                .collect(Collectors.joining(", "));
    }

    /** A producer holds 32 MB unless it is told otherwise, and refuses what is larger. */
    @Test
    void aDeadLetterMayBeLargerThanTheUsualBufferOfAProducer() {
        String pipeline = "buffered";
        createTopic(pipeline, "40000000");
        byte[] noise = noise(36_000_000);
        send("none", List.of(record(pipeline, null, noise, new byte[0])));

        startTwice(pipeline, 1, "tidemark.totals.input.max-size=36MB");

        assertThat(deadLetters(pipeline))
                .satisfiesExactly(letter -> assertThat(letter.value()).isEqualTo(noise));
    }

    /** The ids of one commit are written in chunks of 256 KB. */
    @Test
    void aCommitOfTenThousandSalesStopsNothing() {
        String pipeline = "many";
        createTopic(pipeline, "1048588");
        broker.sendTogether(
                pipeline,
                IntStream.range(0, 10_000)
                        .mapToObj(i -> Broker.saleJson("e" + i, "10:00:00", "1"))
                        .toList());

        startTwice(pipeline, 10_000, "spring.kafka.streams.properties.commit.interval.ms=8000");
    }

    @Test
    void aProducerThatMayNotSendTheLargestDeadLetterIsRefusedAtTheStart() {
        createTopic("small-producer", "1048588");
        String size = "spring.kafka.streams.properties.producer.max.request.size=1048576";

        assertThatThrownBy(
                        () -> Broker.start(broker.settings("small-producer", directory.resolve("small-producer"), size))
                                .close())
                .hasStackTraceContaining(
                        "The setting producer.max.request.size is 1048576, but records of up to 1064960"
                                + " bytes have to be sent; raise it, or lower the input's max-size.");
    }

    private static void createTopic(String topic, String maxMessageBytes) {
        broker.createTopic(topic, 1, Map.of("max.message.bytes", maxMessageBytes));
    }

    /** Lets the app process the records, and after a restart another two. */
    private static void startTwice(String pipeline, int records, String... settings) {
        Path state = directory.resolve(pipeline);
        Broker.whileRunning(broker.settings(pipeline, state, settings), () -> await().atMost(PATIENCE)
                .until(() -> broker.committed(pipeline, 0) == records));
        Broker.whileRunning(broker.settings(pipeline, state, settings), () -> {
            broker.send(pipeline, null, Totals.saleJson("Z", "z1", "12:00:00", "1"));
            broker.send(pipeline, null, Totals.saleJson("Z", "z2", "12:00:00", "1"));
            await().atMost(PATIENCE).until(() -> broker.committed(pipeline, 0) == records + 2);
        });
        assertThat(broker.ledger(pipeline).get("received").intValue()).isEqualTo(records + 2);
    }

    /** A sale of so many bytes whose id and store are as long as they may be. */
    private static byte[] sale(String id, String time, int amount, int size) {
        return sale(id.repeat(768), "S".repeat(1024), time, amount, size);
    }

    private static byte[] sale(String id, String store, String time, int amount, int size) {
        String sale = "{\"event_id\":\"%s\",\"store_id\":\"%s\",\"event_time\":\"%s\",\"amount\":%d,\"note\":\""
                .formatted(id, store, time, amount);
        byte[] value = noise(size);
        System.arraycopy(sale.getBytes(StandardCharsets.UTF_8), 0, value, 0, sale.length());
        value[size - 2] = '"';
        value[size - 1] = '}';
        return value;
    }

    /** Random letters. */
    private static byte[] noise(int size) {
        byte[] letters = new byte[size];
        new Random(size).nextBytes(letters);
        for (int i = 0; i < size; i++) {
            letters[i] = (byte) ('a' + (letters[i] & 15));
        }
        return letters;
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, byte[] key, byte[] value, byte[] header) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, 0, key, value);
        record.headers().add("h", header);
        return record;
    }

    private static void send(String compression, List<ProducerRecord<byte[], byte[]>> records) {
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                broker.bootstrapServers(),
                "compression.type",
                compression,
                "max.request.size",
                100_000_000,
                "buffer.memory",
                100_000_000);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (ProducerRecord<byte[], byte[]> record : records) {
                producer.send(record).get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static List<ConsumerRecord<byte[], byte[]>> deadLetters(String pipeline) {
        TopicPartition partition = new TopicPartition(pipeline + "-dead-letters", 0);
        Map<String, Object> config = Map.of(
                "bootstrap.servers", broker.bootstrapServers(),
                "isolation.level", "read_committed",
                "auto.offset.reset", "earliest");
        List<ConsumerRecord<byte[], byte[]>> letters = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(100)).forEach(letters::add);
            }
        }
        return letters;
    }
}
