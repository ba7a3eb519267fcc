package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.Completion;
import dev.tidemark.pairs.PairsApplication;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The recount of pairs finds what is broken on purpose. */
@ExtendWith(Servers.Shared.class)
@Timeout(900)
class ReconcilePairsIT {

    private static final String NAME = "paid";
    private static final String SETTINGS = """
            tidemark:
              pairs:
                pipeline: paid
                left: { topic: recounted-orders, partitioned-by-key: true, event-id: /id, key: /order, event-time: /time }
                right: { topic: recounted-payments, partitioned-by-key: true, event-id: /id, key: /order, event-time: /time }
                within: { after: 30m }
                grace: 5m
                idle-after: 1h
            """;
    private static final String BREAKS = "select kind, key, left_id, right_id, explanation from reconciliation_breaks"
            + " join reconciliation_runs using (run_id) where pipeline = ? and run_id = (select run_id from"
            + " reconciliation_runs order by finished_at desc limit 1) order by number";

    /** All but the one that is generated. */
    private static final String COLUMNS = "pipeline, key, left_id, right_id, version, status, reason, left_time,"
            + " right_time, distance_millis, left_event, right_event, closed_by, stream_time, cause_event_id, settings,"
            + " recorded_at";

    @TempDir
    static Path directory;

    private static Servers servers;
    private static Path settings;

    /** Two pairs, one of them late, a payment without an order, and an order that may still be paid. */
    @BeforeAll
    static void publish(Servers shared) throws IOException, InterruptedException {
        servers = shared;
        settings = Files.writeString(directory.resolve("paid.yml"), SETTINGS);
        servers.createTopic("recounted-orders", 1, Map.of("message.timestamp.type", "LogAppendTime"));
        servers.createTopic("recounted-payments", 1, Map.of("message.timestamp.type", "LogAppendTime"));
        try (App app = App.start(
                PairsApplication.class,
                settings,
                servers.kafka.bootstrapServers(),
                directory.resolve("state"),
                "spring.main.web-application-type=none")) {
            send("recounted-orders", "o1 A 10:00:00", "o2 B 10:05:00", "o2 B 10:05:00", "o3 C 13:00:00");
            send("recounted-payments", "p1 A 10:30:00", "p9 X 11:00:00", "p3 D 13:10:00");
            await(app.applicationId(), "recounted-orders", "recounted-payments");
            send("recounted-payments", "p2 B 10:20:00"); // order o2 is unmatched by now
            await(app.applicationId(), "recounted-payments");
        }
        servers.awaitSinks(NAME);
    }

    private static void send(String topic, String... events) {
        try (EventSender sender = new EventSender(servers.kafka.bootstrapServers(), topic)) {
            for (String event : events) {
                String[] parts = event.split(" ");
                String json =
                        "{\"id\":\"%s\",\"order\":\"%s\",\"time\":\"2026-07-01T%sZ\"}".formatted((Object[]) parts);
                sender.send(parts[1], json.getBytes(StandardCharsets.UTF_8));
            }
            sender.flush();
        }
    }

    private static void await(String group, String... topics) throws InterruptedException {
        try (Completion completion = new Completion(servers.kafka.bootstrapServers(), () -> {})) {
            completion.await(group, List.of(topics)::contains);
        }
    }

    @BeforeEach
    void keepRows() {
        servers.update("create table kept as select * from pairs where pipeline = 'paid'");
        servers.update("alter table pairs disable trigger protect_pairs");
    }

    @AfterEach
    void restoreRows() {
        servers.update("delete from pairs where pipeline = 'paid'");
        servers.update("insert into pairs (%s) select %s from kept".formatted(COLUMNS, COLUMNS));
        servers.update("drop table kept");
        servers.update("alter table pairs enable trigger protect_pairs");
    }

    @Test
    void whatWasPublishedIsWhatTheInputsSay() {
        Recount recount = recount();

        assertThat(recount.text()).isEqualTo("""
                pairs of paid, from the beginning to the end
                  input    8 records: 1 duplicate, 0 conflicting, 0 refused
                  pairs    3 compared: 3 equal, 0 explained, 0 different, 0 missing, 0 unexpected; 2 not decided yet
                  ledger   received 8 of 0, accounted for 8 of 0
                  Nothing differs.
                """);
        assertThat(recount.exitCode()).isZero();
    }

    @Test
    void aPairAndAnEventWithoutAPartnerThatWereDeletedAreFound() {
        servers.update("delete from pairs where pipeline = 'paid' and key in ('A', 'X')");

        assertThat(recount().exitCode()).isEqualTo(1);
        assertThat(servers.rows(BREAKS, NAME))
                .containsExactly(
                        "missing|A|o1|p1|the input has both events near enough to one another",
                        "missing|X||p9|the input has no partner for it, and none is waited for");
    }

    @Test
    void aRowThatWasChangedIsFound() {
        servers.update("update pairs set right_id = 'p7' where pipeline = 'paid' and key = 'A'");
        servers.update(
                "update pairs set right_time = right_time + interval '1 ms' where pipeline = 'paid' and key = 'X'");

        Recount recount = recount();
        assertThat(recount.text())
                .contains(
                        "  missing  A 2026-07-01T10:00:00.000Z left o1 right p1: the input has both events near enough"
                                + " to one another [o1, p1]\n");
        assertThat(recount.exitCode()).isEqualTo(1);
        assertThat(servers.rows(BREAKS, NAME))
                .containsExactlyInAnyOrder(
                        "missing|A|o1|p1|the input has both events near enough to one another",
                        "unexpected|A|o1|p7|the input does not have both events near enough to one another",
                        "different|X||p9|the times of its events differ: the row was changed");
    }

    @Test
    void aPairOfALateEventThatWasDeletedIsFound() {
        servers.update("delete from pairs where pipeline = 'paid' and key = 'B' and right_id = 'p2'");

        assertThat(recount().exitCode()).isEqualTo(1);
        assertThat(servers.rows(BREAKS, NAME))
                .containsExactly(
                        "missing|B|o2|p2|the input has both events near enough to one another",
                        "unexpected|B|o2||the input has no such event, or has a partner for it");
    }

    /** A pair belongs to the span of its left event, wherever the right one is, which is no event without a partner. */
    @Test
    void aPairWithAPartnerOnEachSideOfABorderBelongsToOneSideOnly() {
        String[] untilBorder = {"--from=2026-07-01T09:00:00Z", "--to=2026-07-01T10:10:00Z"};
        String[] fromBorder = {"--from=2026-07-01T10:10:00Z", "--to=2026-07-01T12:00:00Z"};

        assertThat(recount(untilBorder).text())
                .contains(
                        "  pairs    2 compared: 2 equal, 0 explained, 0 different, 0 missing, 0 unexpected; 0 not decided yet\n")
                .contains("  Nothing differs.\n");
        assertThat(recount(fromBorder).text())
                .contains(
                        "  pairs    1 compared: 1 equal, 0 explained, 0 different, 0 missing, 0 unexpected; 0 not decided yet\n")
                .contains("  Nothing differs.\n");

        servers.update("delete from pairs where pipeline = 'paid' and key = 'A'");
        assertThat(recount(fromBorder).exitCode()).isZero();
        assertThat(recount(untilBorder).exitCode()).isEqualTo(1);
        assertThat(servers.rows(BREAKS, NAME))
                .containsExactly("missing|A|o1|p1|the input has both events near enough to one another");
    }

    @Test
    void oneOfSeveralPipelinesIsRecountedByItsName() throws IOException {
        Path other = Files.writeString(
                directory.resolve("other.yml"), SETTINGS.replace("pipeline: paid", "pipeline: other"));
        String both = "--tidemark.reconcile.pipelines=" + other + "," + settings;

        Recount one = Recount.of(servers, Map.of(), both, "--pipeline=" + NAME, "--tidemark.reconcile.patience=20s");
        assertThat(one.text()).startsWith("pairs of paid, ").doesNotContain("other");
        assertThat(one.exitCode()).isZero();

        Recount all = Recount.of(servers, Map.of(), both, "--tidemark.reconcile.patience=1s");
        assertThat(all.text()).contains("pairs of other, ", "pairs of paid, ");
        assertThat(all.exitCode()).isEqualTo(2);
    }

    private static Recount recount(String... more) {
        return Recount.of(
                servers,
                Map.of(),
                Stream.concat(
                                Stream.of(
                                        "--tidemark.reconcile.pipelines=" + settings,
                                        "--tidemark.reconcile.patience=20s"),
                                Stream.of(more))
                        .toArray(String[]::new));
    }
}
