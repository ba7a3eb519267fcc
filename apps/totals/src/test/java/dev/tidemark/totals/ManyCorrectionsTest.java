package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.TaskFixture;
import dev.tidemark.common.TopologyFixture;
import dev.tidemark.common.TotalsProperties;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * More windows are corrected in one interval than are published at once: 16 stores, whose late sale lies in 1,440 windows
 * each. They come out in the order of stores: S0, S1, S10 to S15, S2 to S9.
 */
class ManyCorrectionsTest {

    private static final int STORES = 16;
    private static final int WINDOWS = 24 * 60;
    private static final int ALL = STORES * WINDOWS;

    private final TotalsProperties settings =
            Totals.settings("grace=0s", "correct-every=1h", "window.size=1d", "window.advance=1m", "provisional=false");
    private final MemoryLog log = new MemoryLog();
    private final ManualTime time = new ManualTime(Totals.NOW);
    private final TaskFixture task = new TaskFixture(
            new TotalsTopology(settings, Totals.partitions(settings), new SimpleMeterRegistry())::build,
            TopologyFixture.properties(Path.of("")),
            log,
            time);

    @AfterEach
    void close() {
        task.close();
    }

    /** Else a transaction could last longer than the brokers let it. */
    @Test
    void theyComeOutBitByBitAndOnceEachThroughCrashes() {
        correctAll();
        sale("B", "e2", "2026-07-05T11:00:00Z", "1.00");
        task.commit();
        assertThat(versions(2)).hasSize(CorrectTotals.PART);

        task.punctuate();
        task.crash();
        time.advance(Duration.ofSeconds(1));
        task.punctuate(); // It does not know yet what time it is.
        sale("B", "e3", "2026-07-05T11:00:00Z", "1.00");
        task.commit();
        assertThat(versions(2)).hasSize(2 * CorrectTotals.PART);

        time.advance(Duration.ofSeconds(1));
        task.punctuate();
        task.commit();
        assertThat(versions(2)).hasSize(ALL).allSatisfy((window, row) -> assertThat(row)
                .isEqualTo("0.10 +0.10 [l]"));
        time.advance(Duration.ofSeconds(1));
        task.punctuate();
        task.commit();
        assertThat(versions(3)).isEmpty();
    }

    @Test
    void aLateSaleOfTheNextIntervalDoesNotMixWithWhatIsStillToComeOut() {
        correctAll();
        sale("S9", "m", "2026-07-01T10:02:00Z", "0.20"); // of the same interval still
        sale("B", "e2", "2026-07-05T11:00:00Z", "1.00");
        sale("S9", "n", "2026-07-01T10:02:00Z", "0.40"); // S9 is the last of them
        sale("S0", "o", "2026-07-01T10:02:00Z", "0.80"); // and S0 the first
        task.commit();
        assertThat(versions(2)).hasSize(ALL);
        assertThat(versions(3)).isEmpty();

        sale("B", "e3", "2026-07-05T12:00:00Z", "1.00");
        task.commit();
        assertThat(versions(2).values())
                .filteredOn("0.30 +0.30 [l, m]"::equals)
                .hasSize(WINDOWS)
                .as("those of S9; the others have one late sale");
        assertThat(versions(3)).hasSize(2 * WINDOWS).allSatisfy((window, row) -> assertThat(row)
                .isEqualTo(window.startsWith("S9 ") ? "0.70 +0.40 [n]" : "0.90 +0.80 [o]"));
        assertThat(versions(4)).isEmpty();
    }

    @Test
    void atTheEndOfTheInputTheRestComesWithoutAnyRecord() {
        correctAll();
        log.endInput("sales", 0, time.now());
        task.drain();
        task.commit();
        assertThat(versions(2)).hasSize(CorrectTotals.PART);

        for (int part = 1; part < 3; part++) {
            time.advance(Duration.ofSeconds(1));
            task.punctuate();
        }
        task.commit();
        assertThat(versions(2)).hasSize(ALL);
    }

    /** Each store has a sale that is late for all of its windows. */
    private void correctAll() {
        sale("B", "e1", "2026-07-05T10:00:00Z", "1.00");
        for (int store = 0; store < STORES; store++) {
            sale("S" + store, "l", "2026-07-01T10:02:00Z", "0.10");
        }
        task.commit();
        assertThat(versions(2)).isEmpty();
    }

    private void sale(String store, String id, String eventTime, String amount) {
        String sale = Totals.saleJson(store, id, eventTime, '"' + amount + '"');
        log.append("sales", 0, sale.getBytes(StandardCharsets.UTF_8), time.now());
        task.drain();
    }

    /** What each window's version says, by store and start; none is published twice. */
    private Map<String, String> versions(int version) {
        List<JsonNode> rows = log.records(settings.totalsTopic()).stream()
                .map(record -> Totals.json(new String(record.value(), StandardCharsets.UTF_8)))
                .filter(row -> row.get("version").intValue() == version)
                .toList();
        return rows.stream()
                .collect(Collectors.toMap(
                        row -> row.get("key").asString() + " "
                                + row.get("window_start").asString(),
                        row -> row.get("total").asString() + " +"
                                + row.get("delta").asString() + " "
                                + row.get("cause_event_ids")
                                        .asString()
                                        .replace("\"", "")
                                        .replace(",", ", "),
                        (one, other) -> {
                            throw new AssertionError("twice: " + one + " and " + other);
                        },
                        TreeMap::new));
    }
}
