package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The rows that apps write, as tests read and judge them. */
public final class Rows {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    /** The columns of a ledger that add up to what was received. */
    public static final List<String> DISPOSITIONS = List.of(
            "counted",
            "partly_late",
            "late",
            "too_late",
            "duplicate",
            "conflicting",
            "future",
            "malformed",
            "out_of_range",
            "held");

    private Rows() {}

    /** Parses a row without losing a digit. */
    public static JsonNode json(String row) {
        return JSON.readTree(row);
    }

    /** Parses a row without losing a digit. */
    public static JsonNode json(byte[] row) {
        return JSON.readTree(row);
    }

    /** Exceptions as {@code id disposition version: reason}. */
    public static List<String> dispositions(List<JsonNode> exceptions) {
        return exceptions.stream()
                .map(row -> row.get("event_id").asString() + " "
                        + row.get("disposition").asString()
                        + (row.get("version").isNull() ? "" : " v" + row.get("version")) + ": "
                        + row.get("reason").asString())
                .toList();
    }

    /** Where the record lay that a row is about, as {@code topic/partition/offset}. */
    public static String place(JsonNode row) {
        return row.get("source_topic").asString() + "/" + row.get("source_partition") + "/" + row.get("source_offset");
    }

    /** The latest rows of a ledger, by topic; of topics with one partition. */
    public static Map<String, JsonNode> ledgerByTopic(List<JsonNode> ledger) {
        Map<String, JsonNode> rows = new TreeMap<>();
        ledger.forEach(row -> rows.put(row.get("source_topic").asString(), row));
        return rows;
    }

    /** Each row of a ledger balances; in the end so many records were received, and none is held. */
    public static void assertLedgerBalances(List<JsonNode> ledger, int received) {
        Map<String, JsonNode> latest = new TreeMap<>();
        for (JsonNode row : ledger) {
            long rest = row.get("received").longValue();
            for (String disposition : DISPOSITIONS) {
                rest -= row.get(disposition).longValue();
            }
            assertThat(rest).as("the ledger balances at every commit: %s", row).isZero();
            latest.put(row.get("source_topic").asString() + row.get("source_partition"), row);
        }
        assertThat(sum(latest.values(), "received")).isEqualTo(received);
        assertThat(sum(latest.values(), "held"))
                .as("held at the end: %s", latest)
                .isZero();
    }

    private static long sum(Collection<JsonNode> rows, String column) {
        return rows.stream().mapToLong(row -> row.get(column).longValue()).sum();
    }
}
