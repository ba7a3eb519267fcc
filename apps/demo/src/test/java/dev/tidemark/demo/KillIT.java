package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** An app that is killed again and again leaves the same tables as one that is not. */
@ExtendWith(Servers.Shared.class)
@Timeout(900)
class KillIT {

    private static final long SEED = 20260701;
    private static final int SALES = 200_000;
    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final Duration GRACE = Duration.ofMinutes(5);

    @Test
    void fiveKillsLeaveNoTraceInTheTables(Servers servers) throws InterruptedException {
        List<Sale> sales =
                Sale.generate(SEED, SALES, Instant.parse("2026-07-01T00:00:00Z"), Duration.ofDays(1), WINDOW, GRACE);
        Expected expected = new Expected(sales, WINDOW, GRACE);
        try (SalesPipeline pipeline = servers.pipeline(
                "killed",
                "tidemark.totals.window.size=10m",
                "tidemark.totals.grace=5m",
                // Many transactions to be interrupted, and no long wait for the dead.
                "spring.kafka.streams.properties.commit.interval.ms=200",
                "spring.kafka.streams.properties.consumer.session.timeout.ms=6000")) {
            pipeline.startProcess();
            int interrupted = 0;
            int sent = 0;
            for (int percent = 15; percent <= 75; percent += 15) {
                int until = percent < 50 ? SALES / 2 : SALES;
                pipeline.send(sales.subList(sent, until));
                sent = until;
                pipeline.awaitProcessed(percent * (SALES / 100));
                pipeline.kill();
                interrupted += pipeline.processed() < sent ? 1 : 0;
                pipeline.startProcess();
            }
            pipeline.endInput();
            pipeline.awaitTables();

            assertThat(interrupted).as("kills in the middle of work").isGreaterThan(1);
            assertTablesAreAsExpected(pipeline, expected);
        }
    }

    /** Kills alternate: in the middle of the transaction after a commit; and at any moment of a start without state. */
    @Test
    @Tag("thorough")
    void twentyKillsLoseNoCent(Servers servers) throws InterruptedException {
        List<Sale> sales = cents(10_000);
        Random random = new Random(SEED);
        try (SalesPipeline pipeline = servers.pipeline(
                "cents",
                "spring.kafka.streams.properties.commit.interval.ms=200",
                "spring.kafka.streams.properties.consumer.session.timeout.ms=6000")) {
            for (int sent = 0; sent < sales.size(); sent += 1_000) {
                long started = System.nanoTime();
                pipeline.startProcess();
                pipeline.send(sales.subList(sent, sent + 500));
                pipeline.awaitProcessed(pipeline.processed() + 1);
                long untilCommit = System.nanoTime() - started;
                pipeline.send(sales.subList(sent + 500, sent + 1_000));
                pipeline.killAfter(Duration.ofMillis(random.nextInt(200)));

                pipeline.deleteState();
                pipeline.startProcess();
                pipeline.killAfter(Duration.ofNanos(random.nextLong(untilCommit)));
            }
            pipeline.startProcess();
            pipeline.endInput();
            pipeline.awaitTables();

            assertTablesAreAsExpected(pipeline, new Expected(sales, WINDOW, GRACE));
            assertThat(pipeline.rows("select sum(total) from totals where pipeline = ? and version = 1"))
                    .containsExactly("100.00");
        }
    }

    /** Sales of a cent each, of twenty stores, one each ten seconds. */
    private static List<Sale> cents(int count) {
        Instant start = Instant.parse("2026-07-01T00:00:00Z");
        return IntStream.range(0, count)
                .mapToObj(i ->
                        Sale.of("e" + i, "S" + (10 + i % 20), start.plusSeconds(10L * i), BigDecimal.valueOf(1, 2)))
                .toList();
    }

    private static void assertTablesAreAsExpected(SalesPipeline pipeline, Expected expected) {
        assertThat(pipeline.rows(Expected.CURRENT)).isEqualTo(expected.current());
        assertThat(pipeline.rows(Expected.FINALS)).isEqualTo(expected.finals());
        assertThat(pipeline.rows(Expected.EXCEPTIONS)).isEqualTo(expected.exceptions());
        assertThat(pipeline.rows(Expected.LEDGER)).isEqualTo(expected.ledger());
        assertThat(pipeline.rows(Expected.WHAT_IF)).isEqualTo(expected.whatIf());
        assertVersionsAreGapless(pipeline);
        assertEachVersionWasPublishedOnce(pipeline);
        assertThat(pipeline.rows(Expected.BALANCE)).containsExactly("0|0.00");
        assertThat(pipeline.rows("select * from refused_changes where key->>'pipeline' = ?"))
                .isEmpty();
    }

    private static void assertVersionsAreGapless(SalesPipeline pipeline) {
        assertThat(pipeline.rows("""
                select key, window_start, array_agg(version order by version) from totals
                where pipeline = ? and version > 0 group by key, window_start
                having min(version) > 2 or max(version) - min(version) + 1 <> count(*)""")).isEmpty();
        assertThat(pipeline.rows("""
                select key, window_start, version, previous_total, before from (
                    select *, coalesce(lag(total) over (partition by key, window_start order by version), 0) as before
                    from totals where pipeline = ? and version > 0) versions
                where version > 1 and (previous_total <> before or total <> previous_total + delta)""")).isEmpty();
    }

    /** The tables cannot hold a version twice, but the topic could. */
    private static void assertEachVersionWasPublishedOnce(SalesPipeline pipeline) {
        Set<String> published = new HashSet<>();
        for (String id : pipeline.publishedIds()) {
            assertThat(id.contains("\"version\":0") || published.add(id)).as(id).isTrue();
        }
        assertThat(pipeline.rows("select count(*) from totals where pipeline = ? and version > 0"))
                .containsExactly(Integer.toString(published.size()));
    }
}
