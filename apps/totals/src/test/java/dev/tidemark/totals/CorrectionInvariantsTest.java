package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.JsonRow;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tools.jackson.databind.JsonNode;

/** Any sales in any order, in windows that overlap, against a simple program that does the same with lists. */
class CorrectionInvariantsTest {

    private static final Instant START = Instant.parse("2026-07-01T00:00:00Z");
    private static final int SIZE = 10;

    /** A sale; its place among the others is its id. */
    record Sale(String store, int minute, int cents) {}

    /** Minutes; zero for {@code every}: each late sale is a version. */
    record Rules(int advance, int grace, int horizon, int every) {}

    @Provide
    Arbitrary<List<Sale>> sales() {
        return Combinators.combine(
                        Arbitraries.of("A", "B"),
                        Arbitraries.integers().between(0, 120),
                        Arbitraries.integers().between(-500, 10_000))
                .as(Sale::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(60);
    }

    @Provide
    Arbitrary<Rules> rules() {
        return Combinators.combine(
                        Arbitraries.of(2, 3, 5, 10),
                        Arbitraries.integers().between(0, 20),
                        Arbitraries.of(0, 15, 60, 1_000),
                        Arbitraries.of(0, 1, 7, 30))
                .as(Rules::new);
    }

    @Property(tries = 50)
    void everyVersionAndEveryDispositionIsThatOfTheSimpleProgram(
            @ForAll("sales") List<Sale> sales, @ForAll("rules") Rules rules) throws IOException {
        SimpleProgram expected = new SimpleProgram(rules);
        Path state = Files.createTempDirectory("corrections");
        try (Totals totals = new Totals(
                state,
                "window.advance=" + rules.advance() + "m",
                "grace=" + rules.grace() + "m",
                "correct-until=" + rules.horizon() + "m",
                "correct-every=" + rules.every() + "m",
                "provisional=false")) {
            for (int id = 0; id < sales.size(); id++) {
                Sale sale = sales.get(id);
                expected.take(id, sale);
                totals.sale(
                        sale.store(),
                        Integer.toString(id),
                        START.plusSeconds(sale.minute() * 60L).toString(),
                        BigDecimal.valueOf(sale.cents(), 2).toPlainString());
            }
            totals.endInput();

            Map<String, List<String>> versions = new TreeMap<>();
            for (JsonNode row : totals.rows()) {
                versions.computeIfAbsent(
                                row.get("key").asString() + " "
                                        + row.get("window_start").asString(),
                                window -> new ArrayList<>())
                        .add("v%s %s of %s, because of %s: %s"
                                .formatted(
                                        row.get("version"),
                                        row.get("total"),
                                        row.get("count"),
                                        row.get("cause_count"),
                                        row.get("cause_event_ids").asString()));
            }
            assertThat(versions).isEqualTo(expected.versions());
            assertThat(totals.exceptions())
                    .extracting(row -> row.get("event_id").asString() + " "
                            + row.get("disposition").asString() + " " + row.get("version"))
                    .containsExactlyElementsOf(expected.exceptions);
            assertThat(totals.ledger().get("counted").intValue()).isEqualTo(sales.size() - expected.exceptions.size());
        }
    }

    /** Keeps all sales of a window by what they are part of: interval -1 is the final. */
    private static final class SimpleProgram {

        private final Rules rules;
        private final Map<String, TreeMap<Integer, Map<Integer, Sale>>> windows = new TreeMap<>();
        private final List<String> exceptions = new ArrayList<>();
        private int clock = -1;

        SimpleProgram(Rules rules) {
            this.rules = rules;
        }

        void take(int id, Sale sale) {
            int watermark = clock - rules.grace();
            int open = 0;
            int closed = 0;
            Integer first = null;
            for (int start = -SIZE / rules.advance() * rules.advance();
                    start <= sale.minute();
                    start += rules.advance()) {
                int end = start + SIZE;
                if (end > sale.minute() && end > watermark) {
                    open++;
                    add(sale, start, -1, id);
                } else if (end > sale.minute()) {
                    closed++;
                    if (end + rules.horizon() > watermark) {
                        int version = add(sale, start, rules.every() == 0 ? id : interval(), id);
                        first = first == null ? version : first;
                    }
                }
            }
            if (closed > 0) {
                String disposition = open > 0 ? "partly-late" : first == null ? "too-late" : "late";
                exceptions.add(id + " " + disposition + " " + first);
            }
            clock = Math.max(clock, sale.minute());
        }

        /** Intervals are counted from the epoch. */
        private int interval() {
            return ((int) (START.getEpochSecond() / 60) + clock) / rules.every();
        }

        /** Returns the version that the sale is part of. */
        private int add(Sale sale, int start, int interval, int id) {
            String window = sale.store() + " "
                    + JsonRow.timeText(START.plusSeconds(start * 60L).toEpochMilli());
            TreeMap<Integer, Map<Integer, Sale>> parts = windows.computeIfAbsent(window, w -> new TreeMap<>());
            parts.computeIfAbsent(interval, i -> new TreeMap<>()).put(id, sale);
            return parts.headMap(interval, true).size() + (parts.containsKey(-1) ? 0 : 1);
        }

        Map<String, List<String>> versions() {
            Map<String, List<String>> versions = new TreeMap<>();
            windows.forEach((window, parts) -> {
                int version = parts.containsKey(-1) ? 0 : 1;
                int count = 0;
                BigDecimal total = BigDecimal.ZERO;
                for (Map.Entry<Integer, Map<Integer, Sale>> part : parts.entrySet()) {
                    Map<Integer, Sale> sales = part.getValue();
                    version++;
                    count += sales.size();
                    for (Sale sale : sales.values()) {
                        total = total.add(BigDecimal.valueOf(sale.cents(), 2));
                    }
                    boolean isFinal = part.getKey() == -1;
                    String ids = sales.keySet().stream()
                            .limit(10)
                            .map(id -> "\"" + id + "\"")
                            .reduce((a, b) -> a + "," + b)
                            .orElseThrow();
                    versions.computeIfAbsent(window, w -> new ArrayList<>())
                            .add("v%d %s of %d, because of %s: %s"
                                    .formatted(
                                            version,
                                            total,
                                            count,
                                            isFinal ? null : sales.size(),
                                            isFinal ? "" : "[" + ids + "]"));
                }
            });
            return versions;
        }
    }
}
