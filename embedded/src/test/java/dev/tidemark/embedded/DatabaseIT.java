package dev.tidemark.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the tables, triggers and views of {@code deploy/sql} promise, without Kafka. */
class DatabaseIT {

    private static final String AMOUNTS = "received_amount, counted_amount, partly_late_amount, late_amount,"
            + " too_late_amount, duplicate_amount, conflicting_amount, future_amount, held_amount";

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
        sql.execute("truncate totals, exceptions, ledger, refused_changes");
    }

    @Test
    void aFinalStaysAndTheAttemptToChangeItIsRecordedOnce() {
        total(1, "350.00", 3);
        String before = sql.value("select *, xmin, ctid from totals");

        total(1, "350.00", 3);
        total(1, "430.00", 4);
        total(1, "430.00", 4);

        assertThat(sql.value("select *, xmin, ctid from totals")).isEqualTo(before);
        assertThat(sql.rows("select table_name, key, old_row->>'total', new_row->>'total' from refused_changes"))
                .containsExactly("totals|{\"key\": \"S001\", \"version\": 1, \"pipeline\": \"sales\","
                        + " \"window_start\": \"2026-07-01T10:00:00+00:00\"}|350.00|430.00");
    }

    @Test
    void equalNumbersWithOtherDigitsAreAnotherContent() {
        total(1, "350.00", 3);

        total(1, "350.0", 3);

        assertThat(sql.rows("select total from totals")).containsExactly("350.00");
        assertThat(sql.rows("select new_row->>'total' from refused_changes")).containsExactly("350.0");
    }

    @Test
    void aProvisionalTotalGrowsAndAnOlderOneIsIgnored() {
        total(0, "1.00", 1);
        String first = sql.value("select recorded_at from totals");
        total(0, "3.00", 2);
        String second = sql.value("select *, xmin, ctid from totals");

        total(0, "1.00", 1);
        total(0, "3.00", 2);

        assertThat(sql.value("select *, xmin, ctid from totals")).isEqualTo(second);
        assertThat(sql.value("select total, recorded_at > '" + first + "' from totals"))
                .isEqualTo("3.00|t");
        assertThat(sql.rows("select * from refused_changes")).isEmpty();
    }

    @Test
    void aFinalDoesNotBecomeAnotherVersionNorAnotherWindow() {
        total(1, "350.00", 3);

        sql.execute("update totals set version = 2, status = 'corrected'", "update totals set key = 'S002'");

        assertThat(sql.rows("select key, version from totals")).containsExactly("S001|1");
        assertThat(sql.rows("select new_row->>'version', new_row->>'key' from refused_changes order by 1"))
                .containsExactly("1|S002", "2|S001");
    }

    @Test
    void recordedAtCannotBeSetBack() {
        total(1, "350.00", 3);
        String before = sql.value("select recorded_at from totals");

        sql.execute("update totals set recorded_at = '2000-01-01'");

        assertThat(sql.value("select recorded_at from totals")).isEqualTo(before);
    }

    @Test
    void theStatusFitsTheVersion() {
        assertThatThrownBy(() -> sql.execute("insert into totals (pipeline, key, window_start, window_end, version,"
                        + " status, total, count, settings) values ('sales', 'S001', '2026-07-01', '2026-07-02', 2,"
                        + " 'final', 1, 1, '7f')"))
                .rootCause()
                .hasMessageContaining("totals_status_fits_version");
    }

    @Test
    void anExceptionStaysAndTheAttemptToChangeItIsRecorded() {
        exception("late");
        String before = sql.value("select *, xmin, ctid from exceptions");

        exception("late");
        exception("too-late");

        assertThat(sql.value("select *, xmin, ctid from exceptions")).isEqualTo(before);
        assertThat(sql.rows("select table_name, key->>'source_offset', new_row->>'disposition' from refused_changes"))
                .containsExactly("exceptions|7|too-late");
    }

    @Test
    void theLedgerOnlyMovesForward() {
        ledger(10, 6, 4);
        ledger(10, 8, 2);
        String newest = sql.value("select *, xmin, ctid from ledger");

        ledger(10, 6, 4);
        ledger(9, 7, 2);
        ledger(10, 8, 2);

        assertThat(sql.value("select *, xmin, ctid from ledger")).isEqualTo(newest);
        assertThat(sql.value("select received, counted, held from ledger")).isEqualTo("10|8|2");
        assertThat(sql.rows("select * from refused_changes")).isEmpty();
    }

    @Test
    void theBalanceShowsWhatIsNotAccountedFor() {
        ledger(10, 6, 3);
        sql.execute("update ledger set counted = 7, duplicate = 1, future = 1, future_amount = 5.50,"
                + " duplicate_amount = 2.00, received_amount = 100.00");

        assertThat(sql.rows("select received, accounted, difference, received_amount, accounted_amount,"
                        + " difference_amount from ledger_balance"))
                .containsExactly("10|13|-3|100.00|97.50|2.50");
    }

    @Test
    void totalsAsOfAMomentAreTheVersionsRecordedUntilThen() {
        total(1, "350.00", 3);
        String first = sql.value("select recorded_at from totals");
        total(2, "430.00", 4);

        assertThat(sql.rows("select version, total from totals_as_of('" + first + "')"))
                .containsExactly("1|350.00");
        assertThat(sql.rows("select version, total from totals_as_of(now())")).containsExactly("2|430.00");
        assertThat(sql.rows("select version, total from totals_current")).containsExactly("2|430.00");
        assertThat(sql.rows("select version from totals_as_of('2000-01-01')")).isEmpty();
    }

    @Test
    void whatWasBelievedHasAllColumnsOfTheTable() {
        total(1, "350.00", 3);
        sql.execute("insert into totals (pipeline, key, window_start, window_end, version, status, total, count,"
                + " cause_count, cause_event_ids, zone, settings) values ('sales', 'S001', '2026-07-01T10:00Z',"
                + " '2026-07-01T10:10Z', 2, 'corrected', 430.00, 5, 2, '[\"e6\", \"e7\"]', 'UTC', '7f')");

        String row = sql.value("select * from totals where version = 2");
        assertThat(row).contains("|2|[\"e6\", \"e7\"]|UTC");
        assertThat(sql.rows("select * from totals_current")).containsExactly(row);
        assertThat(sql.rows("select * from totals_as_of(now())")).containsExactly(row);
    }

    @Test
    void everyConnectorFitsItsTable() throws Exception {
        for (SinkConnector connector : SinkConnector.shipped()) {
            String table = connector.config().get("collection.name.format");
            JsonNode schema = new ObjectMapper().readTree(connector.config().get("value.converter.schema.content"));
            List<String> fields = new ArrayList<>();
            for (JsonNode field : schema.get("fields")) {
                String name = field.get("field").asText();
                boolean becomesDate = name.equals(connector.config().get("transforms.day.field"));
                fields.add(name + "|" + (becomesDate ? "date" : columnType(field)) + "|"
                        + (field.path("optional").asBoolean() ? "YES" : "NO"));
            }

            assertThat(fields)
                    .as("fields of connector %s", connector.name())
                    .containsExactlyInAnyOrderElementsOf(sql.rows(
                            "select column_name, replace(data_type, 'jsonb', 'json'), is_nullable from information_schema.columns"
                                    + " where table_name = '" + table + "' and column_name <> 'recorded_at'"
                                    + " and is_generated = 'NEVER'"));
            assertThat(connector.config().get("primary.key.fields"))
                    .as("key of connector %s", connector.name())
                    .isEqualTo(sql.value("select string_agg(attname, ',' order by array_position(conkey, attnum))"
                            + " from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any(conkey)"
                            + " where contype = 'p' and conrelid = '" + table + "'::regclass"));
        }
    }

    @Test
    void everyTableAndColumnIsExplained() {
        assertThat(sql.rows("select attrelid::regclass, attname from pg_attribute join pg_class c on c.oid = attrelid"
                        + " where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0"
                        + " and relname <> 'flyway_schema_history'"
                        + " and (col_description(attrelid, attnum) is null or obj_description(c.oid) is null)"))
                .isEmpty();
    }

    @Test
    void theQueriesOfTheReadmesCanBeAsked() throws IOException {
        Path root = Path.of("..");
        String pages = Files.readString(root.resolve("README.md"));
        try (Stream<Path> apps = Files.list(root.resolve("apps"))) {
            for (Path page : apps.map(app -> app.resolve("README.md"))
                    .filter(Files::exists)
                    .toList()) {
                pages += Files.readString(page);
            }
        }
        Matcher block = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL).matcher(pages);
        List<String> queries = new ArrayList<>();
        while (block.find()) {
            Stream.of(block.group(1).replaceAll("--.*", "").split(";"))
                    .filter(query -> !query.isBlank())
                    .forEach(queries::add);
        }

        assertThat(queries)
                .anyMatch(query -> query.contains("totals_as_of"))
                .anyMatch(query -> query.contains("pairs_current"))
                .anyMatch(query -> query.contains("recommended_grace"))
                .anyMatch(query -> query.contains("enriched_current"))
                .anyMatch(query -> query.contains("sessions_current"))
                .allSatisfy(sql::rows);
    }

    private static String columnType(JsonNode field) {
        return switch (field.path("name").asText()) {
            case "org.apache.kafka.connect.data.Decimal" -> "numeric";
            case "io.debezium.time.ZonedTimestamp" -> "timestamp with time zone";
            case "io.debezium.data.Json" -> "json";
            default ->
                switch (field.get("type").asText()) {
                    case "string" -> "text";
                    case "int32" -> "integer";
                    case "int64" -> "bigint";
                    default -> "unknown type of " + field;
                };
        };
    }

    private static void total(int version, String total, int count) {
        String status = List.of("provisional", "final", "corrected").get(version);
        sql.execute("insert into totals (pipeline, key, window_start, window_end, version, status, total, count,"
                + " settings) values ('sales', 'S001', '2026-07-01T10:00Z', '2026-07-01T10:10Z', " + version + ", '"
                + status + "', " + total + ", " + count + ", '7f') on conflict (pipeline, key, window_start, version)"
                + " do update set total = excluded.total, count = excluded.count");
    }

    private static void exception(String disposition) {
        sql.execute("insert into exceptions (pipeline, source_topic, source_partition, source_offset, disposition,"
                + " reason) values ('sales', 'sales', 0, 7, '" + disposition + "', 'because') on conflict (pipeline,"
                + " source_topic, source_partition, source_offset) do update set disposition = excluded.disposition");
    }

    private static void ledger(int received, int counted, int held) {
        sql.execute("insert into ledger (pipeline, source_topic, source_partition, received, counted, partly_late,"
                + " late, too_late, duplicate, conflicting, future, malformed, out_of_range, held, " + AMOUNTS
                + ") values ('sales', 'sales', 0, " + received + ", " + counted + ", 1, 0, 0, 0, 0, 0, 0, 0, " + held
                + ", 90.00, 80.00, 10.00, 0, 0, 0, 0, 0, 0) on conflict (pipeline, source_topic, source_partition)"
                + " do update set received = excluded.received, counted = excluded.counted, held = excluded.held");
    }
}
