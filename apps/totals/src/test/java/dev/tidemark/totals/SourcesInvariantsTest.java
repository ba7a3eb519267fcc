package dev.tidemark.totals;

import static java.util.function.Predicate.not;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.AllTasks;
import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.JsonRow;
import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.Rows;
import dev.tidemark.common.TotalsProperties;
import dev.tidemark.totals.Step.FutureSale;
import dev.tidemark.totals.Step.Input;
import dev.tidemark.totals.Step.Refused;
import dev.tidemark.totals.Step.Sale;
import dev.tidemark.totals.Windowing.Span;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsCollector;
import net.jqwik.api.statistics.StatisticsReport;
import net.jqwik.api.statistics.StatisticsReport.StatisticsReportMode;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import tools.jackson.databind.JsonNode;

/**
 * What holds for sales of several source partitions that are moved to the partitions of their stores, by tasks that read,
 * commit, restart and crash in any order, and some of which find their source partition quiet: every task of the topology
 * runs here, on one log.
 */
class SourcesInvariantsTest {

    private static final String INPUT = "sales";
    private static final String SEEN = "seen";
    private static final List<Windowing> OVERLAPPING = Windowing.ALL.stream()
            .filter(windowing -> windowing.of(windowing.sample(0).start()).size() > 1)
            .toList();
    /** Later than all sales. */
    private static final Instant NOW = Instant.parse("2060-01-01T00:00:00Z");

    /**
     * What a run starts from.
     *
     * @param windowing the kind of windows
     * @param partitions how many the input has
     * @param global whether ids are unique among all sales
     * @param grace in thousandths of the time from one window to the next
     * @param slack likewise
     * @param correctEvery in seconds; 0: each late sale is a version
     * @param quiet whether source partitions may be quiet; then what is late cannot be told beforehand
     * @param seed what is sent, and what the tasks do
     */
    record Draw(
            Windowing windowing,
            int partitions,
            boolean global,
            int grace,
            int slack,
            int correctEvery,
            boolean quiet,
            long seed) {

        long unit() {
            return windowing.sample(1).start() - windowing.sample(0).start();
        }

        TotalsProperties properties() {
            List<String> settings = new ArrayList<>(windowing.settings());
            settings.addAll(List.of(
                    "input.partitioned-by-key=false",
                    "deduplicate-scope=" + (global ? "global" : "key"),
                    "grace=" + unit() / 1_000 * grace + "ms",
                    "slack=" + Math.max(1_000, unit() / 1_000 * slack) + "ms",
                    "idle-after=" + (quiet ? "1s" : "1d"),
                    "correct-every=" + correctEvery + "s",
                    "correct-until=3660d",
                    "deduplicate-for=3660d"));
            return Totals.settings(settings.toArray(String[]::new));
        }
    }

    @Provide
    Arbitrary<Draw> draws() {
        return Combinators.combine(
                        Arbitraries.oneOf(Arbitraries.of(Windowing.ALL), Arbitraries.of(OVERLAPPING)),
                        Arbitraries.integers().between(1, 3),
                        Arbitraries.of(false, true),
                        Arbitraries.integers().between(0, 1_000),
                        Arbitraries.integers().between(1, 1_000),
                        Arbitraries.of(0, 0, 240, 3_600),
                        Arbitraries.of(false, true),
                        Arbitraries.longs())
                .as(Draw::new);
    }

    @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
    @StatisticsReport(StatisticsReportMode.OFF)
    void noInterleavingOfTasksBreaksARule(@ForAll("draws") Draw draw) {
        assertRulesHold(draw);
    }

    @Property(tries = 4_000, edgeCases = EdgeCasesMode.NONE)
    @StatisticsReport(StatisticsReportMode.OFF)
    @Tag("thorough")
    void noneOfManyMoreInterleavingsBreaksARule(@ForAll("draws") Draw draw) {
        assertRulesHold(draw);
    }

    /** Judges one run, and whether all of them together had everything in them. */
    private static void assertRulesHold(Draw draw) {
        Sources run = new Sources(draw);
        run.toTheEnd();

        Map<String, String> dispositions = dispositions(run);
        List<Sent> accepted = accepted(run, dispositions);
        assertThat(latest(run)).as("the latest version is the batch sum").isEqualTo(sums(accepted, draw.windowing()));
        if (!draw.quiet()) {
            assertThat(accepted.stream().filter(Sent::withinGrace))
                    .as("only what is beyond the grace is late")
                    .allMatch(sent -> dispositions.get(sent.place()).equals("counted"));
        }
        assertLedgerIsThatOf(run, dispositions);
        assertThat(run.log.records("sales-dead-letters").stream().map(SourcesInvariantsTest::text))
                .as("what is refused is parked")
                .containsExactlyInAnyOrderElementsOf(run.sent.stream()
                        .filter(sent -> !(sent.input() instanceof Sale))
                        .map(Sent::value)
                        .toList());
        noteWhatWasSeen(run, dispositions);
    }

    private static void noteWhatWasSeen(Sources run, Map<String, String> dispositions) {
        StatisticsCollector seen = Statistics.label(SEEN);
        dispositions.values().stream().distinct().forEach(seen::collect);
        run.rows("sales-totals").stream()
                .map(row -> row.get("closed_by").asString())
                .filter(not(String::isEmpty))
                .distinct()
                .forEach(seen::collect);
        seen.coverage(coverage -> Stream.of(
                        "counted",
                        "partly-late",
                        "late",
                        "duplicate",
                        "conflicting",
                        "future",
                        "malformed",
                        "out-of-range",
                        "watermark",
                        "idle",
                        "end-of-input")
                .forEach(what -> coverage.check(what).count(runs -> runs > 0)));
    }

    /** What became of each record, by its place. */
    private static Map<String, String> dispositions(Sources run) {
        Map<String, String> exceptions = new HashMap<>();
        for (JsonNode row : run.rows("sales-exceptions")) {
            String place = Rows.place(row);
            assertThat(exceptions.put(place, row.get("disposition").asString()))
                    .as("one disposition for %s", place)
                    .isNull();
        }
        Map<String, String> dispositions = new TreeMap<>();
        run.sent.forEach(sent -> dispositions.put(sent.place(), exceptions.getOrDefault(sent.place(), "counted")));
        assertThat(dispositions.keySet()).containsAll(exceptions.keySet());
        return dispositions;
    }

    /** Whichever sale of an identity was the first to be judged: one is accepted, and the others are compared with it. */
    private static List<Sent> accepted(Sources run, Map<String, String> dispositions) {
        List<Sent> accepted = new ArrayList<>();
        Map<String, List<Sent>> identities = new TreeMap<>();
        for (Sent sent : run.sent) {
            if (sent.input() instanceof Sale sale) {
                String identity = run.draw.global() ? sale.id() : sale.store() + " " + sale.id();
                identities.computeIfAbsent(identity, i -> new ArrayList<>()).add(sent);
            } else {
                String refusal = sent.input() instanceof Refused refused ? refused.disposition() : "future";
                assertThat(dispositions.get(sent.place())).as(sent.place()).isEqualTo(refusal);
            }
        }
        identities.forEach((identity, sales) -> {
            List<Sent> first = sales.stream()
                    .filter(sent -> List.of("counted", "partly-late", "late").contains(dispositions.get(sent.place())))
                    .toList();
            assertThat(first).as("accepted of %s", identity).hasSize(1);
            accepted.addAll(first);
            for (Sent sent : sales) {
                boolean same = sent.input().equals(first.get(0).input());
                assertThat(dispositions.get(sent.place()))
                        .as(sent.place())
                        .matches(disposition ->
                                sent == first.get(0) || disposition.equals(same ? "duplicate" : "conflicting"));
            }
        });
        return accepted;
    }

    /** The latest version of each window, whose versions rise by one. */
    private static Map<String, BigDecimal> latest(Sources run) {
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
        return totals;
    }

    private static Map<String, BigDecimal> sums(List<Sent> accepted, Windowing windowing) {
        Map<String, BigDecimal> sums = new TreeMap<>();
        for (Sent sent : accepted) {
            Sale sale = (Sale) sent.input();
            for (Span span : windowing.of(sale.time())) {
                sums.merge(sale.store() + " " + JsonRow.timeText(span.start()), sale.amount(), BigDecimal::add);
            }
        }
        return sums;
    }

    private static void assertLedgerIsThatOf(Sources run, Map<String, String> dispositions) {
        List<JsonNode> rows = run.rows("sales-ledger");
        Rows.assertLedgerBalances(rows, run.sent.size());
        Map<Integer, JsonNode> latest = new TreeMap<>();
        rows.forEach(row -> latest.put(row.get("source_partition").intValue(), row));
        latest.forEach((partition, row) -> {
            Map<String, Long> counts = dispositions.entrySet().stream()
                    .filter(entry -> entry.getKey().startsWith(INPUT + "/" + partition + "/"))
                    .collect(groupingBy(entry -> entry.getValue().replace('-', '_'), counting()));
            for (String column : Rows.DISPOSITIONS) {
                assertThat(row.get(column).longValue())
                        .as("%s of partition %d", column, partition)
                        .isEqualTo(counts.getOrDefault(column, 0L));
            }
        });
    }

    private static String text(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.value(), StandardCharsets.UTF_8);
    }

    /**
     * A record of the input.
     *
     * @param place where it lies, as {@link Rows#place} names it
     * @param input what it is
     * @param value its value
     * @param withinGrace whether it is at most the grace behind the stream time of its source partition
     */
    private record Sent(String place, Input input, String value, boolean withinGrace) {}

    /** The tasks of a pipeline, and what was sent to it. */
    private static final class Sources {

        private final List<Sent> sent = new ArrayList<>();

        private final Draw draw;
        private final TotalsProperties settings;
        private final Random random;
        private final MemoryLog log;
        private final ManualTime time = new ManualTime(NOW);
        private final AllTasks tasks;
        private final long[] streamTimes;

        Sources(Draw draw) {
            this.draw = draw;
            this.settings = draw.properties();
            this.random = new Random(draw.seed());
            this.streamTimes = new long[draw.partitions()];
            Map<String, Integer> counts = new HashMap<>();
            counts.put(INPUT, draw.partitions());
            for (String moved : List.of(
                    "by-key", "by-event-id", "ledger-of-reading", "ledger-of-deduplicating", "ledger-of-counting")) {
                counts.put("test-" + moved + "-repartition", draw.partitions());
            }
            log = new MemoryLog(counts);
            sell();
            InputPartitions inputs = new InputPartitions();
            inputs.set(INPUT, draw.partitions());
            tasks = new AllTasks(
                    builder -> new TotalsTopology(settings, inputs, new SimpleMeterRegistry()).build(builder),
                    log,
                    time);
        }

        /**
         * Sales of a few windows or very many, out of order, some long overdue, some repeated or contradicted, and
         * refused records between them, in any partition.
         */
        private void sell() {
            int count = 5 + random.nextInt(40);
            int step = random.nextBoolean() ? 200 : 3_000;
            long thousandth = draw.unit() / 1_000;
            long now = draw.windowing().sample(0).start() + 12_000 * thousandth;
            List<Sale> sales = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                now += random.nextInt(step) * thousandth;
                long late = random.nextInt(random.nextInt(6) == 0 ? 11_000 : 500) * thousandth;
                BigDecimal amount = BigDecimal.valueOf(random.nextInt(1_000), 2);
                Sale sale = new Sale("S" + random.nextInt(3), "e" + i, now - late, amount);
                sales.add(sale);
                send(sale);
                if (random.nextInt(8) == 0) {
                    send(random.nextBoolean() ? sale : sales.get(random.nextInt(sales.size())));
                }
                if (random.nextInt(8) == 0) {
                    send(contradict(sales.get(random.nextInt(sales.size()))));
                }
                if (random.nextInt(8) == 0) {
                    send(refused(sale));
                }
            }
            IntStream.range(0, draw.partitions()).forEach(partition -> log.endInput(INPUT, partition, time.now()));
        }

        private Sale contradict(Sale sale) {
            return switch (random.nextInt(3)) {
                case 0 -> new Sale("S" + random.nextInt(3), sale.id(), sale.time(), sale.amount());
                case 1 -> new Sale(sale.store(), sale.id(), sale.time() + draw.unit(), sale.amount());
                default ->
                    new Sale(sale.store(), sale.id(), sale.time(), sale.amount().add(BigDecimal.ONE));
            };
        }

        private Input refused(Sale sale) {
            return switch (random.nextInt(3)) {
                case 0 ->
                    new FutureSale(sale.store(), sale.id(), settings.maxFuture().plusMillis(1));
                case 1 -> new Refused(sale.value(NOW).substring(1), "malformed");
                default ->
                    new Refused(
                            new Sale(sale.store(), sale.id(), sale.time(), new BigDecimal("9e30")).value(NOW),
                            "out-of-range");
            };
        }

        private void send(Input input) {
            int partition = random.nextInt(draw.partitions());
            int offset = log.records(new TopicPartition(INPUT, partition)).size();
            boolean withinGrace = false;
            if (input instanceof Sale sale) {
                withinGrace =
                        sale.time() >= streamTimes[partition] - settings.grace().toMillis();
                streamTimes[partition] = Math.max(streamTimes[partition], sale.time());
            }
            String value = input.value(time.now());
            log.append(INPUT, partition, value.getBytes(StandardCharsets.UTF_8), time.now());
            sent.add(new Sent(INPUT + "/" + partition + "/" + offset, input, value, withinGrace));
        }

        void toTheEnd() {
            for (int step = 0; step < 60; step++) {
                tasks.step(random);
                if (random.nextInt(8) == 0) {
                    tasks.quiet(random);
                }
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
