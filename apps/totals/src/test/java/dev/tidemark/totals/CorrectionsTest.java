package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * What late sales do to windows that overlap, and how they are gathered into versions. There is no grace, so that the
 * watermark is the greatest event time.
 */
class CorrectionsTest {

    private static final String[] OVERLAPPING = {"window.size=10m", "window.advance=5m", "grace=0s"};

    @TempDir
    Path state;

    @Test
    void aSaleThatIsLateForSomeOfItsWindowsCorrectsThemAndIsCountedInTheOthers() {
        try (Totals totals = overlapping()) {
            totals.sale("e1", "10:02:00", "1.00");
            totals.sale("e2", "10:06:00", "2.00"); // closes 09:55 to 10:05
            totals.sale("e3", "10:04:00", "0.50");
            assertThat(totals.published()).containsExactly("A 09:55 v1 1.00", "A 09:55 v2 1.50");

            totals.endInput();
            assertThat(totals.published()).containsExactly("A 10:00 v1 3.50", "A 10:05 v1 2.00");
            assertThat(totals.exceptions()).extracting(JsonNode::toString).containsExactly("""
                    {"pipeline":"sales","source_topic":"sales","source_partition":0,"source_offset":2,"event_id":"e3",\
                    "key":"A","event_time":"2026-07-01T10:04:00.000Z","arrival_time":"2026-08-01T00:00:00.000Z",\
                    "amount":0.50,"disposition":"partly-late","reason":"1 of its 2 windows, from\
                     2026-07-01T09:55:00.000Z to 2026-07-01T10:05:00.000Z, had closed when the stream time was\
                     2026-07-01T10:06:00.000Z; 1 was open","window_start":"2026-07-01T09:55:00.000Z","version":2,\
                    "payload":"{\\"event_id\\":\\"e3\\",\\"store_id\\":\\"A\\",\\"event_time\\":\\"2026-07-01T10:04:00Z\\",\
                    \\"amount\\":\\"0.50\\"}"}""");
            JsonNode ledger = totals.ledger();
            assertThat(List.of(ledger.get("received"), ledger.get("counted"), ledger.get("partly_late")))
                    .hasToString("[3, 2, 1]");
            assertThat(List.of(
                            ledger.get("received_amount"),
                            ledger.get("counted_amount"),
                            ledger.get("partly_late_amount")))
                    .hasToString("[3.50, 3.00, 0.50]");
        }
    }

    @Test
    void aSaleThatIsLateForAllOfItsWindowsMakesAVersionOfEach() {
        try (Totals totals = overlapping("window.size=15m")) {
            totals.sale("e1", "10:02:00", "1.00");
            totals.sale("e2", "10:30:00", "2.00");
            totals.published();
            totals.sale("e3", "10:04:00", "0.50");

            assertThat(totals.published()).containsExactly("A 09:50 v2 1.50", "A 09:55 v2 1.50", "A 10:00 v2 1.50");
            JsonNode exception = totals.exceptions().get(0);
            assertThat(exception.get("disposition").asString()).isEqualTo("late");
            assertThat(exception.get("window_start").asString()).isEqualTo("2026-07-01T09:50:00.000Z");
            assertThat(exception.get("reason").asString())
                    .isEqualTo("3 of its 3 windows, from 2026-07-01T09:50:00.000Z to 2026-07-01T10:15:00.000Z, had"
                            + " closed when the stream time was 2026-07-01T10:30:00.000Z");
            assertThat(totals.ledger().get("late").intValue()).isEqualTo(1);
        }
    }

    @Test
    void windowsBeyondTheCorrectionHorizonStayAsTheyAre() {
        try (Totals totals = overlapping("window.size=15m", "correct-until=5m")) {
            totals.sale("e1", "10:02:00", "1.00");
            totals.sale("e2", "10:12:00", "2.00"); // 10:05 was the end of the first window; the last is open
            totals.published();
            totals.sale("e3", "10:04:00", "0.50");

            assertThat(totals.published()).containsExactly("A 09:55 v2 1.50");
            assertThat(totals.exceptions().get(0).get("reason").asString())
                    .isEqualTo("1 of its 3 windows, from 2026-07-01T09:55:00.000Z to 2026-07-01T10:10:00.000Z, had"
                            + " closed when the stream time was 2026-07-01T10:12:00.000Z; 1 was open; 1 had closed too"
                            + " long before");
        }
    }

    @Test
    void aSaleWhoseClosedWindowsAreAllBeyondTheHorizonIsStillPartlyLate() {
        try (Totals totals = overlapping("correct-until=0s")) {
            totals.sale("e1", "10:02:00", "1.00");
            totals.sale("e2", "10:06:00", "2.00");
            totals.sale("e3", "10:04:00", "0.50");
            totals.endInput();

            assertThat(totals.published()).containsExactly("A 09:55 v1 1.00", "A 10:00 v1 3.50", "A 10:05 v1 2.00");
            JsonNode exception = totals.exceptions().get(0);
            assertThat(exception.get("disposition").asString()).isEqualTo("partly-late");
            assertThat(exception.get("reason").asString())
                    .isEqualTo("1 of its 2 windows closed more than 0s ago; the others were open");
            assertThat(exception.get("version").isNull()).isTrue();
            assertThat(totals.ledger().get("partly_late").intValue()).isEqualTo(1);
        }
    }

    @Test
    void aSaleBeyondTheHorizonKeepsItsAmountAndMakesNoWindow() {
        try (Totals totals = overlapping("correct-until=1h")) {
            totals.sale("e1", "12:00:00", "1.00");
            totals.sale("e2", "10:02:00", "0.50");
            totals.endInput();

            assertThat(totals.published()).containsExactly("A 11:55 v1 1.00", "A 12:00 v1 1.00");
            JsonNode exception = totals.exceptions().get(0);
            assertThat(exception.get("disposition").asString()).isEqualTo("too-late");
            assertThat(exception.get("amount").asString()).isEqualTo("0.50");
            assertThat(exception.get("version").isNull()).isTrue();
            assertThat(totals.ledger().get("too_late_amount").asString()).isEqualTo("0.50");
        }
    }

    @Test
    void theLateSalesOfAnHourBecomeOneVersionThatNamesTheFirstTen() {
        try (Totals totals = gathering("1h")) {
            totals.sale("e1", "10:01:00", "1.00");
            totals.sale("e2", "11:05:00", "2.00");
            totals.rows();
            for (int i = 1; i <= 12; i++) {
                totals.sale("l" + i, "10:02:00", "0.10");
            }
            assertThat(totals.rows()).isEmpty();

            totals.sale("B", "e3", "12:00:00", "4.00");
            assertThat(totals.rows().get(0))
                    .hasToString("""
                    {"pipeline":"sales","key":"A","window_start":"2026-07-01T10:00:00.000Z","version":2,\
                    "window_end":"2026-07-01T10:10:00.000Z","zone":"UTC","status":"corrected","total":2.20,"count":13,\
                    "minimum":0.10,"maximum":1.00,"previous_total":1.00,"delta":1.20,"reason":"late","cause_count":12,\
                    "cause_event_id":"l1",\
                    "cause_event_ids":"[\\"l1\\",\\"l2\\",\\"l3\\",\\"l4\\",\\"l5\\",\\"l6\\",\\"l7\\",\\"l8\\",\\"l9\\",\\"l10\\"]",\
                    "stream_time":"2026-07-01T11:05:00.000Z","closed_by":"watermark","settings":"%s"}""".formatted(Totals.settings("grace=0s").fingerprint()));
            assertThat(totals.exceptions())
                    .hasSize(12)
                    .allMatch(row -> row.get("version").intValue() == 2
                            && row.get("disposition").asString().equals("late"));
        }
    }

    @Test
    void aRowNamesTheZoneOfItsDayAndNoCauseWhereNothingWasCorrected() {
        try (Totals totals = new Totals(state, "window.size=", "window.calendar=day", "window.zone=Asia/Tokyo")) {
            totals.sale("e1", "10:01:00", "1.00");
            totals.endInput();

            assertThat(totals.rows())
                    .extracting(row -> row.get("version") + " " + row.get("zone") + " " + row.get("cause_count") + " "
                            + row.get("cause_event_id") + " " + row.get("cause_event_ids"))
                    .containsExactly("0 \"Asia/Tokyo\" null null null", "1 \"Asia/Tokyo\" null null null");
        }
    }

    @Test
    void anIntervalEndsWithItsLastMillisecondAndTheNextOneMakesTheNextVersion() {
        try (Totals totals = gathering("1h")) {
            totals.sale("e1", "10:01:00", "1.00");
            totals.sale("e2", "11:00:00", "2.00");
            totals.sale("l1", "10:02:00", "0.10");
            totals.sale("B", "e3", "11:59:59.999", "4.00");
            totals.sale("l2", "10:03:00", "0.10");
            assertThat(totals.published()).containsExactly("A 10:00 v1 1.00", "A 11:00 v1 2.00");

            totals.sale("B", "e4", "12:00:00", "4.00");
            totals.sale("l3", "10:04:00", "0.10");
            assertThat(totals.published()).containsExactly("A 10:00 v2 1.20", "B 11:50 v1 4.00");
            totals.endInput();
            assertThat(totals.published()).containsExactly("A 10:00 v3 1.30", "B 12:00 v1 4.00");
            assertThat(totals.exceptions())
                    .extracting(row -> row.get("event_id").asString() + " v" + row.get("version"))
                    .containsExactly("l1 v2", "l2 v2", "l3 v3");
        }
    }

    @Test
    void everyWindowHasAVersionOfItsOwnInAnInterval() {
        try (Totals totals = gathering("1h", "window.advance=5m")) {
            totals.sale("A", "e1", "12:10:00", "1.00");
            totals.published();
            totals.sale("A", "l1", "10:02:00", "0.10");
            totals.sale("B", "l2", "10:02:00", "0.20");
            totals.sale("A", "l3", "10:07:00", "0.40");
            assertThat(totals.published()).isEmpty();

            totals.sale("C", "e2", "13:00:00", "1.00");
            assertThat(totals.published())
                    .contains(
                            "A 09:55 v2 0.10",
                            "A 10:00 v2 0.50",
                            "A 10:05 v2 0.40",
                            "B 09:55 v2 0.20",
                            "B 10:00 v2 0.20")
                    .hasSize(5 + 2); // the finals of e1
        }
    }

    @Test
    void aQuietInputEndsAnIntervalAsWell() {
        try (Totals totals = gathering("1m", "idle-after=30s")) {
            totals.sale("e1", "10:01:00", "1.00");
            totals.sale("e2", "10:11:20", "2.00");
            totals.sale("l1", "10:02:00", "0.10");
            totals.published();

            totals.quiet(Duration.ofSeconds(39)); // clock 10:11:59
            assertThat(totals.published()).isEmpty();
            totals.quiet(Duration.ofSeconds(1));
            assertThat(totals.published()).containsExactly("A 10:00 v2 1.10");
        }
    }

    @Test
    void afterTheEndOfTheInputEachLateSaleIsAVersionOfItsOwn() {
        try (Totals totals = gathering("1h")) {
            totals.sale("e1", "10:01:00", "1.00");
            totals.endInput();
            totals.sale("l1", "10:02:00", "0.10");
            totals.sale("l2", "10:03:00", "0.10");

            assertThat(totals.published()).containsExactly("A 10:00 v1 1.00", "A 10:00 v2 1.10", "A 10:00 v3 1.20");
        }
    }

    @Test
    void afterTheEndOfAnEmptyInputEachLateSaleIsAVersionOfItsOwn() {
        try (Totals totals = gathering("1h")) {
            totals.endInput();
            totals.sale("l1", "10:02:00", "0.10");
            totals.sale("l2", "10:03:00", "0.10");

            assertThat(totals.published()).containsExactly("A 10:00 v2 0.10", "A 10:00 v3 0.20");
        }
    }

    @Test
    void whatIsPendingIsPublishedEvenIfItsWindowIsForgottenByThen() {
        try (Totals totals = gathering("1d", "correct-until=30m")) {
            totals.sale("e1", "10:01:00", "1.00");
            totals.sale("e2", "10:20:00", "2.00");
            totals.sale("l1", "10:02:00", "0.10");
            totals.published();
            totals.sale("B", "e3", "2026-07-20T10:00:00Z", "4.00");
            totals.sale("l2", "10:03:00", "0.20");

            List<JsonNode> rows = totals.rows();
            assertThat(rows)
                    .filteredOn(row -> row.get("version").intValue() == 2)
                    .extracting(row -> row.get("total") + " " + row.get("closed_by"))
                    .containsExactly("1.10 \"watermark\"");
            assertThat(totals.dispositions()).containsExactly("l1 late", "l2 too-late");
        }
    }

    @Test
    void whatManyLateSalesAddIsExactBeyondSixtyFourBits() {
        try (Totals totals = gathering("1h")) {
            totals.sale("e1", "10:01:00", "1.00");
            totals.sale("e2", "11:05:00", "2.00");
            totals.rows();
            totals.sale("l1", "10:02:00", "92233720368547758.07");
            totals.sale("l2", "10:03:00", "92233720368547758.07");
            totals.endInput();

            JsonNode row = totals.rows().get(0);
            assertThat(row.get("total").asString()).isEqualTo("184467440737095517.14");
            assertThat(row.get("delta").asString()).isEqualTo("184467440737095516.14");
        }
    }

    @Test
    void idsOfAnyCharactersStandInTheRow() {
        try (Totals totals = gathering("1h")) {
            totals.sale("e1", "11:05:00", "1.00");
            totals.sale("a\\\"b, ]", "10:02:00", "0.10");
            totals.sale("日本\\\\", "10:03:00", "0.10");
            totals.endInput();

            JsonNode row = totals.rows().stream()
                    .filter(any -> any.get("version").intValue() == 2)
                    .findAny()
                    .orElseThrow();
            assertThat(Totals.json(row.get("cause_event_ids").asString()))
                    .extracting(JsonNode::asString)
                    .containsExactly("a\"b, ]", "日本\\");
        }
    }

    private Totals overlapping(String... more) {
        return totals(OVERLAPPING, more);
    }

    private Totals gathering(String every, String... more) {
        return totals(new String[] {"grace=0s", "correct-every=" + every}, more);
    }

    private Totals totals(String[] settings, String... more) {
        return new Totals(
                state, Stream.of(settings, more).flatMap(Arrays::stream).toArray(String[]::new));
    }
}
