package dev.tidemark.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the table of pairs keeps, and what its view shows of it. */
class PairsIT {

    private static final String CURRENT =
            "select key, left_id, right_id, version from pairs_current order by key, left_id, right_id";

    @TempDir
    private static Path directory;

    private static EmbeddedDatabase database;
    private static Sql sql;

    @BeforeAll
    static void start() {
        database = EmbeddedDatabase.start(directory, 0);
        database.migrate();
        sql = new Sql(database.dataSource());
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void empty() {
        sql.execute("truncate pairs, refused_changes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LRM", "LMR", "RLM", "RML", "MLR", "MRL"})
    void aMatchWinsOverTheUnmatchedRowsOfItsEventsWhicheverWasWrittenFirst(String order) {
        order.chars().forEach(row -> {
            switch (row) {
                case 'L' -> row("k", "o1", "", 1);
                case 'R' -> row("k", "", "p1", 1);
                default -> row("k", "o1", "p1", 2);
            }
        });

        assertThat(sql.rows(CURRENT)).containsExactly("k|o1|p1|2");
        assertThat(sql.rows("select * from pairs")).hasSize(3);
    }

    @Test
    void theSameIdsUnderAnotherKeyOrInAnotherPipelineAreOtherEvents() {
        row("k1", "o1", "", 1);
        row("k1", "", "p1", 1);
        row("k2", "o1", "p1", 1);
        sql.execute("insert into pairs (pipeline, key, left_id, right_id, version, status, settings)"
                + " values ('other', 'k1', 'o1', 'p1', 1, 'matched', '7f')");

        assertThat(sql.rows("select pipeline, key, status from pairs_current order by pipeline, key, status"))
                .containsExactly(
                        "orders|k1|left-unmatched",
                        "orders|k1|right-unmatched",
                        "orders|k2|matched",
                        "other|k1|matched");
    }

    @Test
    void aMatchOfOneSideLeavesTheOtherUnmatchedEventsOfTheKey() {
        row("k", "o1", "", 1);
        row("k", "o2", "", 1);
        row("k", "", "p1", 1);
        row("k", "", "p2", 1);
        row("k", "o1", "p1", 1);

        assertThat(sql.rows(CURRENT)).containsExactly("k||p2|1", "k|o1|p1|1", "k|o2||1");
    }

    @Test
    void threePaymentsOfAnOrderAreThreePairs() {
        row("k", "o1", "", 1);
        row("k", "o1", "p1", 2);
        row("k", "o1", "p2", 2);
        row("k", "o1", "p3", 2);

        assertThat(sql.rows(CURRENT)).containsExactly("k|o1|p1|2", "k|o1|p2|2", "k|o1|p3|2");
    }

    @ParameterizedTest
    @CsvSource({
        "matched, o1, '', 1",
        "matched, '', p1, 1",
        "matched, o1, p1, 0",
        "left-unmatched, o1, p1, 1",
        "left-unmatched, '', '', 1",
        "left-unmatched, o1, '', 2",
        "right-unmatched, o1, '', 1",
        "unmatched, o1, '', 1",
    })
    void theStatusFitsTheEvents(String status, String leftId, String rightId, int version) {
        assertThatThrownBy(() -> row("k", leftId, rightId, version, status, "null"))
                .rootCause()
                .hasMessageContaining("pairs_status_fits_events");
    }

    @Test
    void aPublishedRowStaysAndTheAttemptToChangeItIsRecordedOnce() {
        event("{\"amount\":12.30}");
        String before = sql.value("select *, xmin, ctid from pairs");

        event("{\"amount\":12.30}");
        event("{\"amount\":12.3}");
        event("{\"amount\":12.3}");

        assertThat(sql.value("select *, xmin, ctid from pairs")).isEqualTo(before);
        assertThat(sql.rows("select key, old_row->'left_event', new_row->'left_event' from refused_changes"))
                .containsExactly("{\"key\": \"k\", \"left_id\": \"o1\", \"pipeline\": \"orders\", \"right_id\": \"\"}"
                        + "|{\"amount\": 12.30}|{\"amount\": 12.3}");
    }

    @Test
    void whatJsonbRefusesIsKeptAndShownAsItsText() {
        List<String> odd = List.of("{\"a\":\"\\u0000\"}", "{\"a\":\"\\ud800\"}", "{\"a\":1e999999,\"a\":1}");
        for (int i = 0; i < odd.size(); i++) {
            row("odd", "o" + i, "", 1, "left-unmatched", '\'' + odd.get(i) + '\'');
        }
        row("odd", "o3", "", 1, "left-unmatched", "'{\"a\" : \"\\u00e9 \uD83D\uDE00\"}'");

        assertThat(sql.rows("select left_event from pairs order by left_id"))
                .containsExactly(odd.get(0), odd.get(1), odd.get(2), "{\"a\" : \"\\u00e9 \uD83D\uDE00\"}");
        assertThat(sql.rows("select coalesce(left_event ->> 'a', left_event #>> '{}') from pairs_current"
                        + " order by left_id"))
                .containsExactly(odd.get(0), odd.get(1), odd.get(2), "é \uD83D\uDE00");
    }

    @Test
    void alsoAnOddRowStaysAndTheAttemptToChangeItIsRecorded() {
        event("{\"a\":\"\\u0000\"}");
        event("{\"a\":\"\\u0000\"}");
        event("{\"a\":\"\\ud800\"}");

        assertThat(sql.rows("select left_event from pairs")).containsExactly("{\"a\":\"\\u0000\"}");
        assertThat(sql.rows("select old_row->>'left_event', new_row->>'left_event' from refused_changes"))
                .containsExactly("{\"a\":\"\\u0000\"}|{\"a\":\"\\ud800\"}");
    }

    @Test
    void theLongestKeyAndIdsFitTheIndexes() {
        Random random = new Random(1);

        assertThatCode(() -> sql.execute(
                        "insert into pairs (pipeline, key, left_id, right_id, version, status, settings) values ('"
                                + text(random, 100) + "', '" + text(random, 1024) + "', '" + text(random, 768) + "', '"
                                + text(random, 768) + "', 1, 'matched', '7f')"))
                .doesNotThrowAnyException();
    }

    /** Of so few rows, those that match may still be taken from a hash table of all. */
    @Test
    void rowsAreFoundByIndexes() {
        sql.execute(
                "insert into pairs (pipeline, key, left_id, right_id, version, status, left_time, settings)"
                        + " select 'orders', i % 10000, 'o' || i, case when i % 10 = 0 then '' else 'p' || i end, 1,"
                        + " case when i % 10 = 0 then 'left-unmatched' else 'matched' end,"
                        + " timestamptz '2026-07-01' + i * interval '1 s', '7f' from generate_series(1, 30000) as i",
                "analyze pairs");

        assertThat(Stream.of(
                        "key = '77'",
                        "left_id = 'o77'",
                        "right_id = 'p77'",
                        "event_time between '2026-07-01T01:00Z' and '2026-07-01T01:10Z'",
                        "status = 'left-unmatched' order by event_time desc limit 10"))
                .allSatisfy(condition -> assertThat(sql.rows(
                                "explain select * from pairs_current where pipeline = 'orders' and " + condition))
                        .anyMatch(line -> line.contains("Index Cond"))
                        .noneMatch(line -> line.contains("Seq Scan on pairs  ") || line.contains("Sort")));
    }

    /** Characters that do not compress, each a byte. */
    private static String text(Random random, int length) {
        return random.ints(length, 'A', 'z' + 1)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static void event(String json) {
        row("k", "o1", "", 1, "left-unmatched", '\'' + json + '\'');
    }

    private static void row(String key, String leftId, String rightId, int version) {
        String status = leftId.isEmpty() ? "right-unmatched" : rightId.isEmpty() ? "left-unmatched" : "matched";
        row(key, leftId, rightId, version, status, "null");
    }

    private static void row(String key, String leftId, String rightId, int version, String status, String leftEvent) {
        sql.execute("insert into pairs (pipeline, key, left_id, right_id, version, status, left_time, left_event,"
                + " settings) values ('orders', '" + key + "', '" + leftId + "', '" + rightId + "', " + version + ", '"
                + status + "', '2026-07-01T10:00Z', " + leftEvent + ", '7f') on conflict (pipeline, key, left_id,"
                + " right_id) do update set left_event = excluded.left_event");
    }
}
