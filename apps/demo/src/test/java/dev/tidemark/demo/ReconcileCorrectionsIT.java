package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Of windows of every kind, a recount finds what the table has lost or changed, and the app makes it right again, once. */
@ExtendWith(Servers.Shared.class)
@Timeout(900)
class ReconcileCorrectionsIT {

    private static final String VERSIONS = "select to_char(window_start at time zone 'UTC', 'HH24:MI'), version, total,"
            + " previous_total, delta, reason from totals where pipeline = ? and version > 0 and window_start < '%sZ'"
            + " order by window_start, version";

    private static Servers servers;

    @BeforeAll
    static void use(Servers shared) {
        servers = shared;
    }

    /** Windows of ten minutes, one every five. Each sale after 10:30 closes the windows of the one before. */
    @Test
    void overlappingWindowsOfWhichNothingIsLeft() throws InterruptedException {
        try (SalesPipeline pipeline = servers.pipeline("overlapping", "tidemark.totals.window.advance=5m")) {
            pipeline.start();
            pipeline.send(List.of(
                    sale("e1", "10:02:00", "100.00"),
                    sale("e2", "10:16:00", "5.00"), // closes 09:55 and 10:00
                    sale("e3", "10:07:00", "30.00"), // partly late: 10:05 is open
                    sale("e4", "10:03:00", "7.00"), // late
                    sale("e5", "10:31:00", "1.00"), // closes 10:05, 10:10 and 10:15
                    sale("e6", "11:01:00", "1.00"),
                    sale("e7", "11:31:00", "1.00"),
                    sale("e8", "12:01:00", "1.00"),
                    sale("e9", "12:31:00", "1.00")));
            pipeline.awaitTables();

            assertThat(recount(pipeline)).isEqualTo(new Recount(0, """
                    totals of overlapping, from the beginning to the end
                      input    9 records: 0 duplicate, 0 conflicting, 0 refused
                      windows  13 compared: 13 equal, 0 explained, 0 different, 0 missing, 0 unexpected; 2 not decided yet
                      ledger   received 9 of 147.00, accounted for 9 of 147.00
                      Nothing differs.
                    """));
            assertThatAReplayPublishesNothing(pipeline);

            servers.update("delete from totals where pipeline = 'overlapping'");
            Recount requested = recount(pipeline, "--correct");
            assertThat(requested.exitCode()).isEqualTo(1);
            assertThat(requested.text())
                    .contains("windows  13 compared: 0 equal, 0 explained, 0 different, 13 missing, 0 unexpected;")
                    .contains(
                            "  missing  S1 2026-07-01T10:00:00.000Z: published nothing, recounted 137.00 of 3; nothing"
                                    + " is published although the window is closed [e1, e3, e4]\n")
                    .endsWith("  missing  S1 2026-07-01T11:25:00.000Z: published nothing, recounted 1.00 of 1; nothing"
                            + " is published although the window is closed [e7]\n"
                            + "  … and 3 more\n"
                            + "  13 corrections requested; recount again to see them\n"
                            + "  It differs.\n");
            assertThat(requested.text().lines().filter(line -> line.startsWith("  missing  ")))
                    .hasSize(10);
            assertThat(pipeline.rows("select count(*), count(distinct window_start), max(number), count(explanation),"
                            + " count(*) filter (where correction = 'requested') from reconciliation_breaks"
                            + " join reconciliation_runs using (run_id) where pipeline = ? and kind = 'missing'"))
                    .containsExactly("13|13|13|10|13");

            assertThatNothingDiffersAnyMore(pipeline, 13);
            assertThat(pipeline.rows(VERSIONS.formatted("2026-07-01 10:20")))
                    .containsExactly(
                            "09:55|3|107.00|107.00|0.00|recount",
                            "10:00|4|137.00|137.00|0.00|recount",
                            "10:05|2|30.00|30.00|0.00|recount",
                            "10:10|2|5.00|5.00|0.00|recount",
                            "10:15|2|5.00|5.00|0.00|recount");
        }
    }

    /**
     * With a grace of 7 minutes the sale of 10:16 leaves 10:00 open, so that 30.00 are on time and 7.00 late for 09:55 only;
     * 10:15 is closed by the sale of 11:01 instead of that of 10:31.
     */
    private static void assertThatAReplayPublishesNothing(SalesPipeline pipeline) {
        List<String> before = everything("overlapping");
        Recount replay = recount(pipeline, "--replay-with", "grace=7m");

        assertThat(replay).isEqualTo(new Recount(0, """
                totals of overlapping, from the beginning to the end
                                                                    published         grace 5m         grace 7m
                  windows with a final                                     13               13               13
                  windows that are open                                     2                2                2
                  corrections                                               3                3                1
                  late events                                               2                2                1
                  their amount                                          37.00            37.00             7.00
                  events that were too late for all                         0                0                0
                  their amount                                           0.00             0.00             0.00
                  stream time behind the window's end: mean             1098s            1098s            1306s
                                                   longest                26m              26m              36m
                """));
        assertThat(everything("overlapping")).isEqualTo(before);
    }

    /** Days in Berlin, one of 23 hours and one of 25. */
    @Test
    void daysOnWhichTheClocksChange() throws InterruptedException {
        String[] settings = {
            "tidemark.totals.window.size=",
            "tidemark.totals.window.calendar=day",
            "tidemark.totals.window.zone=Europe/Berlin"
        };
        try (SalesPipeline pipeline = servers.pipeline("changing-clocks", settings)) {
            pipeline.start();
            pipeline.send(List.of(
                    sale("e1", "2025-03-29T22:59:59Z", "1.00"),
                    sale("e2", "2025-03-29T23:00:00Z", "10.00"), // 30 March begins
                    sale("e3", "2025-03-30T21:59:59Z", "20.00"),
                    sale("e4", "2025-03-30T22:00:00Z", "100.00"), // 31 March begins after 23 hours
                    sale("e5", "2025-10-25T22:00:00Z", "1000.00"), // 26 October begins
                    sale("e6", "2025-10-26T22:59:59Z", "2000.00"),
                    sale("e7", "2025-10-26T23:00:00Z", "5.00"), // 27 October begins after 25 hours
                    sale("e8", "2025-10-27T23:06:00Z", "7.00"),
                    sale("e9", "2025-10-26T22:30:00Z", "40.00"))); // late
            pipeline.awaitTables();

            assertThat(recount(pipeline).text()).contains("windows  5 compared: 5 equal,", "Nothing differs.");
            servers.update("alter table totals disable trigger protect_totals");
            servers.update("update totals set total = 3041.00 where pipeline = 'changing-clocks' and version = 2");
            servers.update("update totals set total = 31.00, window_end = '2025-03-30T23:00Z'"
                    + " where pipeline = 'changing-clocks' and window_start = '2025-03-29T23:00Z' and version = 1");
            servers.update("alter table totals enable trigger protect_totals");
            Recount requested = recount(pipeline, "--correct");
            assertThat(requested.exitCode()).isEqualTo(1);
            assertThat(requested.text())
                    .contains("windows  5 compared: 3 equal, 0 explained, 2 different,")
                    .contains("S1 2025-03-29T23:00:00.000Z: published 31.00 of 2 (version 1), recounted 30.00 of 2;")
                    .contains(
                            "S1 2025-10-25T22:00:00.000Z: published 3041.00 of 3 (version 2), recounted 3040.00 of 3;")
                    .contains("  2 corrections requested; recount again to see them\n");
            // The app has forgotten what it published of March.
            assertThatNothingDiffersAnyMore(pipeline, 1, "--from=2025-10-26", "--to=2025-10-27");
            assertThat(pipeline.rows("select window_end - window_start, version, total, previous_total, delta, reason"
                            + " from totals_current where pipeline = ? and window_start = '2025-10-25T22:00Z'"))
                    .containsExactly("1 day 01:00:00|3|3040.00|3040.00|0.00|recount");
        }
    }

    /** Late sales of an hour of stream time become one version. */
    @Test
    void correctionsThatAreGathered() throws InterruptedException {
        try (SalesPipeline pipeline = servers.pipeline("gathering", "tidemark.totals.correct-every=1h")) {
            pipeline.start();
            pipeline.send(List.of(
                    sale("e1", "10:01:00", "100.00"),
                    sale("e2", "10:16:00", "5.00"), // closes 10:00
                    sale("e3", "10:02:00", "1.00"),
                    sale("e4", "10:03:00", "2.00")));
            pipeline.awaitTables();
            assertThat(recount(pipeline).text())
                    .contains("windows  1 compared: 0 equal, 1 explained,", "Nothing differs.");

            pipeline.send(List.of(sale("e5", "11:00:00", "1.00"))); // closes 10:10
            pipeline.awaitTables();
            servers.update("alter table totals disable trigger protect_totals");
            servers.update("update totals set total = 104.00 where pipeline = 'gathering' and version = 2");
            servers.update("alter table totals enable trigger protect_totals");
            assertThat(recount(pipeline, "--correct").text())
                    .contains("windows  2 compared: 1 equal, 0 explained, 1 different,")
                    .contains("published 104.00 of 3 (version 2), recounted 103.00 of 3;")
                    .contains("  1 corrections requested; recount again to see them\n");
            assertThatNothingDiffersAnyMore(pipeline, 2);

            pipeline.send(List.of(sale("e6", "10:04:00", "4.00"), sale("e7", "12:00:00", "1.00")));
            pipeline.awaitTables();
            assertThat(recount(pipeline).text()).contains("windows  3 compared: 3 equal,", "Nothing differs.");
            assertThat(pipeline.rows(VERSIONS.formatted("2026-07-01 10:10")))
                    .containsExactly(
                            "10:00|1|100.00|null|null|null",
                            "10:00|2|104.00|100.00|3.00|late",
                            "10:00|3|103.00|103.00|0.00|recount",
                            "10:00|4|107.00|103.00|4.00|late");
        }
    }

    /** Results are deleted from their topic while the sink is away: a correction, two finals, and one of a single version. */
    @Test
    void resultsThatTheSinkHasNeverSeen() throws Exception {
        // Nothing can be deleted from a topic that is only compacted.
        servers.createTopic(
                "lost-totals",
                SalesPipeline.PARTITIONS,
                Map.of("cleanup.policy", "delete", "retention.ms", "-1", "message.timestamp.type", "LogAppendTime"));
        try (SalesPipeline pipeline = servers.pipeline("lost")) {
            pipeline.start();
            pipeline.send(List.of(
                    sale("e1", "10:01:00", "100.00"),
                    sale("e2", "10:05:00", "250.00"),
                    sale("e3", "10:16:00", "5.00"))); // closes 10:00
            pipeline.awaitTables();
            servers.connect.stop("totals");
            try {
                pipeline.send(List.of(
                        sale("e4", "10:08:00", "80.00"), // version 2 of 10:00
                        sale("e5", "10:21:00", "7.00"),
                        sale("e6", "10:46:00", "9.00"))); // closes 10:10 and 10:20
                pipeline.awaitApp();
                Map<TopicPartition, RecordsToDelete> all = partitions("lost-totals")
                        .collect(Collectors.toMap(
                                Function.identity(), partition -> RecordsToDelete.beforeOffset(end(partition))));
                servers.admin.deleteRecords(all).all().get();
            } finally {
                servers.connect.resume("totals");
            }
            pipeline.send(List.of(sale("e7", "10:19:00", "3.00"))); // version 2 of 10:10
            pipeline.awaitTables();

            Recount requested = recount(pipeline, "--correct");
            assertThat(requested).isEqualTo(new Recount(1, """
                    totals of lost, from the beginning to the end
                      input    7 records: 0 duplicate, 0 conflicting, 0 refused
                      windows  3 compared: 0 equal, 0 explained, 2 different, 1 missing, 0 unexpected; 1 not decided yet
                      ledger   received 7 of 454.00, accounted for 7 of 454.00
                      different  S1 2026-07-01T10:00:00.000Z: published 350.00 of 2 (version 1), recounted 430.00 of 3; event \
                    e4 is missing [e4]
                      version-missing  S1 2026-07-01T10:10:00.000Z: published 8.00 of 2 (version 2), recounted 8.00 of 2; \
                    version 1 is not there
                      missing  S1 2026-07-01T10:20:00.000Z: published nothing, recounted 7.00 of 1; nothing is published \
                    although the window is closed [e5]
                      3 corrections requested; recount again to see them
                      It differs.
                    """));
            assertThatNothingDiffersAnyMore(pipeline, 3);

            pipeline.send(List.of(sale("e8", "10:09:00", "1.00")));
            pipeline.awaitTables();
            assertThat(recount(pipeline).exitCode()).isZero();
            assertThat(pipeline.rows(VERSIONS.formatted("2026-07-01 10:30")))
                    .containsExactly(
                            "10:00|1|350.00|null|null|null",
                            "10:00|3|430.00|430.00|0.00|recount",
                            "10:00|4|431.00|430.00|1.00|late",
                            "10:10|2|8.00|5.00|3.00|late",
                            "10:10|3|8.00|8.00|0.00|recount",
                            "10:20|2|7.00|7.00|0.00|recount");
        }
    }

    /** Asks for corrections a second time, at once: what was asked for first is waited for, and then there is nothing to ask for. */
    private static void assertThatNothingDiffersAnyMore(SalesPipeline pipeline, int windows, String... span) {
        Recount again = recount(
                pipeline, Stream.concat(Stream.of("--correct"), Stream.of(span)).toArray(String[]::new));
        assertThat(again.text())
                .contains("windows  %d compared: %d equal,".formatted(windows, windows))
                .endsWith("  Nothing differs.\n");
        assertThat(again.exitCode()).isZero();
    }

    private static Recount recount(SalesPipeline pipeline, String... more) {
        return Recount.of(servers, pipeline, more);
    }

    /** The rows of a pipeline, with xmin, which tells one that was written again, and where its result topics end. */
    private static List<String> everything(String pipeline) {
        List<String> all = new ArrayList<>();
        for (String table : List.of("totals", "exceptions", "ledger", "lateness", "reconciliation_runs")) {
            all.addAll(servers.rows("select *, xmin from " + table + " where pipeline = ? order by ctid", pipeline));
        }
        Stream.of("totals", "exceptions", "ledger", "lateness", "recounts", "dead-letters")
                .flatMap(topic -> partitions(pipeline + "-" + topic))
                .forEach(partition -> all.add(partition + " " + end(partition)));
        return all;
    }

    private static Stream<TopicPartition> partitions(String topic) {
        try {
            int count = servers.admin
                    .describeTopics(List.of(topic))
                    .allTopicNames()
                    .get()
                    .get(topic)
                    .partitions()
                    .size();
            return IntStream.range(0, count).mapToObj(partition -> new TopicPartition(topic, partition));
        } catch (ExecutionException e) {
            throw new IllegalStateException(topic, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static long end(TopicPartition partition) {
        try {
            return servers.admin
                    .listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .get()
                    .offset();
        } catch (ExecutionException e) {
            throw new IllegalStateException(partition.toString(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** @param time a time of 1 July 2026, or one with its date */
    private static Sale sale(String id, String time, String amount) {
        Instant when = Instant.parse(time.contains("T") ? time : "2026-07-01T" + time + "Z");
        return Sale.of(id, "S1", when, new BigDecimal(amount));
    }
}
