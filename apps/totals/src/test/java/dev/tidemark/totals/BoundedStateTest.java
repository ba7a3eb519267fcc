package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.EventClock;
import dev.tidemark.common.TopologyFixture;
import dev.tidemark.common.TotalsProperties;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is remembered of windows is forgotten when they can no longer be corrected. */
class BoundedStateTest {

    private static final Instant START = Instant.parse("2026-07-01T00:00:00Z");
    private static final int WINDOWS = 120;
    /** Two keys, that of the ticks included, for the time that corrections may take and half of it again. */
    private static final int MOST = 35;

    /** Otherwise windows that are gone would be found in the cache. */
    private static final Map<String, Object> WITHOUT_CACHE =
            Map.of(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0L);

    @TempDir
    Path state;

    @Test
    void whatIsRememberedOfWindowsDoesNotGrowWithTheirNumber() throws IOException {
        TotalsProperties settings =
                Totals.settings("window.size=1m", "grace=30s", "correct-until=5m", "deduplicate-for=1m");
        try (TopologyFixture totals = new TopologyFixture(
                new TotalsTopology(settings, Totals.partitions(settings), new SimpleMeterRegistry())::build,
                "sales",
                state,
                Totals.NOW,
                WITHOUT_CACHE)) {
            for (int minute = 0; minute < WINDOWS; minute++) {
                Instant time = START.plusSeconds(60L * minute);
                sell(totals, "e" + minute, time);
                sell(totals, "late" + minute, time.minusSeconds(180));
            }

            assertThat(totals.rows("sales-totals"))
                    .filteredOn(row -> row.get("version").intValue() == 2)
                    .hasSizeGreaterThan(WINDOWS - 5);
            assertThat(totals.sizes().get(EventClock.CLOSINGS)).isBetween(5, MOST);
            for (String store : new String[] {TotalsTopology.TOTALS, CorrectTotals.STORE}) {
                assertThat(totals.sizes().get(store)).as(store).isBetween(5, MOST);
                try (Stream<Path> segments =
                        Files.list(state.resolve("test/0_0").resolve(store))) {
                    assertThat(segments).as("what is on disk of %s", store).hasSizeBetween(1, 4);
                }
            }
        }
    }

    private static void sell(TopologyFixture totals, String id, Instant time) {
        byte[] sale = Totals.saleJson("A", id, time.toString(), "1").getBytes(StandardCharsets.UTF_8);
        totals.send(sale, Totals.NOW);
    }
}
