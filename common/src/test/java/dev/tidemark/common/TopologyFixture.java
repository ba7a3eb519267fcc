package dev.tidemark.common;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.test.TestRecord;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;

/**
 * Runs a topology without a broker, under the settings of the real apps. It commits after every record. State lies in
 * the given directory, and is deleted when the fixture is closed.
 */
public final class TopologyFixture implements AutoCloseable {

    private final TopologyTestDriver driver;
    private final String inputTopic;
    private final Map<String, TestInputTopic<byte[], byte[]>> inputs = new HashMap<>();

    public TopologyFixture(Consumer<StreamsBuilder> topology, String inputTopic, Path stateDirectory, Instant now) {
        this(topology, inputTopic, stateDirectory, now, Map.of());
    }

    /** @param more properties of the streams client that take the place of the usual ones */
    public TopologyFixture(
            Consumer<StreamsBuilder> topology,
            String inputTopic,
            Path stateDirectory,
            Instant now,
            Map<String, Object> more) {
        Properties properties = properties(stateDirectory);
        properties.putAll(more);
        driver = new TopologyTestDriver(topology(topology, properties), properties, now);
        this.inputTopic = inputTopic;
    }

    /** The topology, built as the apps build it. */
    public static Topology topology(Consumer<StreamsBuilder> topology, Properties properties) {
        StreamsBuilder builder = new StreamsBuilder(new TopologyConfig(new StreamsConfig(properties)));
        topology.accept(builder);
        return builder.build(properties);
    }

    /** @param stateDirectory where stores are; an empty path: they are in memory */
    public static Properties properties(Path stateDirectory) {
        Properties properties = new Properties();
        if (stateDirectory.toString().isEmpty()) {
            properties.putAll(InMemoryStores.SETTINGS);
        }
        properties.putAll(StreamsSettings.defaults(StreamsSettings.maxRecord(DataSize.ofKilobytes(512))));
        properties.putAll(StreamsSettings.state(DataSize.ofMegabytes(16)));
        properties.putAll(StreamsSettings.required());
        properties.putAll(Map.of(
                StreamsConfig.APPLICATION_ID_CONFIG, "test",
                StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "unused:1",
                StreamsConfig.STATE_DIR_CONFIG, stateDirectory.toString()));
        return properties;
    }

    /** Sends a record with a null key. */
    public void send(byte[] value, Instant arrival) {
        send(null, value, new RecordHeaders(), arrival);
    }

    public void send(byte[] key, byte[] value, Headers headers, Instant arrival) {
        send(inputTopic, key, value, headers, arrival);
    }

    /** Sends a record to one of several input topics. */
    public void send(String topic, byte[] key, byte[] value, Headers headers, Instant arrival) {
        inputs.computeIfAbsent(topic, this::input).pipeInput(new TestRecord<>(key, value, headers, arrival));
    }

    private TestInputTopic<byte[], byte[]> input(String topic) {
        return driver.createInputTopic(topic, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Says that the source partition is complete. */
    public void endInput(Instant arrival) {
        endInput(inputTopic, arrival);
    }

    /** Says that the source partition of one of several input topics is complete. */
    public void endInput(String topic, Instant arrival) {
        Headers headers = new RecordHeaders();
        headers.add(EndOfInput.HEADER, EndOfInput.VALUE.getBytes(StandardCharsets.UTF_8));
        send(topic, null, null, headers, arrival);
    }

    public void advanceWallClock(Duration by) {
        driver.advanceWallClockTime(by);
    }

    /** What was written to a topic since it was last asked for. */
    public List<TestRecord<byte[], byte[]>> read(String topic) {
        return driver.createOutputTopic(topic, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .readRecordsToList();
    }

    /** The rows that were written to a topic since it was last asked for. */
    public List<JsonNode> rows(String topic) {
        return read(topic).stream().map(record -> Rows.json(record.value())).toList();
    }

    /** How many entries can be read from each store, but for ids, which are in blocks. */
    public Map<String, Integer> sizes() {
        Map<String, Integer> sizes = new TreeMap<>();
        driver.getAllStateStores().forEach((name, store) -> {
            if (store instanceof WindowStore<?, ?> windows) {
                sizes.put(name, count(windows.all()));
            } else if (store instanceof SessionStore<?, ?> sessions) {
                sizes.put(name, count(sessions.fetch(null, null)));
            } else if (store instanceof KeyValueStore<?, ?> entries && !name.startsWith("seen-events")) {
                sizes.put(name, count(entries.all()));
            }
        });
        return sizes;
    }

    private static int count(KeyValueIterator<?, ?> entries) {
        int count = 0;
        try (entries) {
            for (; entries.hasNext(); entries.next()) {
                count++;
            }
        }
        return count;
    }

    public TopologyTestDriver driver() {
        return driver;
    }

    @Override
    public void close() {
        driver.close();
    }
}
