package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.reconcile.ReconcileApplication;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** The recount finds what is broken on purpose, and nothing where nothing is. */
@ExtendWith(Servers.Shared.class)
@Timeout(900)
class ReconcileIT {

    private static final String NAME = "recounted";
    private static final String WINDOW = "window_start = '2026-07-01 10:00Z'";
    private static final String CURRENT = "select version, total, reason from totals_current where pipeline = ?";
    private static final String SUMMARY = "select outcome, compared, equal, explained, different, missing, unexpected"
            + " from reconciliation_runs where pipeline = ? order by finished_at desc limit 1";
    private static final String BREAKS = "select kind, key, published_version, published_total, recounted_total,"
            + " recounted_count, explanation, event_ids from reconciliation_breaks join reconciliation_runs"
            + " using (run_id) where pipeline = ? and run_id = (select run_id from reconciliation_runs"
            + " order by finished_at desc limit 1) order by number";

    private static Servers servers;
    private static SalesPipeline pipeline;

    /** Three versions of a window, a final of three others, an event that was too late, and windows that are open. */
    @BeforeAll
    static void publish(Servers shared) throws InterruptedException {
        servers = shared;
        pipeline = servers.pipeline(NAME, "tidemark.totals.correct-until=1h");
        pipeline.start();
        pipeline.send(List.of(
                sale("e1", "10:01:00", "100.00"),
                sale("e2", "10:05:00", "250.00"),
                sale("e2", "10:05:00", "250.00"),
                sale("e3", "10:16:00", "5.00"), // closes 10:00
                sale("e4", "10:08:00", "80.00"),
                sale("e5", "10:09:00", "1.00"),
                sale("e3", "10:16:00", "5.01"), // conflicting
                new Sale("S1", "{}"),
                sale("e6", "10:31:00", "7.00"), // closes 10:10
                sale("e7", "12:00:00", "3.00"), // closes 10:30
                sale("e8", "10:15:00", "2.00"))); // too late
        pipeline.awaitTables();
        pipeline.stop();
    }

    @AfterAll
    static void close() {
        pipeline.close();
    }

    @BeforeEach
    void keepRows() {
        servers.update("create table kept as select * from totals where pipeline = '" + NAME + "'");
        servers.update("alter table totals disable trigger protect_totals");
    }

    @AfterEach
    void restoreRows() {
        servers.update("delete from totals where pipeline = '" + NAME + "'");
        servers.update("insert into totals select * from kept");
        servers.update("drop table kept");
        servers.update("alter table totals enable trigger protect_totals");
    }

    @Test
    void whatWasPublishedIsWhatTheInputSays() {
        Recount recount = recount();

        assertThat(recount.text()).isEqualTo("""
                totals of recounted, from the beginning to the end
                  input    11 records: 1 duplicate, 1 conflicting, 1 refused
                  windows  3 compared: 2 equal, 1 explained, 0 different, 0 missing, 0 unexpected; 1 not decided yet
                  ledger   received 11 of 703.01, accounted for 11 of 703.01
                  Nothing differs.
                """);
        assertThat(recount.exitCode()).isZero();
        assertThat(pipeline.rows(SUMMARY)).containsExactly("equal|3|2|1|0|0|0");
    }

    @Test
    void aRowThatWasChangedIsFound() {
        servers.update("update totals set total = 432.00 where pipeline = 'recounted' and version = 3");

        assertThat(recount().exitCode()).isEqualTo(1);
        assertThat(breaks())
                .containsExactly("different|S1|3|432.00|431.00|4|the events are as many, so that none explains it:"
                        + " the row was changed|[]");
        assertThat(pipeline.rows(SUMMARY)).containsExactly("different|3|1|1|1|0|0");
    }

    /** Which of two sales with one id counts, the input does not say; and of what it does not know, it says nothing. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "update totals set total = 6.00 where pipeline = 'recounted' and version = 1"
                        + " and window_start = '2026-07-01 10:10Z'",
                "update totals set key = 'S2' where pipeline = 'recounted' and version = 0"
                        + " and window_start = '2026-07-01 12:00Z'"
            })
    void whatTheRecountCannotProveIsNotCorrected(String change) {
        servers.update(change);

        Recount recount = recount("--correct");
        assertThat(recount.exitCode()).isEqualTo(1);
        assertThat(recount.text()).doesNotContain("requested");
    }

    @Test
    void aSmallestAmountThatWasChangedIsFound() {
        servers.update("update totals set minimum = 0.01 where pipeline = 'recounted' and version = 3");

        assertThat(recount().exitCode()).isEqualTo(1);
        assertThat(breaks())
                .containsExactly("different|S1|3|431.00|431.00|4|smallest or greatest amount, or end of the window,"
                        + " differ: the row was changed|[]");
    }

    @Test
    void anotherScaleIsFound() {
        servers.update("update totals set total = 4.3100 where pipeline = 'recounted' and version = 3");

        Recount recount = recount();
        assertThat(recount.text())
                .contains(
                        "  different  S1 2026-07-01T10:00:00.000Z: published 4.3100 of 4 (version 3), recounted 431.00"
                                + " of 4; the totals differ by a power of ten: see the scale of the amounts\n");
        assertThat(recount.exitCode()).isEqualTo(1);
    }

    @Test
    void whatWasPublishedWithOtherSettingsCannotBeCompared() {
        servers.update("update totals set settings = '0badc0de' where pipeline = 'recounted' and version = 3");

        Recount recount = recount();
        assertThat(recount.text())
                .contains("could not tell: Totals of recounted were published with other settings (0badc0de)");
        assertThat(recount.exitCode()).isEqualTo(2);
    }

    @Test
    void whereEveryWindowMayStillChangeNothingIsSaidToBeEqual() {
        Recount recount = recount("--from=2026-07-01T12:00:00Z");

        assertThat(recount.text()).contains("could not tell: all of the 1 windows may still change");
        assertThat(recount.exitCode()).isEqualTo(2);
    }

    @Test
    void aRowThatWasDeletedIsFound() {
        servers.update("delete from totals where pipeline = 'recounted' and window_start = '2026-07-01 10:30Z'");

        assertThat(recount().exitCode()).isEqualTo(1);
        assertThat(breaks())
                .containsExactly(
                        "missing|S1|null|null|7.00|1|nothing is published although the window is closed|[\"e6\"]");
    }

    @Test
    void aFinalThatNeverArrivedIsFound() {
        servers.update("delete from totals where pipeline = 'recounted' and window_start = '2026-07-01 10:30Z'"
                + " and version = 1");

        assertThat(recount().exitCode()).isEqualTo(1);
        assertThat(breaks())
                .containsExactly("missing|S1|0|7.00|7.00|1|it is published as provisional only although the window is"
                        + " closed|[\"e6\"]");
    }

    @Test
    void aCorrectionThatNeverArrivedIsFoundWithItsEvent() {
        servers.update("delete from totals where pipeline = 'recounted' and version = 3");

        Recount recount = recount();
        assertThat(recount.text())
                .contains("published 430.00 of 3 (version 2), recounted 431.00 of 4; event e5 is missing [e5]\n"
                        + "  It differs.\n");
        assertThat(recount.exitCode()).isEqualTo(1);
    }

    @Test
    void aVersionThatIsNotThereIsFound() {
        servers.update("delete from totals where pipeline = 'recounted' and version = 2");

        assertThat(recount().exitCode()).isEqualTo(1);
        assertThat(breaks()).containsExactly("version-missing|S1|3|431.00|431.00|4|version 2 is not there|[]");
    }

    @Test
    void aFinalThatIsNotThereBeforeItsCorrectionsIsFound() {
        servers.update("delete from totals where pipeline = 'recounted' and version = 1 and " + WINDOW);

        assertThat(recount().exitCode()).isEqualTo(1);
        assertThat(breaks()).containsExactly("version-missing|S1|3|431.00|431.00|4|version 1 is not there|[]");
    }

    @Test
    void aRowOfWhichTheInputKnowsNothingIsFound() {
        servers.update("update totals set key = 'S2' where pipeline = 'recounted' and version = 0"
                + " and window_start = '2026-07-01 12:00Z'");

        assertThat(recount().exitCode()).isEqualTo(1);
        assertThat(breaks()).containsExactly("unexpected|S2|0|3.00|null|null|the input has no event for it|[]");
    }

    @Test
    void aBreakIsUnresolvedUntilALaterRecountOfItsWindowDoesNotFindIt() {
        String unresolved = "select kind, window_start = '2026-07-01 10:30Z' from unresolved_breaks where pipeline = ?";
        servers.update("delete from totals where pipeline = 'recounted' and window_start = '2026-07-01 10:30Z'");
        recount();
        recount("--from=2026-07-01", "--to=2026-07-01T10:30:00Z");
        assertThat(pipeline.rows(unresolved)).containsExactly("missing|t");

        servers.update("delete from totals where pipeline = '" + NAME + "'");
        servers.update("insert into totals select * from kept");
        recount("--from=2026-07-01T10:30:00Z");
        assertThat(pipeline.rows(unresolved)).isEmpty();
    }

    /** The window of 12:00 is open, and the ledger knows 11 records. */
    @Test
    void aBreakStaysUnresolvedWhileARecountCannotSayWhetherItIsStillThere() {
        recount();
        servers.update("""
                insert into reconciliation_breaks (run_id, number, kind, key, window_start, published_count, recounted_count)
                select run_id, number, kind, key, start, 1, count
                from (select run_id from reconciliation_runs where pipeline = 'recounted'
                      order by finished_at desc limit 1) as run,
                     (values (1, 'missing', 'S1', timestamptz '2026-07-01 12:00Z', 2),
                             (2, 'missing', 'S1', '2026-07-01 10:00Z', 2),
                             (3, 'ledger', null, null, 12),
                             (4, 'ledger', null, null, 11)) as found (number, kind, key, start, count)""");
        recount();

        assertThat(pipeline.rows("select number from unresolved_breaks where pipeline = ? order by number"))
                .containsExactly("1", "3");
        servers.update("delete from reconciliation_breaks where resolved_by is null");
    }

    @Test
    void onlyTheWindowsOfTheSpanAreCompared() {
        servers.update("delete from totals where pipeline = 'recounted' and window_start = '2026-07-01 10:30Z'");

        assertThat(recount("--from=2026-07-01", "--to=2026-07-01T10:30:00Z").exitCode())
                .isZero();
        assertThat(pipeline.rows(SUMMARY)).containsExactly("equal|2|1|1|0|0|0");
        assertThat(recount("--from=2026-07-01T10:30:00Z", "--to=2026-07-02").exitCode())
                .isEqualTo(1);
        assertThat(recount("--from=2026-07-02", "--to=2026-07-03").exitCode()).isZero();
    }

    @Test
    void theReplayWithThePresentGraceMakesWhatWasPublishedAndALongerOneMakesFewerCorrections() {
        Recount replay = recount("--replay-with", "grace=15m");

        assertThat(replay.text()).isEqualTo("""
                totals of recounted, from the beginning to the end
                                                                    published         grace 5m        grace 15m
                  windows with a final                                      3                3                3
                  windows that are open                                     1                1                1
                  corrections                                               2                2                0
                  late events                                               2                2                0
                  their amount                                          81.00            81.00             0.00
                  events that were too late for all                         1                1                1
                  their amount                                           2.00             2.00             2.00
                  stream time behind the window's end: mean             1940s            1940s              67m
                                                   longest                80m              80m             100m
                """);
        assertThat(replay.exitCode()).isZero();
        assertThat(recount("--replay-with=grace=soon").text())
                .isEqualTo("Could not tell: --replay-with is grace=soon; it needs a grace from 0s to 366d, such as"
                        + " grace=10m\n");
    }

    @Test
    void onAScheduleItRecountsAgainAndAgainAndIsReadyMeanwhile() throws IOException, InterruptedException {
        String runs = "select count(*) from reconciliation_runs where pipeline = ? and outcome = 'equal'"
                + " and from_time is not null";
        String[] settings = Stream.concat(
                        Recount.arguments(servers, pipeline.settings()).stream().filter(each -> !each.equals("--once")),
                        Stream.of(
                                "--tidemark.reconcile.every=1s",
                                "--tidemark.reconcile.last=3660d",
                                App.WITH_DATABASE_ONLY,
                                "--server.port=0"))
                .toArray(String[]::new);
        try (ConfigurableApplicationContext app = ReconcileApplication.start(settings)) {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> Long.parseLong(pipeline.rows(runs).get(0)) >= 2);

            assertThat(ask(app, "/actuator/health/readiness"))
                    .startsWith("{\"components\":{\"db\":")
                    .contains("\"status\":\"UP\"");
            assertThat(ask(app, "/events?id=e3"))
                    .contains(
                            "\"event_time\":\"2026-07-01T10:16:00Z\"",
                            "\"offset\":3,",
                            "\"amount\":5.00,\"settled\":true,")
                    .contains("\"windows\":[{\"start\":\"2026-07-01T10:10:00Z\",\"end\":\"2026-07-01T10:20:00Z\"}]")
                    .contains("\"offset\":6,", "\"amount\":5.01,")
                    .contains("\"problems\":[]");
            assertThat(ask(app, "/events?id=e9")).contains("\"found\":[]");
        }
    }

    private static String ask(ConfigurableApplicationContext app, String path)
            throws IOException, InterruptedException {
        String port = app.getEnvironment().getProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void aLedgerThatDoesNotBalanceIsFound() {
        servers.update("alter table ledger disable trigger protect_ledger");
        servers.update("update ledger set late = late - 1 where pipeline = 'recounted' and late > 0");
        try {
            assertThat(recount().text())
                    .contains("  ledger: published 703.01 of 10, recounted 703.01 of 11;"
                            + " the ledger does not balance\n");
        } finally {
            servers.update("update ledger set late = late + 1 where pipeline = 'recounted' and late > 0");
            servers.update("alter table ledger enable trigger protect_ledger");
        }
    }

    @Test
    void aDuplicateThatWasCountedBeyondWhatTheAppRemembersIsFoundAndCanBeCorrectedOnce() throws InterruptedException {
        try (SalesPipeline repeats = servers.pipeline("repeats", "tidemark.totals.deduplicate-for=1h")) {
            repeats.start();
            repeats.send(List.of(
                    sale("e1", "10:01:00", "100.00"),
                    sale("e2", "10:02:00", "30.00"),
                    sale("e3", "12:00:00", "5.00"),
                    sale("e1", "10:01:00", "100.00")));
            repeats.awaitTables();

            Recount recount = Recount.of(servers, repeats);
            assertThat(recount.text())
                    .contains("published 230.00 of 3 (version 2), recounted 130.00 of 2; event e1 was counted twice"
                            + " [e1]\n");
            assertThat(recount.exitCode()).isEqualTo(1);
            assertThat(Recount.of(servers, repeats, "--correct").text())
                    .contains("  1 corrections requested; recount again to see them\n");
            await().untilAsserted(
                            () -> assertThat(repeats.rows("select version, status, total, count, minimum, maximum,"
                                            + " previous_total, delta, reason, cause_event_id from totals_current where pipeline = ?"
                                            + " and window_start = '2026-07-01 10:00Z'"))
                                    .containsExactly("3|corrected|130.00|2|30.00|100.00|230.00|-100.00|recount|e1"));
            Recount again = Recount.of(servers, repeats, "--correct");
            assertThat(again.text()).contains("1 compared: 1 equal").doesNotContain("requested");
            assertThat(again.exitCode()).isZero();

            repeats.send(List.of(sale("e4", "10:09:00", "7.00")));
            repeats.awaitTables();
            assertThat(Recount.of(servers, repeats).exitCode()).isZero();
            assertThat(repeats.rows("select version, total, previous_total, reason from totals where pipeline = ?"
                            + " and window_start = '2026-07-01 10:00Z' and version > 0 order by version"))
                    .containsExactly(
                            "1|130.00|null|null",
                            "2|230.00|130.00|late",
                            "3|130.00|230.00|recount",
                            "4|137.00|130.00|late");
        }
    }

    @Test
    void ofMovedInputARecountIsObeyedWhereTheKeyIsCounted() throws InterruptedException {
        try (SalesPipeline moved = servers.pipeline(
                "moved",
                "tidemark.totals.deduplicate-for=1h",
                "tidemark.totals.input.partitioned-by-key=false",
                "tidemark.totals.idle-after=1s")) {
            moved.start();
            moved.send(List.of(
                    sale("e1", "10:01:00", "100.00"), sale("e2", "10:02:00", "30.00"), sale("e3", "12:00:00", "5.00")));
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> moved.rows(CURRENT).contains("1|130.00|null"));
            moved.send(List.of(sale("e1", "10:01:00", "100.00")));
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> moved.rows(CURRENT).contains("2|230.00|late"));

            assertThat(Recount.of(servers, moved, "--correct").text())
                    .contains("event e1 was counted twice [e1]\n")
                    .contains("  1 corrections requested; recount again to see them\n");
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> moved.rows(CURRENT).contains("3|130.00|recount"));
            assertThat(Recount.of(servers, moved).exitCode()).isZero();
        }
    }

    @Test
    void itCannotTellWhereInputIsDeleted() throws Exception {
        try (SalesPipeline deleted = servers.pipeline("deleted-input")) {
            deleted.send(List.of(sale("e1", "10:01:00", "100.00"), sale("e2", "10:02:00", "30.00")));
            int partition = 0;
            for (int i = 0; i < SalesPipeline.PARTITIONS; i++) {
                partition = end("deleted-input", i) > 0 ? i : partition;
            }
            servers.admin
                    .deleteRecords(
                            Map.of(new TopicPartition("deleted-input", partition), RecordsToDelete.beforeOffset(1)))
                    .all()
                    .get();

            Recount recount = Recount.of(servers, deleted);
            assertThat(recount.text())
                    .contains("could not tell: The input deleted-input begins at offset 1 of partition " + partition
                            + ", so events of the span may have been deleted;");
            assertThat(recount.exitCode()).isEqualTo(2);
            assertThat(deleted.rows("select outcome, reason is null from reconciliation_runs where pipeline = ?"))
                    .containsExactly("unknown|f");
        }
    }

    @Test
    void itCannotTellWhereAppOrSinkHaveNotCome() {
        assertThat(recount("--tidemark.reconcile.sink-groups=nobody-", "--tidemark.reconcile.patience=1s"))
                .satisfies(recount -> assertThat(recount.text())
                        .contains("could not tell: The sink nobody-")
                        .contains(" within 1 seconds;"))
                .extracting(Recount::exitCode)
                .isEqualTo(2);
        assertThat(recount("--pipeline=other").text())
                .isEqualTo("Could not tell: There are no settings of a pipeline other; name its file with"
                        + " tidemark.reconcile.pipelines or --spring.config.additional-location.\n");
        Map<String, String> elsewhere = new HashMap<>(pipeline.settings());
        elsewhere.put("tidemark.totals.input.topic", "nowhere");
        Recount noTopic = Recount.of(servers, elsewhere, "--tidemark.reconcile.patience=5s");
        assertThat(noTopic.text()).contains("could not tell: The input topic nowhere does not exist;");
        assertThat(noTopic.exitCode()).isEqualTo(2);
    }

    private static long end(String topic, int partition) throws Exception {
        TopicPartition asked = new TopicPartition(topic, partition);
        return servers.admin
                .listOffsets(Map.of(asked, OffsetSpec.latest()))
                .partitionResult(asked)
                .get()
                .offset();
    }

    private static Recount recount(String... more) {
        return Recount.of(servers, pipeline, more);
    }

    private static List<String> breaks() {
        return pipeline.rows(BREAKS);
    }

    private static Sale sale(String id, String time, String amount) {
        return Sale.of(id, "S1", Instant.parse("2026-07-01T" + time + "Z"), new BigDecimal(amount));
    }
}
