package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class TotalsTopologyTest {

    @TempDir
    Path state;

    @Test
    void aSaleThatComesAfterTheFinalBecomesVersionTwo() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e1", "10:02:00", "100");
            totals.sale("e2", "10:07:00", "200");
            totals.sale("e3", "10:12:00", "150");
            totals.sale("e4", "10:04:00", "50");
            totals.sale("e5", "10:18:00", "300");
            totals.sale("e6", "10:09:00", "80");

            assertThat(totals.published()).containsExactly("A 10:00 v1 350.00", "A 10:00 v2 430.00");
        }
    }

    @Test
    void aRowSaysEverythingAboutItsVersion() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e1", "10:02:00", "100");
            totals.sale("e2", "10:07:00", "200");
            totals.sale("e4", "10:04:00", "50");
            totals.sale("e5", "10:18:00", "300");
            totals.sale("e6", "10:09:00", "80");

            JsonNode corrected = totals.rows().stream()
                    .filter(row -> row.get("version").intValue() == 2)
                    .findFirst()
                    .orElseThrow();
            assertThat(corrected.toString())
                    .isEqualTo("{\"pipeline\":\"sales\",\"key\":\"A\",\"window_start\":\"2026-07-01T10:00:00.000Z\","
                            + "\"version\":2,\"window_end\":\"2026-07-01T10:10:00.000Z\",\"status\":\"corrected\","
                            + "\"total\":430.00,\"count\":4,\"minimum\":50.00,\"maximum\":200.00,"
                            + "\"previous_total\":350.00,\"delta\":80.00,\"reason\":\"late\",\"cause_event_id\":\"e6\","
                            + "\"stream_time\":\"2026-07-01T10:18:00.000Z\",\"closed_by\":\"watermark\","
                            + "\"settings\":\"" + Totals.settings().fingerprint() + "\"}");
        }
    }
}
