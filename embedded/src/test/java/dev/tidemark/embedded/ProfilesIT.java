package dev.tidemark.embedded;

import static dev.tidemark.embedded.ResultRows.profile;
import static dev.tidemark.embedded.ResultRows.profileKey;
import static dev.tidemark.embedded.ResultRows.session;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
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
        servers.write("sales-profiles", profileKey("deleted"), null);
        servers.write("sales-profiles", profileKey("never there"), null);
        awaitRows("select key from profiles where key in ('deleted', 'stays') order by key", List.of("stays"));

        write("deleted", 5, "5.00", "null");
        write("deleted again", 1, "1.00", "null");
        servers.write("sales-profiles", profileKey("deleted again"), null);
        awaitRows("select key, amount from profiles where key like 'deleted%'", List.of("deleted|5.00"));
    }

    @Test
    void aReplayChangesNothingInTheEnd() {
        write("replayed", 1, "1.00", "null");
        write("replayed", 3, "3.00", "null");
        write("replayed and deleted", 1, "1.00", "null");
        servers.write("sales-profiles", profileKey("replayed and deleted"), null);
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
        servers.write("sales-profiles", null, profile("no key", 1, "1.00", "null"));
        write("after it", 1, "1.00", "null");

        awaitRows("select key from profiles where key = 'after it'", List.of("after it"));
        assertThat(servers.rows("select key from profiles where key = 'no key'"))
                .isEmpty();
        assertThat(servers.written("tidemark-sink-dead-letters")).isGreaterThan(refused);
    }

    @Test
    void aRecordKeyWithoutOneOfItsPartsIsSetAsideToo() throws Exception {
        long refused = servers.written("tidemark-sink-dead-letters");
        for (String key : List.of("{\"pipeline\":\"sales\",\"key\":null}", "{\"pipeline\":\"sales\"}", "{}", "null")) {
            servers.write("sales-profiles", key, profile("half a key", 1, "1.00", "null"));
            servers.write("sales-profiles", key, null);
        }
        write("after half a key", 1, "1.00", "null");

        awaitRows("select key from profiles where key like '%half a key'", List.of("after half a key"));
        assertThat(servers.rows("select * from profiles where key is null or key = ''"))
                .isEmpty();
        assertThat(servers.written("tidemark-sink-dead-letters")).isGreaterThanOrEqualTo(refused + 8);
    }

    /** The rows of a thousand customers, each changed once, every second one deleted. */
    @Test
    void aDatabaseThatIsStartedAgainInTheMiddleOfABatchHasTheLastOfEachKey() {
        List<ProducerRecord<String, String>> records = new ArrayList<>();
        for (int revision = 1; revision <= 2; revision++) {
            for (int i = 0; i < 1_000; i++) {
                String key = "batch " + i;
                String row = revision == 2 && i % 2 == 1 ? null : profile(key, revision, revision + ".00", "null");
                records.add(new ProducerRecord<>("sales-profiles", profileKey(key), row));
            }
        }
        servers.write(records);
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> !servers.rows(
                        "select 1 from profiles where key like 'batch%'")
                .isEmpty());
        servers.database.stop();
        assertThat(servers.caughtUp("profiles")).as("stopped in the middle").isFalse();
        servers.database.restart();

        awaitRows(
                "select count(*), sum(revision), sum(amount), count(*) filter (where substr(key, 7)::int % 2 = 1)"
                        + " from profiles where key like 'batch%'",
                List.of("500|1000|1000.00|0"));
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
        servers.write("sales-profiles", profileKey(key), profile(key, revision, amount, profile));
    }
}
