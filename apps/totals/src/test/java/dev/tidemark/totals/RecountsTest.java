package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.RecountCommand;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a recount asks for becomes a version, if it fits. There is no grace, so that the next sale closes a window. */
class RecountsTest {

    @TempDir
    Path state;

    @Test
    void itBecomesTheNextVersionAndLaterCorrectionsGoOnFromIt() {
        try (Totals totals = totals()) {
            totals.sale("e1", "10:01:00", "3.00");
            totals.sale("e2", "10:11:00", "1.00");
            totals.rows();
            recount(totals, 1, "3.00", 1, "5.00", 2, "e0");

            JsonNode row = totals.rows().get(0);
            assertThat(row)
                    .hasToString("""
                    {"pipeline":"sales","key":"A","window_start":"2026-07-01T10:00:00.000Z","version":2,\
                    "window_end":"2026-07-01T10:10:00.000Z","zone":"UTC","status":"corrected","total":5.00,"count":2,\
                    "minimum":0.50,"maximum":4.00,"previous_total":3.00,"delta":2.00,"reason":"recount",\
                    "cause_count":null,"cause_event_id":"e0","cause_event_ids":"[\\"e0\\"]",\
                    "stream_time":"2026-07-01T10:11:00.000Z","closed_by":"watermark","settings":"%s"}""".formatted(Totals.settings("grace=0s").fingerprint()));
            totals.sale("e3", "10:02:00", "0.25");
            assertThat(totals.rows())
                    .extracting(next -> next.get("version") + " " + next.get("total") + " " + next.get("previous_total")
                            + " " + next.get("minimum") + " " + next.get("count"))
                    .containsExactly("3 5.25 5.00 0.25 3");
        }
    }

    @Test
    void askedForTwiceItIsDoneOnce() {
        try (Totals totals = totals()) {
            totals.sale("e1", "10:01:00", "3.00");
            totals.sale("e2", "10:11:00", "1.00");
            totals.published();
            recount(totals, 1, "3.00", 1, "5.00", 2);
            recount(totals, 1, "3.00", 1, "5.00", 2);

            assertThat(totals.published()).containsExactly("A 10:00 v2 5.00");
            recount(totals, 2, "5.00", 2, "3", 1);
            assertThat(totals.published()).containsExactly("A 10:00 v3 3.00");
        }
    }

    @Test
    void aWindowOfWhichNothingIsKnownStartsWithVersionTwo() {
        try (Totals totals = totals()) {
            totals.sale("e1", "10:11:00", "3.00");
            totals.published();
            recount(totals, 0, "0", 0, "5.00", 2);
            recount(totals, 0, "0", 0, "5.00", 2);

            assertThat(totals.rows())
                    .extracting(row -> row.get("version") + " " + row.get("total") + " " + row.get("previous_total")
                            + " " + row.get("cause_event_id"))
                    .containsExactly("2 5.00 0.00 null");
        }
    }

    @Test
    void whatTheTablesHaveChangedOrLostIsSaidAgainByAnotherVersionIfTheInputConfirmsIt() {
        try (Totals totals = totals()) {
            totals.sale("e1", "10:01:00", "0.50");
            totals.sale("e2", "10:02:00", "4.00");
            totals.sale("e3", "10:11:00", "1.00");
            totals.published();
            recount(totals, 1, "9.99", 2, "4.50", 2);
            recount(totals, 1, "9.99", 2, "4.50", 2);
            recount(totals, 0, "0", 0, "4.50", 2); // from before version 2, which says it
            assertThat(totals.rows())
                    .extracting(row -> row.get("version") + " " + row.get("total") + " " + row.get("previous_total")
                            + " " + row.get("delta") + " " + row.get("reason"))
                    .containsExactly("2 4.50 4.50 0.00 \"recount\"");

            totals.sale("e4", "10:03:00", "1.00");
            assertThat(totals.published()).containsExactly("A 10:00 v3 5.50");
            recount(totals, 4, "5.50", 3, "5.50", 3); // was never published
            recount(totals, 2, "4.50", 2, "5.50", 3);
            recount(totals, 2, "4.50", 2, "5.50", 3);
            assertThat(totals.published()).containsExactly("A 10:00 v4 5.50");
            totals.sale("e5", "10:04:00", "2.00");
            assertThat(totals.published()).containsExactly("A 10:00 v5 7.50");
        }
    }

    @Test
    void whatDoesNotFitChangesNothing() {
        try (Totals totals = totals()) {
            totals.sale("e1", "10:01:00", "3.00");
            totals.sale("e2", "10:11:00", "1.00");
            totals.sale("e3", "10:02:00", "1.00");
            totals.rows();
            recount(totals, 1, "3.00", 1, "5.00", 2); // version 2 has come since
            recount(totals, 2, "4.01", 2, "5.00", 2);
            recount(totals, 2, "4.00", 3, "5.00", 2);
            recount(totals, 0, "0", 0, "5.00", 2);
            recount(totals, 2, "4.00", 2, "5.005", 2);
            recount(totals, 2, "4.00", 2, "1e40", 2);
            recount(totals, 2, "4.00", 2, "0", 0);
            send(totals, "{}".getBytes(StandardCharsets.UTF_8));
            send(totals, "[1,".getBytes(StandardCharsets.UTF_8));
            send(totals, null);
            send(totals, command("10:10:00", 0, "0", 0, "5.00", 2).toJson()); // open
            assertThat(totals.rows()).isEmpty();

            recount(totals, 2, "4.00", 2, "5.00", 2);
            assertThat(totals.published()).containsExactly("A 10:00 v3 5.00");
        }
    }

    @Test
    void whileLateSalesWaitToBecomeAVersionNothingIsRecounted() {
        try (Totals totals = new Totals(state, "grace=0s", "correct-every=1h")) {
            totals.sale("e1", "10:01:00", "3.00");
            totals.sale("e2", "10:11:00", "1.00");
            totals.sale("e3", "10:02:00", "1.00");
            totals.rows();
            String settings = Totals.settings("grace=0s", "correct-every=1h").fingerprint();
            send(totals, command(settings, "10:00:00", 1, "3.00", 1, "5.00", 2).toJson());
            assertThat(totals.rows()).isEmpty();

            totals.sale("e4", "11:00:00", "1.00");
            assertThat(totals.published()).contains("A 10:00 v2 4.00");
            send(totals, command(settings, "10:00:00", 2, "4.00", 2, "5.00", 2).toJson());
            assertThat(totals.published()).containsExactly("A 10:00 v3 5.00");
        }
    }

    /** What was published of it is forgotten, and looks like nothing; the correction would be a second version 2. */
    @Test
    void aWindowThatIsForgottenIsNotRecounted() {
        try (Totals totals = totals()) {
            totals.sale("e1", "10:01:00", "3.00");
            totals.sale("e2", "10:11:00", "1.00");
            totals.sale("e3", "2026-07-20T00:00:00Z", "1.00");
            totals.rows();
            recount(totals, 0, "0", 0, "5.00", 2);

            assertThat(totals.rows()).isEmpty();
        }
    }

    @Test
    void whatWasMadeWithOtherSettingsOrForNoWindowChangesNothing() {
        try (Totals totals = totals()) {
            totals.sale("e1", "10:01:00", "3.00");
            totals.sale("e2", "10:11:00", "1.00");
            totals.rows();
            send(
                    totals,
                    command("0badc0de", "10:00:00", 1, "3.00", 1, "5.00", 2).toJson());
            send(totals, command("10:05:00", 0, "0", 0, "5.00", 2).toJson());
            send(totals, hostile("\"total\":5.00", "\"total\":1e999999999"));
            send(totals, hostile("\"window_start\":\"2026", "\"window_start\":\"+999999999"));
            assertThat(totals.rows()).isEmpty();

            recount(totals, 1, "3.00", 1, "5.00", 2);
            assertThat(totals.published()).containsExactly("A 10:00 v2 5.00");
        }
    }

    private static byte[] hostile(String part, String instead) {
        String command = new String(command("10:00:00", 1, "3.00", 1, "5.00", 2).toJson(), StandardCharsets.UTF_8);
        assertThat(command).contains(part);
        return command.replace(part, instead).getBytes(StandardCharsets.UTF_8);
    }

    private Totals totals() {
        return new Totals(state, "grace=0s");
    }

    private static void recount(
            Totals totals, int version, String published, long count, String total, long events, String... ids) {
        send(
                totals,
                command("10:00:00", version, published, count, total, events, ids)
                        .toJson());
    }

    private static RecountCommand command(
            String start, int version, String published, long count, String total, long events, String... ids) {
        return command(Totals.settings("grace=0s").fingerprint(), start, version, published, count, total, events, ids);
    }

    private static RecountCommand command(
            String settings,
            String start,
            int version,
            String published,
            long count,
            String total,
            long events,
            String... ids) {
        return new RecountCommand(
                settings,
                "A",
                Instant.parse("2026-07-01T" + start + "Z").toEpochMilli(),
                version,
                new BigDecimal(published),
                count,
                new BigDecimal(total),
                events,
                new BigDecimal("0.50"),
                new BigDecimal("4.00"),
                List.of(ids));
    }

    private static void send(Totals totals, byte[] command) {
        totals.fixture().send("sales-recounts", null, command, new RecordHeaders(), Totals.NOW);
    }
}
