package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.ReferenceData;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Known sales through broker, app, sinks and database give the known rows. */
@ExtendWith(Servers.Shared.class)
@Timeout(900)
class WorkedExampleIT {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PUBLISHED = """
            select to_char(window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), version, status, total,
                   previous_total, delta, reason, cause_event_id, closed_by
            from totals where pipeline = ? and version > 0 order by window_start, version""";
    private static final String CURRENT = """
            select to_char(window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), version, total
            from totals_current where pipeline = ? order by window_start""";
    private static final String BALANCE = """
            select received, accounted, difference, received_amount, accounted_amount, difference_amount
            from ledger_balance where pipeline = ?""";

    private static Servers servers;

    @BeforeAll
    static void use(Servers shared) {
        servers = shared;
    }

    @Test
    void aLateSaleIsAVersionAndARepeatedOneIsNot() throws InterruptedException {
        try (SalesPipeline pipeline = servers.pipeline("few")) {
            pipeline.start();
            pipeline.send(List.of(
                    sale("a", "10:01:00", "1.50"),
                    sale("b", "10:09:59.999", "0.25"),
                    sale("a", "10:01:00", "1.50"),
                    sale("c", "10:15:00", "7.00"), // closes 10:00
                    sale("d", "10:09:00", "-0.75"),
                    new Sale("S1", "{}"),
                    sale("c", "10:15:00", "7.01")));
            pipeline.awaitTables();

            assertThat(pipeline.rows(PUBLISHED))
                    .containsExactly(
                            "2026-07-01T10:00:00.000Z|1|final|1.75|null|null|null|null|watermark",
                            "2026-07-01T10:00:00.000Z|2|corrected|1.00|1.75|-0.75|late|d|watermark");
            assertThat(pipeline.rows(CURRENT))
                    .containsExactly("2026-07-01T10:00:00.000Z|2|1.00", "2026-07-01T10:10:00.000Z|0|7.00");
            assertThat(pipeline.rows("select event_id, disposition, amount, version from exceptions where pipeline = ?"
                            + " order by source_offset"))
                    .containsExactly(
                            "a|duplicate|1.50|null",
                            "d|late|-0.75|2",
                            "null|malformed|null|null",
                            "c|conflicting|7.01|null");
            assertThat(pipeline.rows(BALANCE)).containsExactly("7|7|0|16.51|16.51|0.00");
            assertThat(pipeline.rows("select grace, late_events, late_amount, late_absolute_amount from grace_what_if"
                            + " where pipeline = ? and grace in ('5 min', '5 min 1 s') order by grace"))
                    .containsExactly("00:05:00|1|-0.75|0.75", "00:05:01|0|0.00|0.00");
            assertThat(pipeline.rows("select recommended_grace(?, 1)")).containsExactly("00:05:01");
        }
    }

    @Test
    void theWorkedExampleComesOutAsExpected() throws IOException, InterruptedException {
        List<Sale> sales = read("worked-example.jsonl");
        JsonNode expected = expected("worked-example.expected.json", 5);
        try (SalesPipeline pipeline = servers.pipeline("worked-example", "tidemark.totals.grace=5m")) {
            pipeline.start();
            pipeline.send(sales);
            pipeline.awaitTables();

            assertThat(pipeline.rows("select to_char(window_start at time zone 'UTC',"
                            + " 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'), version, total from totals"
                            + " where pipeline = ? and version > 0 order by window_start, version"))
                    .isEqualTo(published(expected));
            assertThat(pipeline.rows(CURRENT)).isEqualTo(current(expected));
            assertThat(ids(pipeline, "late")).isEqualTo(texts(expected.get("late")));
            assertThat(ids(pipeline, "duplicate"))
                    .hasSize(expected.get("duplicates").intValue());
            assertThat(pipeline.rows(BALANCE)).containsExactly("8|8|0|1100.00|1100.00|0.00");
        }
    }

    @Test
    void aThousandLateArrivalsComeOutAsExpected() throws IOException, InterruptedException {
        List<Sale> sales = read("late-arrivals-1000.jsonl");
        JsonNode expected = expected("late-arrivals-1000.expected.json", 10);
        try (SalesPipeline pipeline = servers.pipeline("late-arrivals", "tidemark.totals.grace=10m")) {
            pipeline.start();
            pipeline.send(sales);
            pipeline.awaitTables();

            assertThat(pipeline.rows("select count(*), sum(total) from totals where pipeline = ? and version = 1"))
                    .containsExactly(expected.get("finalWindows") + "|" + expected.get("finalSum") + ".00");
            assertThat(pipeline.rows("select sum(total) from totals_current where pipeline = ? and version = 0"))
                    .containsExactly(expected.get("openSum") + ".00");
            assertThat(ids(pipeline, "late")).hasSize(expected.get("late").intValue());
            assertThat(pipeline.rows("select sum(total), sum(count) from totals_current where pipeline = ?"))
                    .containsExactly("1000.00|1000");
            assertThat(pipeline.rows(BALANCE)).containsExactly("1000|1000|0|1000.00|1000.00|0.00");
            assertThat(
                            pipeline.rows(
                                    "select (extract(epoch from grace) / 60)::integer, events, late_events, late_amount"
                                            + " from grace_what_if where pipeline = ? and grace in"
                                            + " ('0 min', '1 min', '5 min', '10 min', '15 min', '30 min', '1 h', '2 h') order by grace"))
                    .isEqualTo(lateCounts("late-arrivals-1000.expected.json"));
            assertThat(pipeline.rows("select sum(arrivals), count(*) filter (where from_seconds not in"
                            + " (select from_seconds from lateness_bins)) from lateness where pipeline = ?"))
                    .containsExactly("1000|0");
        }
    }

    private static Sale sale(String id, String time, String amount) {
        return Sale.of(id, "S1", Instant.parse("2026-07-01T" + time + "Z"), new BigDecimal(amount));
    }

    private static List<Sale> read(String file) throws IOException {
        return Files.readAllLines(ReferenceData.file(file), StandardCharsets.UTF_8).stream()
                .map(line -> new Sale(JSON.readTree(line).get("store_id").asString(), line))
                .toList();
    }

    private static JsonNode expected(String file, int grace) throws IOException {
        return JSON.readTree(Files.readString(ReferenceData.file(file)))
                .get("by_grace_minutes")
                .get(Integer.toString(grace));
    }

    private static List<String> lateCounts(String file) throws IOException {
        List<String> rows = new ArrayList<>();
        JSON.readTree(Files.readString(ReferenceData.file(file)))
                .get("by_grace_minutes")
                .properties()
                .forEach(grace -> {
                    JsonNode late = grace.getValue().get("late");
                    rows.add(grace.getKey() + "|1000|" + late + "|" + late + ".00");
                });
        return rows;
    }

    private static List<String> published(JsonNode expected) {
        List<String> rows = new ArrayList<>();
        expected.get("final").properties().forEach(window -> {
            JsonNode versions = expected.get("corrected").get(window.getKey());
            rows.add(window.getKey() + "|1|" + window.getValue() + ".00");
            for (int version = 2; versions != null && version <= versions.size(); version++) {
                rows.add(window.getKey() + "|" + version + "|" + versions.get(version - 1) + ".00");
            }
        });
        return rows;
    }

    private static List<String> current(JsonNode expected) {
        TreeMap<String, String> rows = new TreeMap<>();
        expected.get("final").properties().forEach(window -> rows.put(window.getKey(), "1|" + window.getValue()));
        expected.get("open").properties().forEach(window -> rows.put(window.getKey(), "0|" + window.getValue()));
        expected.get("corrected").properties().forEach(window -> {
            JsonNode versions = window.getValue();
            rows.put(window.getKey(), versions.size() + "|" + versions.get(versions.size() - 1));
        });
        return rows.entrySet().stream()
                .map(row -> row.getKey() + "|" + row.getValue() + ".00")
                .toList();
    }

    private static List<String> ids(SalesPipeline pipeline, String disposition) {
        return pipeline.rows("select event_id from exceptions where pipeline = ? and disposition = '" + disposition
                + "' order by source_offset");
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.asString()));
        return texts;
    }
}
