package dev.tidemark.enrich;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept is bounded by the keys of the table, its history, the grace, and how long missing events may be completed. */
class BoundedStateTest {

    private static final Instant START = Instant.parse("2026-07-01T10:00:00Z");

    @TempDir
    Path state;

    /** History and horizon are half an hour, so the run lasts for more than ten times as long. */
    @Test
    void tenTimesHistoryLeavesNoMoreThanOneOfIt() {
        try (Enrich enrich = new Enrich(state, "table.history=30m", "re-enrich-until=20m", "grace=5m", "slack=1m")) {
            List<Map<String, Integer>> sizes = new ArrayList<>();
            for (int minute = 0; minute <= 360; minute++) {
                String time = START.plusSeconds(60L * minute).toString();
                enrich.customer("C1", "plan" + minute, time);
                enrich.customer("C2", "plan" + minute, time);
                enrich.customer("passing" + minute, "basic", time);
                String before = START.plusSeconds(60L * minute - 1).toString();
                enrich.delete("passing" + (minute - 1), before);
                for (int i = 0; i < 4; i++) {
                    String customer = i < 2 ? "C" + (i + 1) : "nobody" + minute + "-" + i;
                    enrich.activity("A" + minute + "-" + i, customer, time);
                }
                if (minute == 120 || minute == 360) {
                    sizes.add(enrich.fixture().sizes());
                }
            }

            assertThat(sizes.get(1)).isEqualTo(sizes.get(0));
            // 2 of 4 activities, with an entry in a queue each, from when they are looked up until they are forgotten.
            assertThat(sizes.get(0).get("missing-events")).isBetween(2 * 2 * 15, 2 * 2 * 22);
            assertThat(sizes.get(0).get("waiting-events")).isBetween(4 * 5, 4 * 7);
            assertThat(sizes.get(0))
                    .allSatisfy((store, size) -> assertThat(size).as(store).isLessThan(500));
        }
    }
}
