package dev.tidemark.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the table of enriched events keeps, and what its view shows of it. */
class EnrichedIT {

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
        sql.execute("truncate enriched, refused_changes");
    }

    @Test
    void theHighestVersionIsCurrentWhicheverWasWrittenFirst() {
        row("A1", 1, "missing", null, "late");
        row("A1", 2, "enriched", "{\"plan\":\"gold\"}", "late");
        row("A2", 2, "enriched", "{\"plan\":\"plus\"}", "late");
        row("A2", 1, "missing", null, "late");
        row("A3", 1, "missing", null, "nothing");

        assertThat(sql.rows("select event_id, version, status, profile ->> 'plan' from enriched_current"
                        + " order by event_id"))
                .containsExactly("A1|2|enriched|gold", "A2|2|enriched|plus", "A3|1|missing|null");
        assertThat(sql.rows("select * from enriched")).hasSize(5);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "null",
            value = {
                "1, enriched, null, null",
                "2, enriched, {}, null",
                "3, enriched, {}, late",
                "0, enriched, {}, null",
                "1, missing, {}, none",
                "1, missing, null, null",
                "2, missing, null, none",
                "1, unknown, {}, none",
            })
    void theStatusFitsTheProfile(int version, String status, String profile, String reason) {
        assertThatThrownBy(() -> row("A1", version, status, profile, reason))
                .rootCause()
                .hasMessageContaining("enriched_status_fits_profile");
    }

    @Test
    void aPublishedRowStaysAndTheAttemptToChangeItIsRecordedOnce() {
        row("A1", 1, "enriched", "{\"n\":12.30}", null);
        String before = sql.value("select *, xmin, ctid from enriched");

        row("A1", 1, "enriched", "{\"n\":12.30}", null);
        row("A1", 1, "enriched", "{\"n\":12.3}", null);
        row("A1", 1, "enriched", "{\"n\":12.3}", null);

        assertThat(sql.value("select *, xmin, ctid from enriched")).isEqualTo(before);
        assertThat(sql.rows("select key, old_row->'profile', new_row->'profile' from refused_changes"))
                .containsExactly("{\"key\": \"C1\", \"version\": 1, \"event_id\": \"A1\", \"pipeline\": \"did\"}"
                        + "|{\"n\": 12.30}|{\"n\": 12.3}");
    }

    @Test
    void whatJsonbRefusesIsKeptAndShownAsItsText() {
        row("A1", 1, "enriched", "{\"a\":\"\\u0000\"}", null);

        assertThat(sql.rows("select profile from enriched")).containsExactly("{\"a\":\"\\u0000\"}");
        assertThat(sql.rows("select profile #>> '{}' from enriched_current")).containsExactly("{\"a\":\"\\u0000\"}");
    }

    @Test
    void theLongestKeyAndIdFitTheIndexes() {
        Random random = new Random(1);

        assertThatCode(() -> sql.execute("insert into enriched (pipeline, key, event_id, version, status, reason,"
                        + " event_time, event, source_topic, source_partition, source_offset, table_topic, settings)"
                        + " values ('" + text(random, 100) + "', '" + text(random, 1024) + "', '"
                        + text(random, 768) + "', 1, 'missing', 'r', '2026-07-01', '{}', 's', 0, 0, 't', '7f')"))
                .doesNotThrowAnyException();
    }

    @Test
    void rowsAreFoundByIndexes() {
        sql.execute(
                "insert into enriched (pipeline, key, event_id, version, status, reason, event_time, event, profile,"
                        + " source_topic, source_partition, source_offset, table_topic, settings)"
                        + " select 'did', i % 5000, 'A' || i, 1, case when i % 500 = 0 then 'missing' else 'enriched' end,"
                        + " 'r', timestamptz '2026-07-01' + i * interval '1 s', '{}',"
                        + " case when i % 500 = 0 then null else '{}'::json end, 's', 0, i, 't', '7f'"
                        + " from generate_series(1, 30000) as i",
                "analyze enriched");

        assertThat(Stream.of(
                        "key = '77'",
                        "event_id = 'A77'",
                        "event_time between '2026-07-01T01:00Z' and '2026-07-01T01:10Z'"))
                .allSatisfy(condition -> assertThat(sql.rows(
                                "explain select * from enriched_current where pipeline = 'did' and " + condition))
                        .anyMatch(line -> line.contains("Index Cond"))
                        .noneMatch(line -> line.contains("Seq Scan on enriched  ")));
    }

    /** Characters that do not compress, each a byte. */
    private static String text(Random random, int length) {
        return random.ints(length, 'A', 'z' + 1)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static void row(String id, int version, String status, String profile, String reason) {
        sql.execute("insert into enriched (pipeline, key, event_id, version, status, reason, event_time, event,"
                + " profile, source_topic, source_partition, source_offset, table_topic, settings) values ('did', 'C1',"
                + " '" + id + "', " + version + ", '" + status + "', " + quoted(reason)
                + ", '2026-07-01T10:00Z', '{}', " + quoted(profile)
                + ", 'activities', 0, 1, 'customers', '7f') on conflict (pipeline, key, event_id, version)"
                + " do update set profile = excluded.profile");
    }

    private static String quoted(String text) {
        return text == null ? "null" : '\'' + text + '\'';
    }
}
