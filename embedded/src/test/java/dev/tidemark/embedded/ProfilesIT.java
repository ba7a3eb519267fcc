package dev.tidemark.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that are updated in place and deleted, and sessions that replace one another, on their way into their tables. */
class ProfilesIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    private static Path directory;

    private static Servers servers;

    @BeforeAll
    static void start() throws Exception {
        servers = Servers.start(directory);
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @Test
    void aRowArrivesExactlyAndIsUpdatedInPlace() {
        write("exact é/%", 1, "1.00", "null");
        write("exact é/%", 2, "12345678901234567890123456789.10", "\"{\\\"name\\\":\\\"Ann \\\\\\\"A\\\\\\\"\\\"}\"");

        awaitRows(
                """
                select revision, count, amount, average, extract(epoch from first_time), visits_today, spend_this_week,
                       session_count, session_amount, profile ->> 'name', profile_offset, minimum,
                       recorded_at > now() - interval '1 hour'
                from profiles where key like 'exact%'""",
                List.of(
                        "2|3|12345678901234567890123456789.10|4.170000|1782900000.000000|1|0.50|1|0.01|Ann \"A\"|7|null|t"));
    }

    @Test
    void aRecordWithoutValueDeletesTheRowAndOneThatFollowsBringsItBack() {
        write("deleted", 1, "1.00", "null");
        write("stays", 1, "1.00", "null");
        awaitRows(
                "select key from profiles where key in ('deleted', 'stays') order by key", List.of("deleted", "stays"));
        servers.write("sales-profiles", key("deleted"), null);
        servers.write("sales-profiles", key("never there"), null);
        awaitRows("select key from profiles where key in ('deleted', 'stays') order by key", List.of("stays"));

        write("deleted", 5, "5.00", "null");
        write("deleted again", 1, "1.00", "null");
        servers.write("sales-profiles", key("deleted again"), null);
        awaitRows("select key, amount from profiles where key like 'deleted%'", List.of("deleted|5.00"));
    }

    @Test
    void aReplayChangesNothingInTheEnd() {
        write("replayed", 1, "1.00", "null");
        write("replayed", 3, "3.00", "null");
        write("replayed and deleted", 1, "1.00", "null");
        servers.write("sales-profiles", key("replayed and deleted"), null);
        servers.write("sales-sessions", session("replayed", "10:00", 1, "final", 1, "1.00", "null"));
        servers.write("sales-sessions", session("replayed", "10:00", 2, "corrected", 2, "2.00", "null"));
        awaitRows("select amount from sessions_current where key = 'replayed'", List.of("2.00"));
        awaitRows("select revision from profiles where key like 'replayed%'", List.of("3"));
        List<String> before = servers.rows("select *, xmin, ctid from profiles where key = 'replayed'");
        List<String> sessions =
                servers.rows("select *, xmin, ctid from sessions where key = 'replayed' order by version");

        servers.connect.resetOffsets("profiles");
        servers.connect.resetOffsets("sessions");
        await().atMost(PATIENCE).until(() -> servers.caughtUp("profiles") && servers.caughtUp("sessions"));

        assertThat(servers.rows("select *, xmin, ctid from profiles where key = 'replayed'"))
                .isEqualTo(before);
        assertThat(servers.rows("select * from profiles where key = 'replayed and deleted'"))
                .isEmpty();
        assertThat(servers.rows("select *, xmin, ctid from sessions where key = 'replayed' order by version"))
                .isEqualTo(sessions);
    }

    @Test
    void anOlderRevisionIsIgnoredAndAnotherRowOfTheSameRevisionIsReported() {
        write("C44", 1, "1.00", "null");
        write("C44", 3, "9.00", "null");
        write("C44", 2, "5.00", "null");
        write("C44", 3, "9.00", "null");
        write("C44", 3, "8.00", "null");

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(servers.rows("select old_row->>'amount', new_row->>'amount'"
                                + " from refused_changes where key->>'key' = 'C44'"))
                        .containsExactly("9.00|8.00"));
        assertThat(servers.rows("select revision, amount from profiles where key = 'C44'"))
                .containsExactly("3|9.00");
    }

    @Test
    void aRecordWithoutKeyIsSetAsideAndNeverARowWithoutOne() throws Exception {
        long refused = servers.written("tidemark-sink-dead-letters");
        servers.write("sales-profiles", null, row("no key", 1, "1.00", "null"));
        write("after it", 1, "1.00", "null");

        awaitRows("select key from profiles where key = 'after it'", List.of("after it"));
        assertThat(servers.rows("select key from profiles where key = 'no key'"))
                .isEmpty();
        assertThat(servers.written("tidemark-sink-dead-letters")).isGreaterThan(refused);
    }

    @Test
    void aReplacedSessionIsNotCurrentWhicheverRowWasWrittenFirst() {
        servers.write(
                "sales-sessions", session("joined", "10:40", 2, "replaced", 0, "0.00", "\"2026-07-01T10:00:00.000Z\""));
        servers.write("sales-sessions", session("joined", "10:00", 1, "final", 1, "5.00", "null"));
        servers.write("sales-sessions", session("joined", "10:40", 1, "final", 1, "7.00", "null"));
        servers.write("sales-sessions", session("joined", "10:00", 2, "corrected", 3, "13.00", "null"));

        awaitRows(
                "select extract(epoch from session_start)::bigint, version from sessions where key = 'joined' and version = 1"
                        + " order by session_start",
                List.of("1782900000|1", "1782902400|1"));
        awaitRows("select sum(amount), count(*) from sessions_current where key = 'joined'", List.of("13.00|1"));
    }

    @Test
    void theStatusOfASessionFitsItsVersion() {
        for (String row : List.of(
                "2, 'final', 1, null",
                "1, 'corrected', 1, null",
                "2, 'replaced', 0, null",
                "2, 'corrected', 0, null")) {
            assertThatThrownBy(() -> servers.execute(
                            "insert into sessions (pipeline, key, session_start, session_end, amount, first_event_id,"
                                    + " last_event_id, replaces, settings, version, status, count, replaced_by) values"
                                    + " ('p', 'k', '2026-07-01', '2026-07-01', 0, 'a', 'a', '[]', '7f', " + row + ")"))
                    .rootCause()
                    .hasMessageContaining("sessions_status_fits_version");
        }
        assertThatThrownBy(() -> servers.execute("insert into profiles (pipeline, key, revision, count, amount,"
                        + " visits_today, spend_this_week, zone, settings)"
                        + " values ('p', 'k', 1, -1, 0, 0, 0, 'UTC', '7f')"))
                .rootCause()
                .hasMessageContaining("profiles_counts_are_not_negative");
    }

    private static void awaitRows(String query, List<String> rows) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(servers.rows(query)).isEqualTo(rows));
    }

    private static void write(String key, int revision, String amount, String profile) {
        servers.write("sales-profiles", key(key), row(key, revision, amount, profile));
    }

    private static String key(String key) {
        return "{\"pipeline\":\"sales\",\"key\":\"%s\"}".formatted(key);
    }

    private static String row(String key, int revision, String amount, String profile) {
        return """
                {"pipeline":"sales","key":"%s","revision":%d,"count":3,"amount":%s,"minimum":null,"maximum":12.50,\
                "average":4.170000,"first_time":"2026-07-01T10:00:00.000Z","first_event_id":"a1",\
                "last_time":"2026-07-01T11:00:00.000Z","last_event_id":"a3","longest_gap_millis":3000000,\
                "longest_gap_start":"2026-07-01T10:10:00.000Z","longest_gap_end":"2026-07-01T11:00:00.000Z",\
                "day_start":"2026-06-30T22:00:00.000Z","visits_today":1,"week_start":"2026-06-28T22:00:00.000Z",\
                "spend_this_week":0.50,"stream_time":"2026-07-01T11:00:00.000Z",\
                "session_start":"2026-07-01T11:00:00.000Z","session_end":"2026-07-01T11:00:00.000Z",\
                "session_until":"2026-07-01T11:30:00.000Z","session_count":1,"session_amount":0.01,"profile":%s,\
                "profile_time":"2026-07-01T09:00:00.000Z","profile_partition":0,"profile_offset":7,\
                "zone":"Europe/Berlin","settings":"7f3a9c21"}""".formatted(key, revision, amount, profile);
    }

    private static String session(
            String key, String start, int version, String status, int count, String amount, String replacedBy) {
        return """
                {"pipeline":"sales","key":"%s","session_start":"2026-07-01T%s:00.000Z","version":%d,\
                "session_end":"2026-07-01T10:45:00.000Z","status":"%s","count":%d,"amount":%s,"first_event_id":"a1",\
                "last_event_id":"a2","replaced_by":%s,"replaces":"[]","previous_amount":null,"delta":null,\
                "reason":null,"cause_event_id":null,"cause_event_ids":null,\
                "stream_time":"2026-07-01T12:00:00.000Z","closed_by":"watermark","settings":"7f3a9c21"}""".formatted(key, start, version, status, count, amount, replacedBy);
    }
}
