package dev.tidemark.embedded;

import static dev.tidemark.embedded.ResultRows.enriched;
import static dev.tidemark.embedded.ResultRows.exception;
import static dev.tidemark.embedded.ResultRows.lateness;
import static dev.tidemark.embedded.ResultRows.ledger;
import static dev.tidemark.embedded.ResultRows.pair;
import static dev.tidemark.embedded.ResultRows.provisional;
import static dev.tidemark.embedded.ResultRows.total;
import static dev.tidemark.embedded.ResultRows.unmatched;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Result records that are written by hand, through the shipped connectors, into the shipped tables. Neither the zone
 * of this JVM nor that of the server is UTC.
 */
class SinkIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final TimeZone ZONE = TimeZone.getDefault();

    @TempDir
    private static Path directory;

    private static Servers servers;

    @BeforeAll
    static void start() throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
        servers = Servers.start(directory, "alter database tidemark set timezone to 'Asia/Tokyo'");
    }

    @AfterAll
    static void stop() {
        servers.close();
        TimeZone.setDefault(ZONE);
    }

    @Test
    void amountsKeepAllTheirDigitsAndTimesTheirInstant() {
        servers.write("sales-totals", """
                {"pipeline":"sales","key":"exact é 日本","window_start":"2026-03-08T06:30:00.123Z",\
                "window_end":"2026-11-01T05:30:00.000Z","version":2,"status":"corrected",\
                "total":12345678901234567890123456789.10,"count":4,"minimum":-0.50,"maximum":7,\
                "previous_total":0.00,"delta":0.10,"reason":"late","cause_count":2,"cause_event_id":"e6",\
                "cause_event_ids":"[\\"e6\\",\\"a \\\\\\"b\\"]","zone":"Asia/Tokyo",\
                "stream_time":"2026-07-01T10:18:00.000Z","closed_by":"watermark","settings":"7f3a9c21","more":1}""");
        servers.write(
                "sales-totals", total("exact", 1, "1.00").replace("\"settings\"", "\"minimum\":null,\"settings\""));

        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(servers.rows("""
                select total, minimum, maximum, previous_total, delta, extract(epoch from window_start),
                       extract(epoch from window_end), extract(epoch from stream_time), count, reason, cause_event_id,
                       cause_count, cause_event_ids ->> 1, zone, closed_by, settings,
                       recorded_at > now() - interval '1 hour'
                from totals where key like 'exact%' order by key desc"""))
                                .containsExactly(
                                        "12345678901234567890123456789.10|-0.50|7|0.00|0.10|1772951400.123000|1793511000.000000"
                                                + "|1782901080.000000|4|late|e6|2|a \"b|Asia/Tokyo|watermark|7f3a9c21|t",
                                        "1.00|null|null|null|null|1782900000.000000|1782900600.000000|null|1|null|null|null|null|null|null|7f3a9c21|t"));
    }

    @Test
    void exceptionsAndLedgerReachTheirTables() {
        servers.write("sales-exceptions", """
                {"pipeline":"sales","source_topic":"sales","source_partition":3,"source_offset":9007199254740993,\
                "event_id":null,"key":null,"event_time":null,"arrival_time":"2026-07-01T10:18:00.000Z","amount":null,\
                "disposition":"malformed","reason":"amount is missing","window_start":null,"version":null,\
                "payload":"{\\"a\\":\\"\\\\u0000\\"}"}""");
        servers.write("sales-ledger", ledger("reached", 4, 1, "2026-07-01T10:18:00.000Z"));

        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(servers.rows("select source_partition, source_offset, disposition, payload from exceptions"
                            + " where disposition = 'malformed'"))
                    .containsExactly("3|9007199254740993|malformed|{\"a\":\"\\u0000\"}");
            assertThat(servers.rows("select * from ledger_balance where source_topic = 'reached'"))
                    .containsExactly("sales|reached|0|4|4|0|40.00|40.00|0.00");
        });
    }

    @Test
    void aDayOfLatenessIsADateInWhateverZone() {
        servers.write("sales-lateness", lateness(20, "2026-03-08", 5, 3));
        servers.write("sales-lateness", lateness(20, "1970-01-01", -1, 1));

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(
                        servers.rows("select day, from_seconds, events, amount, absolute_amount,"
                                + " arrivals, pg_typeof(day) from lateness where partition = 20 order by day"))
                .containsExactly("1970-01-01|-1|1|-0.50|0.50|1|date", "2026-03-08|5|3|-1.50|1.50|3|date"));
    }

    @Test
    void eventsOfAPairArriveCharacterByCharacter() {
        String left = "{ \"order_id\":\"o\\u0000\",\"half\":\"\\ud83d\",\"n\":1e999999,\"é 日本\":\"\uD83D\uDE00\\n\" }";
        String right = "{\"note\":\"" + "€ \\\\ ".repeat(300_000) + "\"}";
        servers.write("sales-pairs", pair("odd é", "o1", "p1", left, right));

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(servers.rows("""
                        select version, status, reason, extract(epoch from left_time), right_time - left_time,
                               distance_millis, left_event, right_event::text = '%s', extract(epoch from event_time),
                               closed_by, cause_event_id, settings, recorded_at > now() - interval '1 hour'
                        from pairs where key = 'odd é'""".formatted(right)))
                .containsExactly("2|matched|late|1782900000.000000|-00:00:01|-1000|" + left
                        + "|t|1782900000.000000|null|p1|7f3a9c21|t"));
    }

    @Test
    void unmatchedRowsArriveWithEmptyIdsAndAMatchWinsInEitherOrder() {
        servers.write("sales-pairs", unmatched("first", "o1", ""));
        servers.write("sales-pairs", unmatched("first", "", "p1"));
        servers.write("sales-pairs", pair("first", "o1", "p1", "{}", "{}"));
        servers.write("sales-pairs", pair("last", "o1", "p1", "{}", "{}"));
        servers.write("sales-pairs", unmatched("last", "", "p1"));
        servers.write("sales-pairs", unmatched("last", "o1", ""));
        servers.write("sales-pairs", unmatched("alone", "o1", ""));
        servers.write("sales-pairs", unmatched("alone", "", "p1"));

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(servers.rows(
                        "select key, left_id, right_id, status, reason, left_event, right_event, event_time"
                                + " is not null from pairs_current where key in ('first', 'last', 'alone')"
                                + " order by key, left_id"))
                .containsExactly(
                        "alone||p1|right-unmatched|no orders within 30m|null|{\"id\": 1}|t",
                        "alone|o1||left-unmatched|no payments within 30m|{\"id\": 1}|null|t",
                        "first|o1|p1|matched|late|{}|{}|t",
                        "last|o1|p1|matched|late|{}|{}|t"));
    }

    @Test
    void eventsArriveWithTheirProfilesAndWithoutThem() {
        String event = "{ \"id\":\"A\\u0000\",\"amount\":\"12.50\" }";
        servers.write("sales-enriched", enriched("A1", 1, null, event));
        servers.write("sales-enriched", enriched("A1", 2, "{\"plan\":\"gold\",\"n\":1e400}", event));
        servers.write("sales-enriched", enriched("A2", 1, "{\"plan\" : \"é\"}", "{}"));

        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(
                            servers.rows(
                                    "select event_id, version, status, reason, extract(epoch from event_time), event,"
                                            + " profile, extract(epoch from profile_time), source_partition, source_offset,"
                                            + " table_partition, table_offset from enriched where key = 'C1' order by event_id, version"))
                    .containsExactly(
                            "A1|1|missing|late|1782900000.000000|" + event + "|null|null|3|9007199254740993|null|null",
                            "A1|2|enriched|late|1782900000.000000|" + event
                                    + "|{\"plan\":\"gold\",\"n\":1e400}|1782896400.000000|3|9007199254740993|1|7",
                            "A2|1|enriched|late|1782900000.000000|{}|{\"plan\" : \"é\"}|1782896400.000000|3"
                                    + "|9007199254740993|1|7");
            assertThat(servers.rows("select event_id, version, profile ->> 'plan' from enriched_current"
                            + " where key = 'C1' order by event_id"))
                    .containsExactly("A1|2|gold", "A2|1|é");
        });
    }

    @Test
    void aReplayChangesNoRow() {
        for (int count = 1; count <= 3; count++) {
            servers.write("sales-totals", provisional("replayed", count));
        }
        servers.write("sales-totals", total("replayed", 1, "3.00"));
        servers.write("sales-ledger", ledger("replayed", 1, 0, "2026-07-01T10:00:00.000Z"));
        servers.write("sales-ledger", ledger("replayed", 2, 1, "2026-07-01T10:01:00.000Z"));
        servers.write("sales-lateness", lateness(21, "2026-07-01", 0, 1));
        servers.write("sales-lateness", lateness(21, "2026-07-01", 0, 2));
        servers.write("sales-pairs", unmatched("replayed", "o1", ""));
        servers.write("sales-pairs", pair("replayed", "o1", "p1", "{\"a\":\"\\u0000\"}", "{\"a\" : 1.50}"));
        servers.write("sales-enriched", enriched("replayed", 1, null, "{\"a\":\"\\u0000\"}"));
        servers.write("sales-enriched", enriched("replayed", 2, "{\"a\" : 1.50}", "{\"a\":\"\\u0000\"}"));
        awaitSinks();
        List<String> before = everyRow();

        SinkConnector.shipped().forEach(connector -> servers.connect.resetOffsets(connector.name()));
        awaitSinks();

        assertThat(before)
                .anyMatch(row -> row.contains("replayed|2026"))
                .anyMatch(row -> row.contains("sales|replayed|0|2"))
                .anyMatch(row -> row.contains("sales|2026-07-01|21|0|2"))
                .anyMatch(row -> row.contains("replayed|o1|p1|2|matched"))
                .anyMatch(row -> row.contains("C1|replayed|2|enriched"));
        assertThat(everyRow()).isEqualTo(before);
    }

    @Test
    void aPublishedVersionStaysAndTheAttemptToChangeItIsReported() throws Exception {
        long refusedRecords = servers.written("tidemark-sink-dead-letters");
        servers.write("sales-totals", total("C44", 1, "1.00"));
        servers.write("sales-totals", total("C44", 3, "9.00"));
        servers.write("sales-totals", total("C44", 2, "5.00"));
        servers.write("sales-totals", total("C44", 3, "9.00"));
        servers.write("sales-totals", total("C44", 3, "8.00"));
        awaitSinks();
        servers.connect.resetOffsets("totals");
        awaitSinks();
        servers.write("sales-totals", total("C44", 3, "7.00").replace("\"version\":3", "\"version\":null"));

        await().atMost(PATIENCE).until(() -> servers.written("tidemark-sink-dead-letters") == refusedRecords + 1);
        assertThat(servers.rows("select version, total from totals_current where key = 'C44'"))
                .containsExactly("3|9.00");
        assertThat(servers.rows("select version, total from totals where key = 'C44' order by version"))
                .containsExactly("1|1.00", "2|5.00", "3|9.00");
        assertThat(servers.rows("select old_row->>'total', new_row->>'total' from refused_changes"
                        + " where key->>'key' = 'C44'"))
                .containsExactly("9.00|8.00");
    }

    @Test
    void afterALongOutageOfTheDatabaseNothingIsMissing() {
        servers.write("sales-totals", total("before the outage", 1, "1.00"));
        awaitSinks();

        servers.database.stop();
        servers.write("sales-totals", total("in the outage", 1, "2.00"));
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> servers.connect.state("totals").equals("FAILED"));
        servers.write("sales-exceptions", exception("in the outage"));
        servers.database.restart();

        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(servers.rows("select key, total from totals where key like '%the outage' order by total"))
                    .containsExactly("before the outage|1.00", "in the outage|2.00");
            assertThat(servers.rows("select event_id from exceptions where event_id like '%the outage'"))
                    .containsExactly("in the outage");
            assertThat(servers.connect.state("totals")).isEqualTo("RUNNING");
        });
    }

    @Test
    void aSessionEndedByTheServerDoesNotStopTheSink() {
        servers.write("sales-totals", total("before the end", 1, "1.00"));
        awaitSinks();

        servers.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                + " where usename = 'tidemark' and pid <> pg_backend_pid()");
        servers.write("sales-totals", total("after the end", 1, "2.00"));

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(
                        servers.rows("select key from totals where key like '%the end' order by total"))
                .containsExactly("before the end", "after the end"));
    }

    @Test
    void aConnectorWithOtherSettingsGoesOnWhereItWas() {
        servers.write("sales-totals", total("old settings", 1, "1.00"));
        awaitSinks();
        servers.execute("delete from totals where key = 'old settings'");
        SinkConnector totals = SinkConnector.shipped().get(0).writingTo(servers.database);

        servers.connect.install(totals.with("flush.retry.delay.ms", "900"));
        servers.write("sales-totals", total("new settings", 1, "1.00"));

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(servers.rows("select key from totals where key like '% settings'"))
                        .containsExactly("new settings"));
        assertThat(servers.connect.state("totals")).isEqualTo("RUNNING");
    }

    private static void awaitSinks() {
        await().atMost(PATIENCE).until(() -> SinkConnector.shipped().stream()
                .map(SinkConnector::name)
                .filter(name -> written(name) > 0)
                .allMatch(servers::caughtUp));
    }

    private static long written(String connector) {
        try {
            return servers.written("sales-" + connector);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** With xmin and ctid, which tell a row that was rewritten with the same content. */
    private static List<String> everyRow() {
        return List.of("totals", "pairs", "enriched", "exceptions", "ledger", "lateness", "refused_changes").stream()
                .flatMap(table -> servers.rows("select *, xmin, ctid from " + table + " order by ctid").stream())
                .toList();
    }
}
