package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.ReferenceData;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The same numbers as worked out elsewhere, for every grace. */
class ReferenceDataTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path state;

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 10})
    void theWorkedExampleComesOutAsExpected(int grace) throws IOException {
        List<String> sales = Files.readAllLines(ReferenceData.file("worked-example.jsonl"));
        JsonNode expected = JSON.readTree(Files.readString(ReferenceData.file("worked-example.expected.json")))
                .get("by_grace_minutes")
                .get(Integer.toString(grace));
        try (Totals totals = new Totals(state, "grace=" + grace + "m", "deduplicate-for=1h")) {
            sales.forEach(totals::send);
            List<JsonNode> rows = totals.rows();
            List<JsonNode> exceptions = totals.exceptions();

            assertThat(totalsOfVersion(1, rows)).isEqualTo(totals(expected.get("final")));
            assertThat(openTotals(rows)).isEqualTo(totals(expected.get("open")));
            assertThat(ids("late", exceptions)).isEqualTo(texts(expected.get("late")));
            assertThat(ids("duplicate", exceptions))
                    .hasSize(expected.get("duplicates").intValue());
            Map<String, List<BigDecimal>> corrected = new TreeMap<>();
            expected.get("corrected").properties().forEach(window -> {
                List<BigDecimal> versions = new ArrayList<>();
                window.getValue().forEach(total -> versions.add(total.decimalValue()));
                corrected.put(window.getKey(), versions);
            });
            assertThat(correctedTotals(rows)).isEqualTo(corrected);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 10, 15, 30, 60, 120})
    void aThousandLateArrivalsComeOutAsExpected(int grace) throws IOException {
        List<String> sales = Files.readAllLines(ReferenceData.file("late-arrivals-1000.jsonl"));
        JsonNode expected = JSON.readTree(Files.readString(ReferenceData.file("late-arrivals-1000.expected.json")))
                .get("by_grace_minutes")
                .get(Integer.toString(grace));
        try (Totals totals = new Totals(state, "grace=" + grace + "m")) {
            sales.forEach(totals::send);
            List<JsonNode> rows = totals.rows();

            assertThat(ids("late", totals.exceptions()))
                    .hasSize(expected.get("late").intValue());
            Map<String, BigDecimal> finals = totalsOfVersion(1, rows);
            assertThat(finals).hasSize(expected.get("finalWindows").intValue());
            assertThat(sum(finals))
                    .isEqualByComparingTo(expected.get("finalSum").decimalValue());
            assertThat(sum(openTotals(rows)))
                    .isEqualByComparingTo(expected.get("openSum").decimalValue());
        }
    }

    private static Map<String, BigDecimal> totalsOfVersion(int version, List<JsonNode> rows) {
        Map<String, BigDecimal> totals = new TreeMap<>();
        for (JsonNode row : rows) {
            if (row.get("version").intValue() == version) {
                totals.put(row.get("window_start").asString(), plain(row.get("total")));
            }
        }
        return totals;
    }

    /** What provisional rows said last about windows that have no final. */
    private static Map<String, BigDecimal> openTotals(List<JsonNode> rows) {
        Map<String, BigDecimal> open = totalsOfVersion(0, rows);
        open.keySet().removeAll(totalsOfVersion(1, rows).keySet());
        return open;
    }

    private static Map<String, List<BigDecimal>> correctedTotals(List<JsonNode> rows) {
        Map<String, List<BigDecimal>> versions = new LinkedHashMap<>();
        for (JsonNode row : rows) {
            if (row.get("version").intValue() > 0) {
                versions.computeIfAbsent(row.get("window_start").asString(), start -> new ArrayList<>())
                        .add(plain(row.get("total")));
            }
        }
        versions.values().removeIf(totals -> totals.size() == 1);
        return versions;
    }

    private static Map<String, BigDecimal> totals(JsonNode expected) {
        Map<String, BigDecimal> totals = new TreeMap<>();
        expected.properties()
                .forEach(window -> totals.put(window.getKey(), window.getValue().decimalValue()));
        return totals;
    }

    private static BigDecimal sum(Map<String, BigDecimal> totals) {
        return totals.values().stream().reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    /** Without the decimal places that the expected whole numbers do not have. */
    private static BigDecimal plain(JsonNode total) {
        return total.decimalValue().setScale(0);
    }

    private static List<String> ids(String disposition, List<JsonNode> exceptions) {
        return exceptions.stream()
                .filter(row -> row.get("disposition").asString().equals(disposition))
                .map(row -> row.get("event_id").asString())
                .toList();
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.asString()));
        return texts;
    }
}
