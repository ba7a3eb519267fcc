package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.embedded.SinkConnector;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the sinks do twice, or later, is in the tables once; and the tables tell what was believed when. */
@ExtendWith(Servers.Shared.class)
@Timeout(900)
class SinkReplayIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final Duration GRACE = Duration.ofMinutes(5);
    private static final int SALES = 10_000;

    private static Servers servers;

    @BeforeAll
    static void use(Servers shared) {
        servers = shared;
    }

    @Test
    void aReplayBringsBackWhatIsMissingAndChangesNothingElse() throws InterruptedException {
        try (SalesPipeline pipeline = servers.pipeline("replayed")) {
            pipeline.start();
            pipeline.send(sales(1));
            pipeline.endInput();
            pipeline.awaitTables();
        }
        String lost = "pipeline = 'replayed' and disposition = 'late' and source_offset % 10 = 0";
        List<String> exceptions = exceptions(lost);
        servers.update("delete from exceptions where " + lost);
        List<String> before = everyRow("not (" + lost + ")");

        for (SinkConnector connector : SinkConnector.shipped()) {
            servers.connect.resetOffsets(connector.name());
        }
        servers.awaitSinks(servers.rows("select distinct pipeline from ledger").toArray(String[]::new));

        assertThat(exceptions).hasSizeGreaterThan(10);
        assertThat(exceptions(lost)).isEqualTo(exceptions);
        assertThat(everyRow("not (" + lost + ")")).isEqualTo(before);
    }

    @Test
    void anOutageOfTheDatabaseInTheMiddleOfAFeedLosesNothing() throws InterruptedException {
        List<Sale> sales = sales(2);
        Expected expected = new Expected(sales, WINDOW, GRACE);
        try (SalesPipeline pipeline = servers.pipeline("outage")) {
            pipeline.start();
            pipeline.send(sales.subList(0, SALES / 3));
            await().atMost(PATIENCE).until(() -> !pipeline.rows(Expected.FINALS).isEmpty());

            servers.database.stop();
            try {
                pipeline.send(sales.subList(SALES / 3, SALES * 2 / 3));
                await().atMost(PATIENCE).until(() -> SinkConnector.shipped().stream()
                        .anyMatch(connector ->
                                servers.connect.state(connector.name()).equals("FAILED")));
            } finally {
                servers.database.restart();
            }
            pipeline.send(sales.subList(SALES * 2 / 3, SALES));
            pipeline.endInput();
            pipeline.awaitTables();

            assertThat(pipeline.rows(Expected.CURRENT)).isEqualTo(expected.current());
            assertThat(pipeline.rows(Expected.FINALS)).isEqualTo(expected.finals());
            assertThat(pipeline.rows(Expected.EXCEPTIONS)).isEqualTo(expected.exceptions());
            assertThat(pipeline.rows(Expected.LEDGER)).isEqualTo(expected.ledger());
            assertThat(pipeline.rows(Expected.WHAT_IF)).isEqualTo(expected.whatIf());
            assertThat(pipeline.rows(Expected.BALANCE)).containsExactly("0|0.00");
        }
    }

    @Test
    void theTablesTellWhatWasBelievedBeforeACorrection() throws InterruptedException {
        String believed = "select version, total from totals_as_of(?::timestamptz)"
                + " where pipeline = 'believed' and window_start = '2026-07-01T10:00Z'";
        try (SalesPipeline pipeline = servers.pipeline("believed")) {
            String atFirst = moment();
            pipeline.start();
            pipeline.send(List.of(sale("a", "10:01:00", "350.00"), sale("b", "10:16:00", "1.00")));
            pipeline.awaitTables();
            String beforeTheCorrection = moment();
            pipeline.send(List.of(sale("c", "10:09:00", "80.00")));
            pipeline.awaitTables();

            assertThat(servers.rows(believed, atFirst)).isEmpty();
            assertThat(servers.rows(believed, beforeTheCorrection)).containsExactly("1|350.00");
            assertThat(servers.rows(believed, moment())).containsExactly("2|430.00");
            assertThat(pipeline.rows("select extract(epoch from window_start)::bigint, version, total"
                            + " from totals_current where pipeline = ? order by 1"))
                    .containsExactly("1782900000|2|430.00", "1782900600|0|1.00");
            assertThat(pipeline.rows("select * from ledger_balance where pipeline = ?"))
                    .singleElement()
                    .asString()
                    .endsWith("|3|3|0|431.00|431.00|0.00");
        }
    }

    @Test
    void neitherThisJvmNorTheDatabaseIsInUtc() {
        assertThat(TimeZone.getDefault().getID()).isEqualTo("America/New_York");
        assertThat(servers.rows("select setting from pg_settings where name = 'TimeZone'"
                        + " union all select unnest(setconfig) from pg_db_role_setting"))
                .containsExactly("America/New_York", "TimeZone=Asia/Tokyo");
    }

    private static List<Sale> sales(long seed) {
        Instant start = Instant.parse("2026-07-01T00:00:00Z");
        return Sale.generate(seed, SALES, start, Duration.ofHours(6), WINDOW, GRACE);
    }

    private static Sale sale(String id, String time, String amount) {
        return Sale.of(id, "S1", Instant.parse("2026-07-01T" + time + "Z"), new BigDecimal(amount));
    }

    private static String moment() {
        return servers.rows("select clock_timestamp()").get(0);
    }

    private static List<String> exceptions(String condition) {
        return servers.rows("select to_jsonb(exceptions) - 'recorded_at' from exceptions where " + condition
                + " order by source_partition, source_offset");
    }

    /** Of all pipelines, with xmin and ctid, which tell a row that was rewritten with the same content. */
    private static List<String> everyRow(String exceptions) {
        List<String> rows = new ArrayList<>();
        rows.addAll(servers.rows("select *, xmin, ctid from totals order by ctid"));
        rows.addAll(servers.rows("select *, xmin, ctid from exceptions where " + exceptions + " order by ctid"));
        rows.addAll(servers.rows("select *, xmin, ctid from ledger order by ctid"));
        rows.addAll(servers.rows("select *, xmin, ctid from lateness order by ctid"));
        rows.addAll(servers.rows("select *, xmin, ctid from refused_changes order by ctid"));
        return rows;
    }
}
