package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScreenTest {

    private static final List<String> HEAD = List.of(
            "PostgreSQL  psql postgresql://tidemark:tidemark@127.0.0.1:5432/tidemark", "Kafka       127.0.0.1:9092");
    private static final List<WindowResult> WINDOWS = List.of(
            provisional("S001", "2026-07-01T10:20:00Z", "120.50"),
            closed("S001", "2026-07-01T10:10:00Z", "350.00"),
            corrected("S001", "2026-06-30T23:50:00Z", 3, "430.00", "80.00", "late", "S001-tej3ls-42"),
            provisional("S002", "2026-07-01T10:20:00Z", "9.90"),
            closed("S002", "2026-07-01T10:10:00Z", "1350.00"),
            closed("S003", "2026-07-01T09:10:00Z", "0.00"));

    @Test
    void eachKeyHasALineWithItsNewestWindows() {
        Screen screen = new Screen(HEAD, WINDOWS, List.of(), ledger(), List.of());

        assertThat(screen.lines(140, 40)).containsExactly("""
                        PostgreSQL  psql postgresql://tidemark:tidemark@127.0.0.1:5432/tidemark
                        Kafka       127.0.0.1:9092

                        KEY   PROVISIONAL   total  FINAL    total  CORRECTED    version   total   delta  because of
                        S001  10:20        120.50  10:10   350.00  06-30 23:50        3  430.00  +80.00  late S001-tej3ls-42
                        S002  10:20          9.90  10:10  1350.00
                        S003                       09:10     0.00

                        received 1,234 = counted 1,200 + late 30 + duplicate 3 + malformed 1 (difference 0)
                        amounts 45,678.90 = 45,678.90 (difference 0.00)\
                        """.split("\n"));
    }

    @Test
    void aSmallTerminalCutsLinesWrapsTheLedgerAndCountsTheOtherKeys() {
        Screen screen = new Screen(HEAD, WINDOWS, List.of(), ledger(), List.of("1 errors, see demo.log: no"));

        assertThat(screen.lines(40, 12)).containsExactly("""
                        PostgreSQL  psql postgresql://tidemark:t
                        Kafka       127.0.0.1:9092

                        KEY   PROVISIONAL   total  FINAL    tota
                        S001  10:20        120.50  10:10   350.0
                        ... and 2 more keys

                        received 1,234 = counted 1,200 + late 30
                          + duplicate 3
                          + malformed 1 (difference 0)
                        amounts 45,678.90 = 45,678.90 (differenc
                        1 errors, see demo.log: no\
                        """.split("\n"));
    }

    @Test
    void windowsOfADayAreNamedByTheirDay() {
        Instant start = Instant.parse("2011-12-01T00:00:00Z");
        WindowResult day = new WindowResult(
                "France", start, start.plus(Duration.ofDays(1)), 1, "final", new BigDecimal("5.5"), null, null, null);

        assertThat(new Screen(List.of(), List.of(day), List.of(), null, List.of()).lines(80, 24))
                .contains("France                      2011-12-01    5.5");
    }

    @Test
    void beforeTheFirstWindowThereIsNoTable() {
        assertThat(new Screen(HEAD, List.of(), List.of(), null, List.of()).lines(80, 24))
                .contains("No windows yet.");
    }

    @Test
    void eachPipelineOfPairsHasALine() {
        List<PairCounts> pairs = List.of(
                new PairCounts("order-payments", 9305, 41, 595, 100), new PairCounts("search-clicks", 0, 0, 0, 0));

        assertThat(new Screen(HEAD, List.of(), pairs, ledger(), List.of()).lines(120, 24))
                .containsExactly("""
                        PostgreSQL  psql postgresql://tidemark:tidemark@127.0.0.1:5432/tidemark
                        Kafka       127.0.0.1:9092

                        No windows yet.

                        PAIRS OF A DAY  matched   share  left alone  right alone  corrected
                        order-payments    9,305  93.1 %         595          100         41
                        search-clicks         0                   0            0          0

                        received 1,234 = counted 1,200 + late 30 + duplicate 3 + malformed 1 (difference 0)
                        amounts 45,678.90 = 45,678.90 (difference 0.00)\
                        """.split("\n"));
        assertThat(LineView.line(pairs.get(0)))
                .isEqualTo("order-payments: 9,305 matched (93.1 %), 595 left and 100 right alone, 41 corrected");
    }

    @Test
    void inAPipeAVersionIsALine() {
        assertThat(LineView.line(WINDOWS.get(1))).isEqualTo("2026-07-01T10:10:00Z S001 final, version 1: 350.00");
        assertThat(LineView.line(WINDOWS.get(2)))
                .isEqualTo("2026-06-30T23:50:00Z S001 corrected, version 3: 430.00 (+80.00, late S001-tej3ls-42)");
    }

    private static Ledger ledger() {
        Map<String, Long> dispositions = new LinkedHashMap<>();
        dispositions.put("counted", 1200L);
        dispositions.put("partly-late", 0L);
        dispositions.put("late", 30L);
        dispositions.put("duplicate", 3L);
        dispositions.put("malformed", 1L);
        BigDecimal amount = new BigDecimal("45678.90");
        return new Ledger(1234, dispositions, 0, amount, amount, new BigDecimal("0.00"));
    }

    private static WindowResult provisional(String key, String start, String total) {
        return window(key, start, 0, "provisional", total, null, null, null);
    }

    private static WindowResult closed(String key, String start, String total) {
        return window(key, start, 1, "final", total, null, null, null);
    }

    private static WindowResult corrected(
            String key, String start, int version, String total, String delta, String reason, String cause) {
        return window(key, start, version, "corrected", total, new BigDecimal(delta), reason, cause);
    }

    private static WindowResult window(
            String key,
            String start,
            int version,
            String status,
            String total,
            BigDecimal delta,
            String reason,
            String cause) {
        Instant from = Instant.parse(start);
        Instant to = from.plus(Duration.ofMinutes(10));
        return new WindowResult(key, from, to, version, status, new BigDecimal(total), delta, reason, cause);
    }
}
