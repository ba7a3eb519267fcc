package dev.tidemark.enrich;

import dev.tidemark.common.InputPartitions;
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

/** The enrich topology in a test: customers and activities in, rows out, in the words of the domain. */
final class Enrich implements AutoCloseable {

    private static final TestSettings USUAL = new TestSettings(
            "tidemark.enrich",
            Map.ofEntries(
                    Map.entry("pipeline", "what-they-did"),
                    Map.entry("input.topic", "activities"),
                    Map.entry("input.partitioned-by-key", "true"),
                    Map.entry("input.event-id", "/activity_id"),
                    Map.entry("input.key", "/customer_id"),
                    Map.entry("input.event-time", "/at"),
                    Map.entry("table.topic", "customers"),
                    Map.entry("table.partitioned-by-key", "true"),
                    Map.entry("table.event-time", "/updated_at"),
                    Map.entry("table.take", "/name,/plan"),
                    Map.entry("grace", "5m"),
                    Map.entry("accept-end-of-input", "true")));

    /** When tests send records: long after the event times that they use. */
    static final Instant NOW = Instant.parse("2026-08-01T00:00:00Z");

    private final EnrichProperties settings;
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TopologyFixture fixture;
    private Instant now = NOW;
    private int ticks;

    /** Both topics are at 09:00. */
    Enrich(Path directory, String... settings) {
        this(settings(settings), directory);
        clock("09:00:00");
        rows();
    }

    /** No topic has a record. */
    static Enrich unstarted(Path directory, String... settings) {
        return new Enrich(settings(settings), directory);
    }

    private Enrich(EnrichProperties settings, Path directory) {
        this.settings = settings;
        this.fixture = new TopologyFixture(
                new EnrichTopology(settings, partitions(settings, 1), meters)::build, "activities", directory, now);
    }

    /** Settings of activities with their customers, with some replaced: {@code "grace=0m"}. */
    static EnrichProperties settings(String... replaced) {
        return USUAL.bind(EnrichProperties.class, replaced);
    }

    static InputPartitions partitions(EnrichProperties settings, int count) {
        InputPartitions partitions = new InputPartitions();
        partitions.set(settings.input().topic(), count);
        partitions.set(settings.table().topic(), count);
        return partitions;
    }

    /** Brings both topics to a time, by a customer who is not spoken of again. */
    void clock(String time) {
        customer("tick", "basic", time);
        activity("tick" + ticks++, "tick", time);
    }

    /** What a customer has from a time on; it is of 2026-07-01 unless it has a date. */
    void customer(String id, String plan, String from) {
        customers(id, customerJson(id, plan, from));
    }

    static String customerJson(String id, String plan, String from) {
        return "{\"customer_id\":\"%s\",\"name\":\"N%s\",\"plan\":\"%s\",\"updated_at\":\"%s\"}"
                .formatted(id, id, plan, full(from));
    }

    /** A record of the customers' topic, with a timestamp of now. */
    void customers(String key, String value) {
        customers(key, value, now.toString());
    }

    /** A record of the customers' topic; its timestamp is of 2026-07-01 unless it has a date. */
    void customers(String key, String value, String timestamp) {
        fixture.send("customers", bytes(key), bytes(value), new RecordHeaders(), Instant.parse(full(timestamp)));
    }

    /** A record without a value; its timestamp says from when on. */
    void delete(String customer, String from) {
        customers(customer, null, from);
    }

    void activity(String id, String customer, String time) {
        activities(activityJson(id, customer, time));
    }

    static String activityJson(String id, String customer, String time) {
        return "{\"activity_id\":\"%s\",\"customer_id\":\"%s\",\"at\":\"%s\"}".formatted(id, customer, full(time));
    }

    void activities(String json) {
        fixture.send("activities", null, bytes(json), new RecordHeaders(), now);
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static String full(String time) {
        return time.contains("T") ? time : "2026-07-01T" + time + "Z";
    }

    void endInput() {
        fixture.endInput("activities", now);
        fixture.endInput("customers", now);
    }

    /** Lets wall time pass without a record. */
    void quiet(Duration time) {
        for (long second = 0; second < time.toSeconds(); second++) {
            now = now.plusSeconds(1);
            fixture.advanceWallClock(Duration.ofSeconds(1));
        }
    }

    /** Result rows since the last call, without those of {@link #clock}. */
    List<JsonNode> rows() {
        return fixture.rows(settings.enrichedTopic()).stream()
                .filter(row -> !row.get("key").asString().equals("tick"))
                .toList();
    }

    /** Rows since the last call, as {@code id version plan@time: reason}. */
    List<String> published() {
        return rows().stream().map(Enrich::brief).toList();
    }

    static String brief(JsonNode row) {
        String reason =
                row.get("reason").isNull() ? "" : ": " + row.get("reason").asString();
        return row.get("event_id").asString() + " v" + row.get("version") + " " + profile(row) + reason;
    }

    private static String profile(JsonNode row) {
        if (row.get("status").asString().equals("missing")) {
            return "missing";
        }
        String plan = json(row.get("profile").asString()).get("plan").asString();
        return row.get("profile_time").isNull()
                ? plan
                : plan + "@"
                        + row.get("profile_time")
                                .asString()
                                .replace("2026-07-01T", "")
                                .replace(".000Z", "");
    }

    List<JsonNode> exceptions() {
        return fixture.rows(settings.exceptionsTopic());
    }

    /** Exceptions since the last call, as {@code id disposition version: reason}. */
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

    static JsonNode json(String text) {
        return Rows.json(text);
    }

    @Override
    public void close() {
        fixture.close();
    }
}
