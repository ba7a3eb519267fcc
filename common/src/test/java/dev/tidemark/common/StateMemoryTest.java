package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.WindowStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All stores of a process take their native memory from one place, also when they are transactional. */
class StateMemoryTest {

    private static final double SIZE = 16 << 20;

    @TempDir
    Path state;

    private static void topology(StreamsBuilder builder) {
        var events = builder.stream(
                "events", Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("consume-events"));
        events.toTable(
                Named.as("keep-latest"),
                Materialized.<byte[], byte[], KeyValueStore<Bytes, byte[]>>as("latest")
                        .withKeySerde(Serdes.ByteArray())
                        .withValueSerde(Serdes.ByteArray())
                        .withCachingDisabled());
        events.groupByKey(Grouped.as("by-key"))
                .windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMinutes(1)))
                .count(
                        Named.as("count"),
                        Materialized.<byte[], Long, WindowStore<Bytes, byte[]>>as("counts")
                                .withKeySerde(Serdes.ByteArray())
                                .withRetention(Duration.ofHours(1))
                                .withCachingDisabled());
    }

    @Test
    void everyStoreAndEverySegmentUsesTheOneCacheAndItsMemtablesAreChargedToIt() {
        try (TopologyFixture fixture = new TopologyFixture(StateMemoryTest::topology, "events", state, Instant.EPOCH)) {
            Map<String, Double> before = metric(fixture, "block-cache-usage");
            for (int i = 0; i < 2000; i++) {
                byte[] key = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
                fixture.send(key, new byte[1000], new RecordHeaders(), Instant.ofEpochSecond(4 * i));
            }

            assertThat(metric(fixture, "block-cache-capacity").values())
                    .hasSize(2)
                    .containsOnly(SIZE);
            Map<String, Double> usage = metric(fixture, "block-cache-usage");
            assertThat(Set.copyOf(usage.values())).as("of one cache").hasSize(1);
            assertThat(usage.get("latest") - before.get("latest")).isGreaterThan(1_500_000); // 2 MB of records
            double memtables = metric(fixture, "cur-size-all-mem-tables").get("latest");
            assertThat(memtables).isBetween(2_000_000.0, 3_000_000.0);
        }
    }

    /** 20 MB of records, which are more than the memory; it is one that no other test fills. */
    @Test
    void memtablesGoToDiskWhenTheyTakeHalfOfTheMemoryAndWhatIsReadFromThereTakesTheRest() {
        long size = 15 << 20;
        try (TopologyFixture fixture = new TopologyFixture(
                StateMemoryTest::topology, "events", state, Instant.EPOCH, Map.of(StateMemory.SIZE, size))) {
            List<Double> memtables = new ArrayList<>();
            List<Double> usage = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                byte[] key = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
                fixture.send(key, new byte[1000], new RecordHeaders(), Instant.EPOCH);
                if (i % 1000 == 999) {
                    memtables.add(metric(fixture, "cur-size-all-mem-tables").get("latest"));
                    usage.add(metric(fixture, "block-cache-usage").get("latest"));
                }
            }
            KeyValueStore<byte[], byte[]> latest = fixture.driver().getKeyValueStore("latest");
            for (int i = 0; i < 20_000; i++) {
                assertThat(latest.get(Integer.toString(i).getBytes(StandardCharsets.UTF_8)))
                        .hasSize(1000);
                if (i % 1000 == 999) {
                    usage.add(metric(fixture, "block-cache-usage").get("latest"));
                }
            }

            assertThat(memtables).allMatch(bytes -> bytes < size / 2);
            assertThat(usage).allMatch(bytes -> bytes < size * 1.05);
            assertThat(usage).last().matches(bytes -> bytes > size * 0.9);
        }
    }

    /** Values of a RocksDB metric by store. */
    private static Map<String, Double> metric(TopologyFixture fixture, String name) {
        Map<String, Double> values = new TreeMap<>();
        fixture.driver().metrics().forEach((id, metric) -> {
            if (id.name().equals(name)) {
                values.put(
                        id.tags().values().stream()
                                .filter(Set.of("latest", "counts")::contains)
                                .findFirst()
                                .orElseThrow(),
                        ((Number) metric.metricValue()).doubleValue());
            }
        });
        return values;
    }
}
