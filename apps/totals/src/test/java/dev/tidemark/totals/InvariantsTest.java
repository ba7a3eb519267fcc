package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import tools.jackson.databind.JsonNode;

/** What holds for any sales in any order, whatever the grace. */
class InvariantsTest {

    private static final Instant START = Instant.parse("2026-07-01T00:00:00Z");
    private static final int WINDOW_MINUTES = 10;

    /** A sale; with few ids, many of them repeat or contradict one another. */
    record Sale(String store, int id, int minute, int cents) {

        String window() {
            int start = minute / WINDOW_MINUTES * WINDOW_MINUTES;
            return store + " " + START.plusSeconds(start * 60L);
        }

        int windowEnd() {
            return minute / WINDOW_MINUTES * WINDOW_MINUTES + WINDOW_MINUTES;
        }
    }

    @Provide
    Arbitrary<List<Sale>> sales() {
        return Combinators.combine(
                        Arbitraries.of("A", "B", "C"),
                        Arbitraries.integers().between(1, 60),
                        Arbitraries.integers().between(0, 240),
                        Arbitraries.integers().between(-500, 10_000))
                .as(Sale::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(80);
    }

    @Property(tries = 150)
    void theLatestVersionsAreTheSumsAndEverySaleHasOneDisposition(
            @ForAll("sales") List<Sale> sales, @ForAll @IntRange(max = 60) int grace) throws IOException {
        Map<String, BigDecimal> sums = new TreeMap<>();
        int late = 0;
        int clock = -1;
        Set<String> accepted = new HashSet<>();
        for (Sale sale : sales) {
            if (accepted.add(sale.store() + " " + sale.id())) {
                sums.merge(sale.window(), BigDecimal.valueOf(sale.cents(), 2), BigDecimal::add);
                late += sale.windowEnd() <= clock - grace ? 1 : 0;
                clock = Math.max(clock, sale.minute());
            }
        }
        Path state = Files.createTempDirectory("invariants");
        try (Totals totals = new Totals(state, "grace=" + grace + "m", "correct-until=1d")) {
            for (Sale sale : sales) {
                totals.sale(
                        sale.store(),
                        Integer.toString(sale.id()),
                        START.plusSeconds(sale.minute() * 60L).toString(),
                        BigDecimal.valueOf(sale.cents(), 2).toPlainString());
            }
            totals.endInput();

            List<JsonNode> rows = totals.rows();
            JsonNode ledger = totals.ledger();
            assertThat(latest(rows)).isEqualTo(sums);
            assertThat(versions(rows)).allSatisfy((window, versions) -> {
                assertThat(versions.get(0)).isBetween(1, 2);
                for (int i = 1; i < versions.size(); i++) {
                    assertThat(versions.get(i)).isEqualTo(versions.get(i - 1) + 1);
                }
            });
            assertThat(ledger.get("received").intValue()).isEqualTo(sales.size());
            assertThat(ledger.get("late").intValue()).isEqualTo(late);
            assertThat(ledger.get("counted").intValue()).isEqualTo(accepted.size() - late);
            assertThat(ledger.get("duplicate").intValue()
                            + ledger.get("conflicting").intValue())
                    .isEqualTo(sales.size() - accepted.size());
        }
    }

    private static Map<String, BigDecimal> latest(List<JsonNode> rows) {
        Map<String, BigDecimal> latest = new TreeMap<>();
        for (JsonNode row : rows) {
            if (row.get("version").intValue() > 0) {
                latest.put(window(row), row.get("total").decimalValue());
            }
        }
        return latest;
    }

    private static Map<String, List<Integer>> versions(List<JsonNode> rows) {
        Map<String, List<Integer>> versions = new TreeMap<>();
        for (JsonNode row : rows) {
            if (row.get("version").intValue() > 0) {
                versions.computeIfAbsent(window(row), window -> new ArrayList<>())
                        .add(row.get("version").intValue());
            }
        }
        return versions;
    }

    private static String window(JsonNode row) {
        return row.get("key").asString() + " "
                + Instant.parse(row.get("window_start").asString());
    }
}
