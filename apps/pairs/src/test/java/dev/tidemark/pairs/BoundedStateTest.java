package dev.tidemark.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept is bounded by window and grace, and for events without a partner by the horizon. */
class BoundedStateTest {

    private static final Instant START = Instant.parse("2026-07-01T10:00:00Z");

    @TempDir
    Path state;

    /** Window and grace are 15 minutes, so the run lasts for more than ten times as long. */
    @Test
    void tenTimesWindowAndGraceLeaveNoMoreThanOneOfThem() {
        try (Pairs pairs = new Pairs(state, "within.after=10m", "grace=5m", "slack=1m", "correct-until=10m")) {
            List<Map<String, Integer>> sizes = new ArrayList<>();
            for (int minute = 0; minute <= 180; minute++) {
                String time = START.plusSeconds(60L * minute).toString();
                for (int i = 0; i < 5; i++) {
                    String order = "O" + minute + "-" + i;
                    pairs.order(order, time);
                    pairs.payment("P" + minute + "-" + i, i < 3 ? order : "none" + minute + "-" + i, time);
                }
                if (minute == 60 || minute == 180) {
                    sizes.add(pairs.fixture().sizes());
                }
            }

            // Only ticks are there, which the join hands out now and then.
            sizes.forEach(size ->
                    assertThat(size.remove("events-outer-shared-join-store")).isLessThan(60));
            assertThat(sizes.get(1)).isEqualTo(sizes.get(0));
            // 2 of 5 orders, and as many payments, from when they come until the horizon, with an entry in a queue
            // each.
            assertThat(sizes.get(0).get("unmatched-events")).isEqualTo(2 * 2 * 2 * 26);
            assertThat(sizes.get(0))
                    .allSatisfy((store, size) -> assertThat(size).as(store).isLessThan(1_600));
        }
    }
}
