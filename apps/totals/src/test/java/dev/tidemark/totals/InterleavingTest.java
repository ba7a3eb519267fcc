package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.tidemark.common.Account;
import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.Intake;
import dev.tidemark.common.Item;
import dev.tidemark.common.MovedEvents;
import dev.tidemark.common.Rows;
import dev.tidemark.common.TopologyFixture;
import dev.tidemark.common.TotalsProperties;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Sales from several source partitions that arrive in any interleaving: windows of ten minutes, grace and slack five. */
class InterleavingTest {

    private static final Instant START = Instant.parse("2026-07-01T10:00:00Z");

    @TempDir
    Path state;

    private MovedEvents sources;
    private TopologyFixture fixture;
    private final Map<Integer, Long> held = new TreeMap<>();

    @Test
    void aSourcePartitionThatLagsDelaysResultsAndLosesNothing() {
        start(2);
        sale(0, 0, "A", 1, "1.00");
        sale(1, 0, "A", 2, "2.00");
        for (int minute = 3; minute < 120; minute++) {
            sale(0, minute, "A", minute, "0.01");
        }
        assertThat(published()).isEmpty();
        assertThat(held()).isEqualTo(112); // beyond 10:07

        sale(1, 1, "A", 9, "4.00");
        sources.progress(1, at(16), 0, false);
        assertThat(published()).containsExactly("A 10:00 v1 7.07"); // watermark 10:11
        sources.progress(1, at(16), 0, true);
        sources.progress(0, at(119), 0, true);
        assertThat(published()).hasSize(11);
        assertThat(held()).isZero();
    }

    /** Without a cache, what was held makes the operators hand out finals before they are ticked. */
    @Test
    void aFinalThatComesOfWhatWasHeldSaysWhatClosedIt() {
        start(2, Map.of(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0));
        sale(1, 0, "A", 1, "1.00");
        for (int minute = 2; minute < 60; minute++) {
            sale(0, minute, "A", minute, "0.01");
        }
        sources.progress(1, at(40), 0, false);

        assertThat(fixture.rows("sales-totals"))
                .filteredOn(row -> row.get("version").intValue() == 1)
                .hasSize(3)
                .allSatisfy(row -> assertThat(row.get("closed_by").asString()).isEqualTo("watermark"));
    }

    /** Else a transaction could last longer than the brokers let it. */
    @Test
    void whatHasWaitedInGreatNumbersComesOutBitByBit() {
        start(2);
        sale(1, 0, "A", 1, "1.00");
        for (int offset = 0; offset < 25_000; offset++) {
            sale(0, offset, "A", 20 + offset / 500, "0.01");
        }
        assertThat(held()).isEqualTo(25_000);

        sources.progress(1, at(100), 0, false);
        assertThat(held()).isBetween(13_000L, 15_000L);
        sources.progress(1, at(100), 0, false);
        assertThat(held()).isBetween(3_000L, 5_000L);
        sources.progress(1, at(100), 0, false);
        assertThat(held()).isZero();
        sources.progress(1, at(100), 0, true);
        sources.progress(0, at(100), 0, true);
        assertThat(published())
                .contains("A 10:00 v1 1.00")
                .contains("A 10:20 v1 50.00")
                .contains("A 11:00 v1 50.00");
    }

    @Test
    void aStragglerThatComesWhileMuchIsHandedOutIsLateOrCountedButNeverLost() {
        start(2);
        sale(1, 0, "A", 1, "1.00");
        for (int offset = 0; offset < 25_000; offset++) {
            sale(0, offset, "A", 20 + offset / 500, "0.01");
        }
        sources.progress(1, at(100), 0, false);
        assertThat(published()).contains("A 10:20 v1 50.00").doesNotContain("A 10:30 v1 50.00");

        sale(0, 25_000, "A", 31, "5.00"); // with it, more is handed out, and its window closes

        assertThat(published()).contains("A 10:30 v1 50.00", "A 10:30 v2 55.00");
        assertThat(Rows.dispositions(fixture.rows("sales-exceptions")))
                .singleElement(STRING)
                .startsWith("0-25000 late v2: ");
    }

    /** Else the end of the input could take longer than the brokers let a transaction take, again and again. */
    @Test
    void atTheEndOfTheInputToo() {
        start(2);
        sale(1, 0, "A", 1, "1.00");
        for (int offset = 0; offset < 25_000; offset++) {
            sale(0, offset, "A", 20 + offset / 500, "0.01");
        }
        sources.progress(0, at(70), 0, true);
        sources.progress(1, at(1), 0, true);
        assertThat(held()).isBetween(13_000L, 15_500L);
        assertThat(published()).contains("A 10:00 v1 1.00").doesNotContain("A 11:00 v1 50.00");

        for (int i = 0; i < 3; i++) { // and no record comes any more
            fixture.advanceWallClock(Duration.ofMillis(100));
        }
        assertThat(held()).isZero();
        assertThat(published()).contains("A 11:00 v1 50.00");
    }

    @Test
    void nothingIsFinalBeforeEverySourcePartitionHasBeenHeardOf() {
        start(2);
        sale(0, 0, "A", 1, "1.00");
        sale(0, 1, "A", 60, "2.00");
        assertThat(published()).isEmpty();

        sources.progress(1, -1, 30_000, false);
        assertThat(published()).containsExactly("A 10:00 v1 1.00");
        sale(1, 0, "A", 2, "4.00");
        assertThat(published()).containsExactly("A 10:00 v2 5.00");
    }

    @Test
    void aSaleOfAnIdleSourcePartitionMayBeLateAndHoldsTheOthersAgain() {
        start(2);
        sale(0, 0, "A", 1, "1.00");
        sale(1, 0, "A", 2, "2.00");
        sources.progress(1, at(2), 30_000, false);
        sale(0, 1, "A", 16, "4.00");
        assertThat(published()).containsExactly("A 10:00 v1 3.00");

        sale(1, 1, "A", 3, "8.00");
        assertThat(published()).containsExactly("A 10:00 v2 11.00");
        sale(0, 2, "A", 40, "16.00");
        assertThat(published()).isEmpty();
        sale(1, 2, "A", 39, "32.00"); // watermark 10:34
        assertThat(published()).containsExactly("A 10:10 v1 4.00");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void anyInterleavingGivesTheBatchSumsInOneFinalEach(int partitions) {
        for (int seed = 0; seed < 15; seed++) {
            Random random = new Random(1000L * partitions + seed);
            List<List<Sale>> logs = new ArrayList<>();
            Map<String, BigDecimal> sums = new TreeMap<>();
            for (int partition = 0; partition < partitions; partition++) {
                logs.add(log(random, partition, sums));
            }
            start(partitions);
            deliver(random, logs);

            List<String> published = published();
            assertThat(published).as("seed %s", seed).allMatch(row -> row.contains(" v1 "));
            Map<String, BigDecimal> finals = new TreeMap<>();
            published.forEach(row -> {
                String[] parts = row.split(" ");
                assertThat(finals.put(parts[0] + " " + parts[1], new BigDecimal(parts[3])))
                        .isNull();
            });
            assertThat(finals).as("seed %s", seed).isEqualTo(sums);
            assertThat(held()).isZero();
            close();
        }
    }

    /** Out of order by less than the grace, with gaps. */
    private static List<Sale> log(Random random, int partition, Map<String, BigDecimal> sums) {
        List<Sale> log = new ArrayList<>();
        int second = 600;
        for (int i = 0; i < 5 + random.nextInt(25); i++) {
            second += random.nextInt(10) == 0 ? random.nextInt(3_000) : random.nextInt(120);
            long time = START.plusSeconds(second - random.nextInt(300)).toEpochMilli();
            String key = "K" + random.nextInt(2);
            long cents = random.nextInt(1_000);
            log.add(new Sale(partition, i, key, time, cents));
            String window =
                    Instant.ofEpochMilli(time - time % 600_000).toString().substring(11, 16);
            sums.merge(key + " " + window, BigDecimal.valueOf(cents, 2), BigDecimal::add);
        }
        return log;
    }

    private void deliver(Random random, List<List<Sale>> logs) {
        int[] next = new int[logs.size()];
        long[] streamTimes = new long[logs.size()];
        List<Integer> open = new ArrayList<>();
        for (int partition = 0; partition < logs.size(); partition++) {
            open.add(partition);
        }
        while (!open.isEmpty()) {
            int partition = open.get(random.nextInt(open.size()));
            int run = random.nextInt(12);
            List<Sale> log = logs.get(partition);
            for (int i = 0; i < run && next[partition] < log.size(); i++) {
                Sale sale = log.get(next[partition]++);
                streamTimes[partition] = Math.max(streamTimes[partition], sale.time());
                sources.event(
                        partition,
                        sale.offset(),
                        partition + "-" + sale.offset(),
                        sale.key(),
                        sale.time(),
                        sale.cents());
            }
            if (streamTimes[partition] > 0) {
                sources.progress(partition, streamTimes[partition], 0, next[partition] == log.size());
            }
            if (next[partition] == log.size()) {
                open.remove((Integer) partition);
            }
        }
    }

    @AfterEach
    void close() {
        if (fixture != null) {
            fixture.close();
            fixture = null;
        }
    }

    private record Sale(int partition, int offset, String key, long time, long cents) {}

    private void start(int partitions) {
        start(partitions, Map.of());
    }

    private void start(int partitions, Map<String, Object> properties) {
        TotalsProperties settings = Totals.settings("input.partitioned-by-key=false");
        InputPartitions counts = new InputPartitions();
        counts.set("sales", partitions);
        sources = new MovedEvents("sales");
        fixture = new TopologyFixture(
                builder -> {
                    Account account = new Account(builder, "sales", 2, new SimpleMeterRegistry());
                    KStream<String, Item> moved = sources.stream(builder);
                    account.add(Intake.COUNTING);
                    new TotalsTopology(settings, counts, new SimpleMeterRegistry()).count(builder, moved, account);
                    account.write("sales-exceptions", "sales-ledger");
                },
                "moved",
                state,
                START,
                properties);
        sources.connect(fixture.driver());
    }

    private void sale(int partition, long offset, String key, int minute, String amount) {
        long cents = new BigDecimal(amount).movePointRight(2).longValueExact();
        sources.event(partition, offset, partition + "-" + offset, key, at(minute), cents);
    }

    private static long at(int minute) {
        return START.plus(Duration.ofMinutes(minute)).toEpochMilli();
    }

    private List<String> published() {
        return Totals.published(fixture.read("sales-totals").stream()
                .map(record -> Totals.json(new String(record.value(), StandardCharsets.UTF_8)))
                .toList());
    }

    /** Events that wait, as the ledger has it. */
    private long held() {
        for (TestRecord<byte[], byte[]> record : fixture.read("sales-ledger")) {
            JsonNode row = Totals.json(new String(record.value(), StandardCharsets.UTF_8));
            held.put(row.get("source_partition").intValue(), row.get("held").longValue());
        }
        return held.values().stream().mapToLong(Long::longValue).sum();
    }
}
