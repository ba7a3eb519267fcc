package dev.tidemark.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.PairsProperties;
import dev.tidemark.common.Rows;
import dev.tidemark.common.TaskFixture;
import dev.tidemark.common.TopologyFixture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Events of one key and millisecond, before and after a restart. */
class SameMomentTest {

    private static final Path IN_MEMORY = Path.of("");

    private final PairsProperties settings = Pairs.settings();
    private final MemoryLog log = new MemoryLog();

    @Test
    void noneTakesThePlaceOfAnotherOnDisk(@TempDir Path directory) {
        assertThat(pairsOfPaymentsBeforeAndAfterRestarts(directory))
                .containsExactlyInAnyOrder("O1 P1", "O1 P2", "O1 P3");
    }

    /** A compacted changelog keeps one record of each key. */
    @Test
    void noneTakesThePlaceOfAnotherInTheChangelog() {
        pairsOfPaymentsBeforeAndAfterRestarts(IN_MEMORY);

        assertThat(log.records("test-events-outer-other-join-store-changelog").stream()
                        .map(record -> Bytes.wrap(record.key())))
                .hasSize(3)
                .doesNotHaveDuplicates();
    }

    private List<String> pairsOfPaymentsBeforeAndAfterRestarts(Path state) {
        ManualTime time = new ManualTime(Pairs.NOW);
        try (TaskFixture task = new TaskFixture(
                new PairsTopology(settings, Pairs.partitions(settings, 1), new SimpleMeterRegistry())::build,
                TopologyFixture.properties(state),
                log,
                time)) {
            order("O0", "09:05:00"); // So that payments need not wait.
            for (String payment : List.of("P1", "P2", "P3")) {
                append(
                        "payments",
                        "{\"payment_id\":\"%s\",\"order_id\":\"O1\",\"paid_at\":\"2026-07-01T09:05:00Z\"}"
                                .formatted(payment));
                task.drain();
                task.restart();
            }
            order("O1", "09:00:00");
            task.drain();
            task.commit();
            return log.records("order-payments-pairs").stream()
                    .map(record -> Rows.json(record.value()))
                    .map(SameMomentTest::ids)
                    .toList();
        }
    }

    private void order(String id, String time) {
        append("orders", "{\"order_id\":\"%s\",\"ordered_at\":\"2026-07-01T%sZ\"}".formatted(id, time));
    }

    private void append(String topic, String event) {
        log.append(topic, 0, event.getBytes(StandardCharsets.UTF_8), Pairs.NOW);
    }

    private static String ids(JsonNode row) {
        return row.get("left_id").asString() + " " + row.get("right_id").asString();
    }
}
