package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Input that has to be moved to the partition of its key gives the same as input that lies there. */
class MovedInputTest {

    @TempDir
    Path state;

    @ParameterizedTest
    @ValueSource(strings = {"deduplicate-scope=key", "deduplicate-scope=global"})
    void itGivesProvisionalFinalAndCorrectedTotals(String scope) {
        try (Totals totals = new Totals(state, "input.partitioned-by-key=false", scope)) {
            totals.sale("A", "e1", "10:01:00", "1.50");
            totals.sale("A", "e2", "10:16:00", "7.00"); // watermark 10:11
            totals.sale("A", "e3", "10:02:00", "0.25");
            totals.sale("A", "e3", "10:02:00", "0.25");
            totals.send("{");
            totals.endInput();

            assertThat(totals.published()).containsExactly("A 10:00 v1 1.50", "A 10:00 v2 1.75", "A 10:10 v1 7.00");
            assertThat(totals.exceptions())
                    .extracting(row -> row.get("disposition").asString())
                    .containsExactly("late", "duplicate", "malformed");
            assertThat(totals.deadLetters()).hasSize(1);
            JsonNode ledger = totals.ledger();
            assertThat(ledger.get("received").intValue()).isEqualTo(5);
            assertThat(ledger.get("received_amount").asString()).isEqualTo("9.00");
            assertThat(ledger.get("counted").intValue()).isEqualTo(2);
            assertThat(ledger.get("late").intValue()).isEqualTo(1);
            assertThat(ledger.get("duplicate").intValue()).isEqualTo(1);
            assertThat(ledger.get("malformed").intValue()).isEqualTo(1);
            assertThat(ledger.get("held").intValue()).isZero();
            assertThat(ledger.get("held_amount").asString()).isEqualTo("0.00");
        }
    }

    @Test
    void aQuietInputIsClosedByWallTime() {
        try (Totals totals =
                new Totals(state, "input.partitioned-by-key=false", "window.size=1m", "grace=30s", "idle-after=30s")) {
            totals.sale("e1", "10:00:05", "1.00");
            totals.sale("e2", "10:00:50", "3.00");
            totals.quiet(Duration.ofSeconds(39));
            assertThat(totals.published()).isEmpty();

            totals.quiet(Duration.ofSeconds(1)); // clock 10:01:30, watermark 10:01
            JsonNode row = totals.rows().get(0);
            assertThat(row.get("total").asString()).isEqualTo("4.00");
            assertThat(row.get("closed_by").asString()).isEqualTo("idle");
        }
    }

    @Test
    void theSameIdUnderAnotherKeyIsAnotherSaleUnlessIdsAreGlobal() {
        try (Totals totals = new Totals(state.resolve("key"))) {
            totals.sale("A", "e1", "10:01:00", "1.00");
            totals.sale("B", "e1", "10:01:00", "1.00");
            totals.endInput();

            assertThat(totals.published()).containsExactly("A 10:00 v1 1.00", "B 10:00 v1 1.00");
        }
        try (Totals totals = new Totals(state.resolve("global"), "deduplicate-scope=global")) {
            totals.sale("A", "e1", "10:01:00", "1.00");
            totals.sale("B", "e1", "10:01:00", "1.00");
            totals.endInput();

            assertThat(totals.published()).containsExactly("A 10:00 v1 1.00");
            JsonNode conflict = totals.exceptions().get(0);
            assertThat(conflict.get("disposition").asString()).isEqualTo("conflicting");
            assertThat(conflict.get("source_offset").intValue()).isEqualTo(1);
            assertThat(conflict.get("reason").asString())
                    .isEqualTo("another event with this id but another key, time or amount was accepted at sales"
                            + " partition 0 offset 0");
        }
    }
}
