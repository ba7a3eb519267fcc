package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.AllTasks;
import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.Rows;
import dev.tidemark.common.TaskFixture;
import dev.tidemark.common.TotalsProperties;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Sales of several source partitions that are moved to the partitions of their stores, task by task. */
class SourcePartitionsTest {

    private static final int PARTITIONS = 4;
    private static final String INPUT = "sales";

    private final MemoryLog log = log();
    private final ManualTime time = new ManualTime(Totals.NOW);

    private static MemoryLog log() {
        Map<String, Integer> partitions = new HashMap<>();
        partitions.put(INPUT, PARTITIONS);
        for (String moved : List.of(
                "by-key", "by-event-id", "ledger-of-reading", "ledger-of-deduplicating", "ledger-of-counting")) {
            partitions.put("test-" + moved + "-repartition", PARTITIONS);
        }
        return new MemoryLog(partitions);
    }

    /** Elsewhere a repetition that lay in another partition was counted again. */
    @ParameterizedTest
    @ValueSource(strings = {"key", "global"})
    void aSaleThatIsRepeatedInOtherPartitionsIsCountedOnce(String scope) {
        try (AllTasks tasks = tasks("deduplicate-scope=" + scope)) {
            sale(0, "A", "A", "e1", "10:00:05", "10.00");
            sale(1, "B", "A", "e1", "10:00:05", "10.00");
            sale(2, null, "A", "e1", "10:00:05", "10.00");
            endInput();
            tasks.settle();

            assertThat(published()).containsExactly("A 10:00 v1 10.00");
            assertThat(dispositions()).containsExactly("e1 duplicate", "e1 duplicate");
            Rows.assertLedgerBalances(rows("ledger"), 3);
        }
    }

    /** The stores are counted in different partitions, so whoever looks for ids there finds no conflict. */
    @Test
    void anIdThatIsUniqueAmongAllIsFoundUnderAnotherStoreInAnotherPartition() {
        try (AllTasks tasks = tasks("deduplicate-scope=global")) {
            List<String> conflicts = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                sale(i % PARTITIONS, null, "S" + i, "e" + i, "10:00:05", "1.00");
                conflicts.add("e" + i + " conflicting");
            }
            tasks.settle();
            for (int i = 0; i < 8; i++) {
                sale((i + 1) % PARTITIONS, null, "S" + (i + 1) % 8, "e" + i, "10:00:05", "1.00");
            }
            endInput();
            tasks.settle();

            assertThat(dispositions()).containsExactlyInAnyOrderElementsOf(conflicts);
            assertThat(published())
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 8)
                            .mapToObj(i -> "S" + i + " 10:00 v1 1.00")
                            .toList());
            Rows.assertLedgerBalances(rows("ledger"), 16);
        }
    }

    /** Elsewhere a partition of which the reader stood still was taken for a quiet one, and what it held was late. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingIsLateBecauseTheTaskThatReadsItsPartitionStandsStill(boolean hasReadBefore) {
        try (AllTasks tasks = tasks("idle-after=30s", "grace=1m", "slack=1m")) {
            TaskFixture stopped = tasks.reading(INPUT, 3);
            int sales = 0;
            for (int partition = 0; partition < PARTITIONS; partition++) {
                sale(partition, null, "A", "a" + sales++, "10:00:00", "1.00");
            }
            if (hasReadBefore) {
                tasks.settle();
            }
            sale(3, null, "A", "a" + sales++, "10:05:00", "1.00");
            sale(3, null, "B", "a" + sales++, "10:04:00", "1.00"); // as late as the grace allows

            for (int minute = 0; minute < 90; minute++) {
                sale(
                        minute % 3,
                        null,
                        "A",
                        "a" + sales++,
                        "%02d:%02d:00".formatted(10 + minute / 60, minute % 60),
                        "1.00");
                tasks.pass(Duration.ofSeconds(1), stopped);
            }
            assertThat(published()).isEmpty();

            tasks.pass(Duration.ofSeconds(1), null);
            endInput();
            tasks.settle();

            assertThat(dispositions()).isEmpty();
            assertThat(published())
                    .contains("A 10:00 v1 15.00", "B 10:00 v1 1.00")
                    .hasSize(10);
            Rows.assertLedgerBalances(rows("ledger"), sales);
        }
    }

    /** The clock is the least of the others as soon as the empty one is idle: 10:27, less the grace 10:22. */
    @ParameterizedTest
    @ValueSource(strings = {"key", "global"})
    void aPartitionThatHasNothingIsWaitedForUntilItIsIdle(String scope) {
        try (AllTasks tasks = tasks("deduplicate-scope=" + scope, "idle-after=30s")) {
            for (int minute = 0; minute < 30; minute++) {
                sale(minute % 3, null, "A", "a" + minute, "10:%02d:00".formatted(minute), "1.00");
                tasks.pass(Duration.ofMillis(minute < 29 ? 1_000 : 999), null);
            }
            assertThat(published()).isEmpty();

            tasks.pass(Duration.ofMillis(1), null);
            assertThat(published()).containsExactly("A 10:00 v1 10.00", "A 10:10 v1 10.00");

            endInput();
            tasks.settle();
            assertThat(published()).containsExactly("A 10:00 v1 10.00", "A 10:10 v1 10.00", "A 10:20 v1 10.00");
            assertThat(dispositions()).isEmpty();
            Rows.assertLedgerBalances(rows("ledger"), 30);
        }
    }

    private AllTasks tasks(String... more) {
        List<String> settings = new ArrayList<>(List.of(more));
        settings.add("input.partitioned-by-key=false");
        TotalsProperties properties = Totals.settings(settings.toArray(String[]::new));
        InputPartitions inputs = new InputPartitions();
        inputs.set(INPUT, PARTITIONS);
        return new AllTasks(new TotalsTopology(properties, inputs, new SimpleMeterRegistry())::build, log, time);
    }

    private void sale(int partition, String recordKey, String store, String id, String at, String amount) {
        byte[] key = recordKey == null ? null : recordKey.getBytes(StandardCharsets.UTF_8);
        byte[] value = Totals.saleJson(store, id, at, amount).getBytes(StandardCharsets.UTF_8);
        log.append(INPUT, partition, key, value, new RecordHeaders(), time.now());
    }

    private void endInput() {
        IntStream.range(0, PARTITIONS).forEach(partition -> log.endInput(INPUT, partition, time.now()));
    }

    private List<String> published() {
        return Totals.published(rows("totals"));
    }

    private List<String> dispositions() {
        return rows("exceptions").stream()
                .map(row -> row.get("event_id").asString() + " "
                        + row.get("disposition").asString())
                .toList();
    }

    private List<JsonNode> rows(String topic) {
        return log.records("sales-" + topic).stream()
                .map(record -> Rows.json(record.value()))
                .toList();
    }
}
