package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * A backlog that has to be moved to the partitions of its keys gives what it would have given live, however fast which
 * partition is read. {@code -Dcatch-up.sales=2000000} makes it larger.
 */
class CatchUpIT {

    private static final int SALES = Integer.getInteger("catch-up.sales", 100_000);
    private static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    static Path directory;

    private static Broker broker;
    private static Backlog backlog;

    @BeforeAll
    static void fillTheTopic() {
        broker = new Broker(directory.resolve("kafka"));
        broker.createTopic("backlog", PARTITIONS);
        backlog = Backlog.send(broker.bootstrapServers(), "backlog", SALES, PARTITIONS);
        endInput("backlog");
    }

    private static void endInput(String topic) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            broker.endInput(topic, partition);
        }
    }

    @AfterAll
    static void stopBroker() throws IOException {
        broker.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void theNumberOfThreadsDoesNotMatter(int threads) {
        String pipeline = "threads-" + threads;
        runToTheEnd(pipeline, start(pipeline, "a", threads));
        assertThatNothingIsMissing(pipeline);
    }

    /** Half of a partition comes after the kill, and what the others have beyond that waits for it: there is work left. */
    @Test
    void twoInstancesOneOfThemKilledInTheMiddleGiveTheSame() {
        String pipeline = "two-instances";
        Backlog.Part early = (partition, sale) -> partition > 0 || sale < SALES / 2;
        broker.createTopic(pipeline, PARTITIONS);
        String[] settings = {"tidemark.totals.input.topic=" + pipeline, "tidemark.totals.idle-after=1h"};
        try (AppProcess killed = start(pipeline, "a", 2, settings);
                AppProcess other = start(pipeline, "b", 2, settings)) {
            await().atMost(PATIENCE).until(() -> broker.readers(pipeline, pipeline) == 2);
            Backlog.send(broker.bootstrapServers(), pipeline, SALES, PARTITIONS, early);
            await().atMost(PATIENCE)
                    .until(() -> settled(pipeline) > backlog.records() / 4
                            && held(pipeline).containsAll(Set.of(1, 2, 3)));
            killed.kill();
            assertThat(settled(pipeline)).as("settled when it was killed").isLessThan(backlog.records() * 3L / 4);

            Backlog.send(broker.bootstrapServers(), pipeline, SALES, PARTITIONS, early.rest());
            endInput(pipeline);
            runToTheEnd(pipeline, other);
        }
        assertThatNothingIsMissing(pipeline);
    }

    @Test
    void idsThatAreUniqueAmongAllEventsGiveTheSame() {
        String pipeline = "global";
        runToTheEnd(pipeline, start(pipeline, "a", 2, "tidemark.totals.deduplicate-scope=global"));
        assertThatNothingIsMissing(pipeline);
    }

    /** The trap: operators take the time of the partition that is read first, and drop what the others bring. */
    @Test
    void anOrdinaryProgramLosesSalesOnTheSameBacklog() {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "ordinary");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers());
        properties.put(
                StreamsConfig.STATE_DIR_CONFIG, directory.resolve("ordinary").toString());
        properties.put("auto.offset.reset", "earliest");
        broker.createTopic("ordinary-counts", 1);
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(
                        "backlog",
                        Consumed.with(Serdes.ByteArray(), Serdes.String())
                                .withTimestampExtractor((record, time) ->
                                        record.value() == null ? time : timeOf((String) record.value())))
                .filter((key, value) -> value != null, Named.as("drop-controls"))
                .map((key, value) -> KeyValue.pair(storeOf(value), value), Named.as("key-by-store"))
                .groupByKey(Grouped.with("by-store", Serdes.String(), Serdes.String()))
                .windowedBy(TimeWindows.ofSizeAndGrace(Backlog.WINDOW, Backlog.GRACE))
                .count(Named.as("count"), Materialized.as("counts"))
                .toStream(Named.as("stream"))
                .map((window, count) -> KeyValue.pair(window.toString(), count), Named.as("name-windows"))
                .to("ordinary-counts", Produced.with(Serdes.String(), Serdes.Long()));
        try (KafkaStreams streams = new KafkaStreams(builder.build(), properties)) {
            streams.start();
            // More than what really came too late.
            await().atMost(PATIENCE).until(() -> dropped(streams) > backlog.records() - backlog.onTime());
        }
    }

    private static double dropped(KafkaStreams streams) {
        return streams.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("dropped-records-total"))
                .mapToDouble(metric -> (double) metric.metricValue())
                .sum();
    }

    private static String storeOf(String sale) {
        return Totals.json(sale).get("store_id").asString();
    }

    private static long timeOf(String sale) {
        return Instant.parse(Totals.json(sale).get("event_time").asString()).toEpochMilli();
    }

    private static AppProcess start(String pipeline, String instance, int threads, String... more) {
        List<String> settings = new ArrayList<>(List.of(
                "tidemark.totals.input.topic=backlog",
                "tidemark.totals.input.partitioned-by-key=false",
                "tidemark.totals.provisional=false",
                "spring.kafka.streams.properties.num.stream.threads=" + threads,
                "spring.kafka.streams.properties.session.timeout.ms=6000"));
        settings.addAll(List.of(more));
        return AppProcess.start(
                Path.of(""),
                broker.settings(
                        pipeline, directory.resolve(pipeline + "-" + instance), settings.toArray(String[]::new)),
                directory.resolve("run"));
    }

    private static void runToTheEnd(String pipeline, AppProcess app) {
        try {
            awaitEnd(pipeline);
        } finally {
            app.close();
        }
    }

    private static void awaitEnd(String pipeline) {
        await().atMost(PATIENCE).until(() -> settled(pipeline) >= backlog.records());
        await().atMost(PATIENCE)
                .until(() -> published(pipeline).size() == backlog.totals().size());
    }

    private static Set<String> published(String pipeline) {
        return broker.read(pipeline + "-totals").stream()
                .map(Totals::json)
                .map(CatchUpIT::window)
                .collect(Collectors.toSet());
    }

    private static String window(JsonNode row) {
        return row.get("key").asString() + " "
                + Instant.parse(row.get("window_start").asString());
    }

    /** How many records are received and settled. */
    private static long settled(String pipeline) {
        return ledger(pipeline).values().stream()
                .mapToLong(
                        row -> row.get("received").longValue() - row.get("held").longValue())
                .sum();
    }

    /** The source partitions of which records wait for other ones. */
    private static Set<Integer> held(String pipeline) {
        return ledger(pipeline).entrySet().stream()
                .filter(row -> row.getValue().get("held").longValue() > 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private static Map<Integer, JsonNode> ledger(String pipeline) {
        Map<Integer, JsonNode> rows = new TreeMap<>();
        for (String row : broker.read(pipeline + "-ledger")) {
            JsonNode json = Totals.json(row);
            rows.put(json.get("source_partition").intValue(), json);
        }
        return rows;
    }

    private static void assertThatNothingIsMissing(String pipeline) {
        Map<String, BigDecimal> latest = new TreeMap<>();
        Map<String, Integer> versions = new HashMap<>();
        int finals = 0;
        for (String text : broker.read(pipeline + "-totals")) {
            JsonNode row = Totals.json(text);
            String window = window(row);
            int version = row.get("version").intValue();
            Integer before = versions.put(window, version);
            assertThat(version).as(window).isEqualTo(before == null ? Math.min(version, 2) : before + 1);
            latest.put(window, row.get("total").decimalValue());
            finals += version == 1 ? 1 : 0;
        }
        assertThat(latest).isEqualTo(backlog.totals());

        Set<String> lateThoughOnTime = new HashSet<>();
        int late = 0;
        for (String text : broker.read(pipeline + "-exceptions")) {
            JsonNode row = Totals.json(text);
            if (row.get("disposition").asString().equals("late")) {
                late++;
                int partition = row.get("source_partition").intValue();
                long offset = row.get("source_offset").longValue();
                if (backlog.isOnTime(partition, offset)) {
                    lateThoughOnTime.add(text);
                }
            }
        }
        assertThat(lateThoughOnTime).isEmpty();
        assertThat(late).isPositive();

        long counted = 0;
        for (JsonNode row : ledger(pipeline).values()) {
            long rest = row.get("received").longValue();
            for (String side : List.of("counted", "late", "duplicate", "held")) {
                rest -= row.get(side).longValue();
            }
            assertThat(rest).as(row.toString()).isZero();
            assertThat(row.get("held").longValue()).isZero();
            counted += row.get("counted").longValue() + row.get("late").longValue();
        }
        assertThat(counted).isEqualTo(backlog.distinct());
        System.out.println(pipeline + ": " + finals + " finals, " + late + " late of " + backlog.distinct() + " sales");
    }
}
