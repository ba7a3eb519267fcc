package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.AllTasks;
import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.Rows;
import dev.tidemark.common.TotalsProperties;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.common.TopicPartition;
import tools.jackson.databind.JsonNode;

/**
 * What holds for sales of several source partitions that are moved to the partitions of their stores, by tasks that read,
 * commit, restart and crash in any order: every task of the topology runs here, on one log.
 */
class SourcesInvariantsTest {

    private static final Instant START = Instant.parse("2026-07-01T10:00:00Z");
    private static final String INPUT = "sales";

    @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
    void noInterleavingOfTasksBreaksARule(
            @ForAll @IntRange(min = 1, max = 3) int partitions,
            @ForAll boolean global,
            @ForAll @IntRange(max = 2) int overlap,
            @ForAll @IntRange(max = 600) int graceSeconds,
            @ForAll @IntRange(min = 1, max = 600) int slackSeconds,
            @ForAll long seed) {
        assertRulesHold(partitions, global, overlap, graceSeconds, slackSeconds, seed);
    }

    @Property(tries = 4_000, edgeCases = EdgeCasesMode.NONE)
    @Tag("thorough")
    void noneOfManyMoreInterleavingsBreaksARule(
            @ForAll @IntRange(min = 1, max = 3) int partitions,
            @ForAll boolean global,
            @ForAll @IntRange(max = 2) int overlap,
            @ForAll @IntRange(max = 600) int graceSeconds,
            @ForAll @IntRange(min = 1, max = 600) int slackSeconds,
            @ForAll long seed) {
        assertRulesHold(partitions, global, overlap, graceSeconds, slackSeconds, seed);
    }

    private static void assertRulesHold(
            int partitions, boolean global, int overlap, int graceSeconds, int slackSeconds, long seed) {
        String[] settings = {
            "input.partitioned-by-key=false",
            "deduplicate-scope=" + (global ? "global" : "key"),
            "window.size=" + List.of("10m", "20m", "60m").get(overlap),
            "window.advance=" + List.of("10m", "10m", "20m").get(overlap),
            "grace=" + graceSeconds + "s",
            "slack=" + slackSeconds + "s",
            "correct-until=30d",
            "deduplicate-for=30d"
        };
        Sources run = new Sources(Totals.settings(settings), partitions, new Random(seed));
        run.toTheEnd();

        Map<String, BigDecimal> totals = new TreeMap<>();
        Map<String, Integer> versions = new HashMap<>();
        for (JsonNode row : run.rows("sales-totals")) {
            int version = row.get("version").intValue();
            String window =
                    row.get("key").asString() + " " + row.get("window_start").asString();
            if (version > 0) {
                Integer before = versions.put(window, version);
                assertThat(version)
                        .as("versions of %s rise by one", window)
                        .isEqualTo(before == null ? Math.min(version, 2) : before + 1);
                totals.put(window, row.get("total").decimalValue());
            }
        }
        assertThat(totals).as("the latest version is the batch sum").isEqualTo(run.sums);

        Map<String, String> exceptions = new TreeMap<>();
        for (JsonNode row : run.rows("sales-exceptions")) {
            String place = row.get("source_partition") + "/" + row.get("source_offset");
            String disposition = row.get("disposition").asString();
            assertThat(exceptions.put(place, disposition))
                    .as("one disposition for %s", place)
                    .isNull();
            if (disposition.endsWith("late")) {
                assertThat(run.withinGrace)
                        .as("only what is beyond the grace is late")
                        .doesNotContain(place);
            }
        }
        assertThat(exceptions.values().stream().filter("duplicate"::equals)).hasSize(run.repeated);

        Rows.assertLedgerBalances(run.rows("sales-ledger"), run.sent);
    }

    /** The tasks of a pipeline, and what they owe. */
    private static final class Sources {

        private final Map<String, BigDecimal> sums = new TreeMap<>();
        private final Set<String> withinGrace = new HashSet<>();
        private int sent;
        private int repeated;

        private final TotalsProperties settings;
        private final int partitions;
        private final Random random;
        private final MemoryLog log;
        private final ManualTime time = new ManualTime(Totals.NOW);
        private final AllTasks tasks;
        private final long[] streamTimes;

        Sources(TotalsProperties settings, int partitions, Random random) {
            this.settings = settings;
            this.partitions = partitions;
            this.random = random;
            this.streamTimes = new long[partitions];
            Map<String, Integer> counts = new HashMap<>();
            counts.put(INPUT, partitions);
            for (String moved : List.of(
                    "by-key", "by-event-id", "ledger-of-reading", "ledger-of-deduplicating", "ledger-of-counting")) {
                counts.put("test-" + moved + "-repartition", partitions);
            }
            log = new MemoryLog(counts);
            sell();
            InputPartitions inputs = new InputPartitions();
            inputs.set(INPUT, partitions);
            tasks = new AllTasks(
                    builder -> new TotalsTopology(settings, inputs, new SimpleMeterRegistry()).build(builder),
                    log,
                    time);
        }

        /** Sales of an hour or some days, out of order, some an hour or more late, some twice, in any partition. */
        private void sell() {
            int count = 5 + random.nextInt(40);
            int step = random.nextBoolean() ? 120 : 1_800;
            long second = 7_200;
            for (int i = 0; i < count; i++) {
                second += random.nextInt(step);
                long late = random.nextInt(6) == 0 ? random.nextInt(7_000) : random.nextInt(300);
                long at = START.plusSeconds(second - late).toEpochMilli();
                BigDecimal amount = BigDecimal.valueOf(random.nextInt(1_000), 2);
                String store = "S" + random.nextInt(3);
                String sale = "{\"event_id\":\"e%d\",\"store_id\":\"%s\",\"event_time\":\"%s\",\"amount\":%s}"
                        .formatted(i, store, Instant.ofEpochMilli(at), amount);
                long size = settings.window().size().toMillis();
                long advance = settings.window().advance().toMillis();
                for (long start = at - at % advance; start > at - size; start -= advance) {
                    String window =
                            store + " " + Instant.ofEpochMilli(start).toString().replace("Z", ".000Z");
                    sums.merge(window, amount, BigDecimal::add);
                }
                send(sale, at);
                if (random.nextInt(8) == 0) {
                    send(sale, at);
                    repeated++;
                }
            }
            IntStream.range(0, partitions).forEach(partition -> log.endInput(INPUT, partition, time.now()));
        }

        private void send(String sale, long at) {
            int partition = random.nextInt(partitions);
            int offset = log.records(new TopicPartition(INPUT, partition)).size();
            if (at >= streamTimes[partition] - settings.grace().toMillis()) {
                withinGrace.add(partition + "/" + offset);
            }
            streamTimes[partition] = Math.max(streamTimes[partition], at);
            log.append(INPUT, partition, sale.getBytes(StandardCharsets.UTF_8), time.now());
            sent++;
        }

        void toTheEnd() {
            for (int step = 0; step < 60; step++) {
                tasks.step(random);
            }
            tasks.settle();
            tasks.close();
        }

        private List<JsonNode> rows(String topic) {
            return log.records(topic).stream()
                    .map(record -> Rows.json(record.value()))
                    .toList();
        }
    }
}
