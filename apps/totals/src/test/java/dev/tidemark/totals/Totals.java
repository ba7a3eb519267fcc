package dev.tidemark.totals;

import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.Rows;
import dev.tidemark.common.TestSettings;
import dev.tidemark.common.TopologyFixture;
import dev.tidemark.common.TotalsProperties;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.test.TestRecord;
import tools.jackson.databind.JsonNode;

/** The totals topology in a test: sales in, rows out, in the words of the domain. */
final class Totals implements AutoCloseable {

    private static final TestSettings USUAL = new TestSettings(
            "tidemark.totals",
            Map.ofEntries(
                    Map.entry("pipeline", "sales"),
                    Map.entry("input.topic", "sales"),
                    Map.entry("input.partitioned-by-key", "true"),
                    Map.entry("input.event-id", "/event_id"),
                    Map.entry("input.key", "/store_id"),
                    Map.entry("input.event-time", "/event_time"),
                    Map.entry("input.amount", "/amount"),
                    Map.entry("input.amount-scale", "2"),
                    Map.entry("window.size", "10m"),
                    Map.entry("grace", "5m"),
                    Map.entry("accept-end-of-input", "true")));

    /** When tests send events: long after the event times that they use. */
    static final Instant NOW = Instant.parse("2026-08-01T00:00:00Z");

    private final TotalsProperties settings;
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private Instant now = NOW;
    private final TopologyFixture fixture;

    Totals(Path directory, String... settings) {
        this(directory, settings(settings));
    }

    Totals(Path directory, TotalsProperties settings) {
        this.settings = settings;
        this.fixture = new TopologyFixture(
                new TotalsTopology(this.settings, partitions(this.settings), meters)::build,
                this.settings.input().topic(),
                directory,
                now);
    }

    /** Settings of the worked example, with some replaced: {@code "grace=0m"}. */
    static TotalsProperties settings(String... replaced) {
        return USUAL.bind(TotalsProperties.class, replaced);
    }

    /** As if the input topic had one partition. */
    static InputPartitions partitions(TotalsProperties settings) {
        InputPartitions partitions = new InputPartitions();
        partitions.set(settings.input().topic(), 1);
        return partitions;
    }

    /** Lets wall time pass without an event. */
    void quiet(Duration time) {
        for (long second = 0; second < time.toSeconds(); second++) {
            skip(Duration.ofSeconds(1));
        }
    }

    /** Lets wall time pass at once, as if the process had been frozen. */
    void skip(Duration time) {
        now = now.plus(time);
        fixture.advanceWallClock(time);
    }

    void send(String json) {
        fixture.send(json.getBytes(StandardCharsets.UTF_8), now);
    }

    void send(byte[] bytes) {
        fixture.send(bytes, now);
    }

    /** Sends a sale of store A; the time of day is of 2026-07-01 unless it has a date. */
    void sale(String id, String time, String amount) {
        sale("A", id, time, amount);
    }

    void sale(String store, String id, String time, String amount) {
        send(saleJson(store, id, time, '"' + amount + '"'));
    }

    /** A sale; the amount is written as JSON. */
    static String saleJson(String store, String id, String time, String amount) {
        String full = time.contains("T") ? time : "2026-07-01T" + time + "Z";
        return "{\"event_id\":\"%s\",\"store_id\":\"%s\",\"event_time\":\"%s\",\"amount\":%s}"
                .formatted(id, store, full, amount);
    }

    void endInput() {
        fixture.endInput(now);
    }

    /** Result rows since the last call. */
    List<JsonNode> rows() {
        return fixture.rows(settings.totalsTopic());
    }

    /** Finals and corrections since the last call, as {@code key start version total}. */
    List<String> published() {
        return published(rows());
    }

    static List<String> published(List<JsonNode> rows) {
        List<String> published = new ArrayList<>();
        for (JsonNode row : rows) {
            if (row.get("version").intValue() > 0) {
                String start = row.get("window_start").stringValue();
                published.add(row.get("key").stringValue() + " "
                        + (start.startsWith("2026-07-01T") && start.endsWith(":00.000Z")
                                ? start.substring(11, 16)
                                : start)
                        + " v" + row.get("version") + " " + row.get("total"));
            }
        }
        return published;
    }

    List<JsonNode> exceptions() {
        return fixture.rows(settings.exceptionsTopic());
    }

    /** Exceptions since the last call, as {@code id disposition}. */
    List<String> dispositions() {
        return exceptions().stream()
                .map(row -> row.get("event_id").asString() + " "
                        + row.get("disposition").stringValue())
                .toList();
    }

    List<TestRecord<byte[], byte[]>> deadLetters() {
        return fixture.read(settings.deadLettersTopic());
    }

    /** The latest row of the ledger. */
    JsonNode ledger() {
        List<JsonNode> rows = fixture.rows(settings.ledgerTopic());
        return rows.get(rows.size() - 1);
    }

    /** Rows of lateness since the last call. */
    List<JsonNode> lateness() {
        return fixture.rows(settings.latenessTopic());
    }

    TopologyFixture fixture() {
        return fixture;
    }

    SimpleMeterRegistry meters() {
        return meters;
    }

    /** Parses a row without losing a digit. */
    static JsonNode json(String row) {
        return Rows.json(row);
    }

    @Override
    public void close() {
        fixture.close();
    }
}
