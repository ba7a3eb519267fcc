package dev.tidemark.pairs;

import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.PairsProperties;
import dev.tidemark.common.Rows;
import dev.tidemark.common.TestSettings;
import dev.tidemark.common.TopologyFixture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.internals.RecordHeaders;
import tools.jackson.databind.JsonNode;

/** The pairs topology in a test: orders and payments in, rows out, in the words of the domain. */
final class Pairs implements AutoCloseable {

    private static final TestSettings USUAL = new TestSettings(
            "tidemark.pairs",
            Map.ofEntries(
                    Map.entry("pipeline", "order-payments"),
                    Map.entry("left.topic", "orders"),
                    Map.entry("left.partitioned-by-key", "true"),
                    Map.entry("left.event-id", "/order_id"),
                    Map.entry("left.key", "/order_id"),
                    Map.entry("left.event-time", "/ordered_at"),
                    Map.entry("right.topic", "payments"),
                    Map.entry("right.partitioned-by-key", "true"),
                    Map.entry("right.event-id", "/payment_id"),
                    Map.entry("right.key", "/order_id"),
                    Map.entry("right.event-time", "/paid_at"),
                    Map.entry("within.after", "30m"),
                    Map.entry("grace", "5m"),
                    Map.entry("accept-end-of-input", "true")));

    /** When tests send events: long after the event times that they use. */
    static final Instant NOW = Instant.parse("2026-08-01T00:00:00Z");

    private final PairsProperties settings;
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TopologyFixture fixture;
    private Instant now = NOW;
    private int ticks;

    /** Both inputs are at 09:00. */
    Pairs(Path directory, String... settings) {
        this(settings(settings), directory);
        clock("09:00:00");
    }

    /** No input has an event. */
    static Pairs unstarted(Path directory, String... settings) {
        return new Pairs(settings(settings), directory);
    }

    private Pairs(PairsProperties settings, Path directory) {
        this.settings = settings;
        this.fixture = new TopologyFixture(
                new PairsTopology(this.settings, partitions(this.settings, 1), meters)::build,
                "orders",
                directory,
                now);
    }

    /** Settings of orders with their payments, with some replaced: {@code "grace=0m"}. */
    static PairsProperties settings(String... replaced) {
        return USUAL.bind(PairsProperties.class, replaced);
    }

    static InputPartitions partitions(PairsProperties settings, int count) {
        InputPartitions partitions = new InputPartitions();
        partitions.set(settings.left().topic(), count);
        partitions.set(settings.right().topic(), count);
        return partitions;
    }

    /** Brings both inputs to a time, by an order that is paid at once and not spoken of again. */
    void clock(String time) {
        String id = "tick" + ticks++;
        order(id, time);
        payment(id + "p", id, time);
    }

    /** An order; the time of day is of 2026-07-01 unless it has a date. */
    void order(String id, String time) {
        send("orders", orderJson(id, time));
    }

    static String orderJson(String id, String time) {
        return "{\"order_id\":\"%s\",\"ordered_at\":\"%s\"}".formatted(id, full(time));
    }

    void payment(String id, String order, String time) {
        send("payments", paymentJson(id, order, time));
    }

    static String paymentJson(String id, String order, String time) {
        return "{\"payment_id\":\"%s\",\"order_id\":\"%s\",\"paid_at\":\"%s\"}".formatted(id, order, full(time));
    }

    private static String full(String time) {
        return time.contains("T") ? time : "2026-07-01T" + time + "Z";
    }

    void send(String topic, String json) {
        fixture.send(topic, null, json.getBytes(StandardCharsets.UTF_8), new RecordHeaders(), now);
    }

    void endInput() {
        fixture.endInput("orders", now);
        fixture.endInput("payments", now);
    }

    /** Lets wall time pass without an event. */
    void quiet(Duration time) {
        for (long second = 0; second < time.toSeconds(); second++) {
            now = now.plusSeconds(1);
            fixture.advanceWallClock(Duration.ofSeconds(1));
        }
    }

    /** Result rows since the last call, without those of {@link #clock}. */
    List<JsonNode> rows() {
        return fixture.rows(settings.pairsTopic()).stream()
                .filter(row -> !row.get("key").asString().startsWith("tick"))
                .toList();
    }

    /** Rows since the last call, as {@code left right version reason}, with a dash for who is missing. */
    List<String> published() {
        return rows().stream().map(Pairs::brief).toList();
    }

    static String brief(JsonNode row) {
        String reason =
                row.get("reason").isNull() ? "" : " " + row.get("reason").asString();
        return nameOf(row.get("left_id")) + " " + nameOf(row.get("right_id")) + " v" + row.get("version") + reason;
    }

    private static String nameOf(JsonNode id) {
        return id.asString().isEmpty() ? "-" : id.asString();
    }

    List<JsonNode> exceptions() {
        return fixture.rows(settings.exceptionsTopic());
    }

    /** Exceptions since the last call, as {@code id disposition version reason}. */
    List<String> dispositions() {
        return Rows.dispositions(exceptions());
    }

    /** The latest rows of the ledger, by topic. */
    Map<String, JsonNode> ledger() {
        return Rows.ledgerByTopic(fixture.rows(settings.ledgerTopic()));
    }

    List<String> deadLetters() {
        return fixture.read(settings.deadLettersTopic()).stream()
                .map(record -> new String(record.value(), StandardCharsets.UTF_8))
                .toList();
    }

    TopologyFixture fixture() {
        return fixture;
    }

    static JsonNode json(String row) {
        return Rows.json(row);
    }

    @Override
    public void close() {
        fixture.close();
    }
}
