package dev.tidemark.profiles;

import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.Rows;
import dev.tidemark.common.TestSettings;
import dev.tidemark.common.TopologyFixture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.test.TestRecord;
import tools.jackson.databind.JsonNode;

/** The profiles topology in a test: activities and customers in, rows and sessions out, in the words of the domain. */
final class Customers implements AutoCloseable {

    /** When tests send: long after the event times that they use. */
    static final Instant NOW = Instant.parse("2026-08-01T00:00:00Z");

    private static final TestSettings USUAL = new TestSettings(
            "tidemark.profiles",
            Map.ofEntries(
                    Map.entry("pipeline", "customers"),
                    Map.entry("input.topic", "activities"),
                    Map.entry("input.partitioned-by-key", "true"),
                    Map.entry("input.event-id", "/activity_id"),
                    Map.entry("input.key", "/customer_id"),
                    Map.entry("input.event-time", "/at"),
                    Map.entry("input.amount", "/amount"),
                    Map.entry("input.amount-scale", "2"),
                    Map.entry("visits.field", "/kind"),
                    Map.entry("visits.is", "visit"),
                    Map.entry("table.topic", "customers"),
                    Map.entry("table.partitioned-by-key", "true"),
                    Map.entry("table.key", "/customer_id"),
                    Map.entry("table.event-time", "/updated_at"),
                    Map.entry("table.take", "/name,/country,/plan"),
                    Map.entry("table.delete-with-profile", "true"),
                    Map.entry("zone", "Europe/Berlin"),
                    Map.entry("session.gap", "30m"),
                    Map.entry("grace", "5m"),
                    Map.entry("accept-end-of-input", "true")));

    /** Exact, down to the last zero. */
    private final ProfilesProperties settings;

    private final TopologyFixture fixture;
    private Instant now = NOW;

    Customers(Path directory, String... replaced) {
        this.settings = settings(replaced);
        this.fixture = new TopologyFixture(
                new ProfilesTopology(settings, partitions(settings, 1), new SimpleMeterRegistry())::build,
                "activities",
                directory,
                now);
    }

    /** Settings of customers, with some replaced: {@code "grace=0m"}. */
    static ProfilesProperties settings(String... replaced) {
        return USUAL.bind(ProfilesProperties.class, replaced);
    }

    static InputPartitions partitions(ProfilesProperties settings, int count) {
        InputPartitions partitions = new InputPartitions();
        partitions.set(settings.input().topic(), count);
        partitions.set(settings.table().topic(), count);
        return partitions;
    }

    /** A visit; the time of day is of 2026-07-01, a Wednesday, in UTC unless it has a date. */
    void visit(String id, String customer, String time) {
        send("activities", null, activity(id, customer, "visit", "0.00", time));
    }

    void buy(String id, String customer, String amount, String time) {
        send("activities", null, activity(id, customer, "purchase", amount, time));
    }

    /** Brings the clock to a time, by a visit of somebody else. */
    void clock(String time) {
        visit("clock" + time, "clock", time);
    }

    static String activity(String id, String customer, String kind, String amount, String time) {
        return "{\"activity_id\":\"%s\",\"customer_id\":\"%s\",\"kind\":\"%s\",\"amount\":%s,\"at\":\"%s\"}"
                .formatted(id, customer, kind, amount, full(time));
    }

    /** An update of a customer. */
    void customer(String id, String plan, String time) {
        send("customers", id, customerJson(id, plan, time));
    }

    static String customerJson(String id, String plan, String time) {
        return "{\"customer_id\":\"%s\",\"name\":\"Ann\",\"country\":\"DE\",\"plan\":\"%s\",\"updated_at\":\"%s\"}"
                .formatted(id, plan, full(time));
    }

    void deleteCustomer(String id) {
        send("customers", id, null);
    }

    void send(String topic, String key, String value) {
        send(topic, key, value, now.toString());
    }

    /** A record whose timestamp is of 2026-07-01 unless it has a date. */
    void send(String topic, String key, String value, String timestamp) {
        fixture.send(topic, bytes(key), bytes(value), new RecordHeaders(), Instant.parse(full(timestamp)));
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static String full(String time) {
        return time.contains("T") ? time : "2026-07-01T" + time + "Z";
    }

    void endInput() {
        fixture.endInput(now);
    }

    /** Lets wall time pass without an event. */
    void quiet(Duration time) {
        for (long second = 0; second < time.toSeconds(); second++) {
            now = now.plusSeconds(1);
            fixture.advanceWallClock(Duration.ofSeconds(1));
        }
    }

    /** The rows since the last call that are the latest of their key; null for one that was deleted. */
    Map<String, JsonNode> rows() {
        Map<String, JsonNode> latest = new LinkedHashMap<>();
        for (TestRecord<byte[], byte[]> record : fixture.read(settings.profilesTopic())) {
            String key = Rows.json(record.key()).get("key").asString();
            latest.put(key, record.value() == null ? null : Rows.json(record.value()));
        }
        return latest;
    }

    /** The row of a key, which must have been written since the last call. */
    JsonNode row(String key) {
        return rows().get(key);
    }

    /** Sessions published since the last call, without those of {@link #clock}. */
    List<JsonNode> sessionRows() {
        return fixture.rows(settings.sessionsTopic()).stream()
                .filter(row -> !row.get("key").asString().equals("clock"))
                .toList();
    }

    /** The same as {@code key start-end vN status count amount}. */
    List<String> sessions() {
        return sessionRows().stream().map(Customers::brief).toList();
    }

    static String brief(JsonNode row) {
        return "%s %s-%s v%s %s %s %s"
                .formatted(
                        row.get("key").asString(),
                        time(row.get("session_start")),
                        time(row.get("session_end")),
                        row.get("version"),
                        row.get("status").asString(),
                        row.get("count"),
                        row.get("amount"));
    }

    private static String time(JsonNode time) {
        return time.asString().replace("2026-07-01T", "").replace(".000Z", "");
    }

    /** Whose sessions are in the store. */
    List<String> keptSessions() {
        List<String> keys = new ArrayList<>();
        SessionStore<String, Session> store = fixture.driver().getSessionStore(SessionBook.SESSIONS);
        try (KeyValueIterator<Windowed<String>, Session> all = store.fetch(null, null)) {
            all.forEachRemaining(session -> keys.add(session.key.key()));
        }
        return keys;
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

    List<TestRecord<byte[], byte[]>> deadLetters() {
        return fixture.read(settings.deadLettersTopic());
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
