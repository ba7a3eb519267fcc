package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What is published when. Windows are ten minutes and the grace five unless a test says otherwise. */
class TotalsTopologyTest {

    @TempDir
    Path state;

    @Test
    void aSaleThatComesAfterTheFinalBecomesVersionTwo() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e1", "10:01:00", "1.50");
            totals.sale("e2", "10:16:00", "7.00"); // watermark 10:11
            totals.sale("e3", "10:02:00", "0.25");

            assertThat(totals.published()).containsExactly("A 10:00 v1 1.50", "A 10:00 v2 1.75");
        }
    }

    @Test
    void aRowSaysEverythingAboutItsVersion() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e1", "10:01:00", "1.50");
            totals.sale("e2", "10:09:00", "-3.00");
            totals.sale("e3", "10:16:00", "7.00");
            totals.sale("e4", "10:02:00", "0.25");

            List<JsonNode> rows = totals.rows();
            assertThat(rows)
                    .extracting(TotalsTopologyTest::brief)
                    .containsExactly(
                            "10:00 v0 provisional 1.50 of 1, 1.50 to 1.50, at 10:01, closed by null",
                            "10:00 v0 provisional -1.50 of 2, -3.00 to 1.50, at 10:09, closed by null",
                            "10:00 v1 final -1.50 of 2, -3.00 to 1.50, at 10:16, closed by \"watermark\"",
                            "10:10 v0 provisional 7.00 of 1, 7.00 to 7.00, at 10:16, closed by null",
                            "10:00 v2 corrected -1.25 of 3, -3.00 to 1.50, at 10:16, closed by \"watermark\"");
            assertThat(rows.get(4)).hasToString("""
                    {"pipeline":"sales","key":"A","window_start":"2026-07-01T10:00:00.000Z","version":2,\
                    "window_end":"2026-07-01T10:10:00.000Z","zone":"UTC","status":"corrected","total":-1.25,"count":3,\
                    "minimum":-3.00,"maximum":1.50,"previous_total":-1.50,"delta":0.25,"reason":"late",\
                    "cause_count":1,"cause_event_id":"e4","cause_event_ids":"[\\"e4\\"]",\
                    "stream_time":"2026-07-01T10:16:00.000Z","closed_by":"watermark","settings":"%s"}""".formatted(Totals.settings().fingerprint()));
        }
    }

    private static String brief(JsonNode row) {
        return "%s v%s %s %s of %s, %s to %s, at %s, closed by %s"
                .formatted(
                        row.get("window_start").asString().substring(11, 16),
                        row.get("version"),
                        row.get("status").asString(),
                        row.get("total"),
                        row.get("count"),
                        row.get("minimum"),
                        row.get("maximum"),
                        row.get("stream_time").asString().substring(11, 16),
                        row.get("closed_by"));
    }

    @Test
    void aWindowClosesWhenTheWatermarkReachesItsEndAndNotAMillisecondBefore() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e1", "10:09:59.999", "1");
            totals.sale("e2", "10:14:59.999", "2");

            assertThat(totals.published()).isEmpty();

            totals.sale("e3", "10:10:00", "4");
            totals.sale("e4", "10:00:00", "8");
            totals.sale("e5", "10:15:00", "16");

            assertThat(totals.published()).containsExactly("A 10:00 v1 9.00");
        }
    }

    @Test
    void everyLateSaleIsAVersionOfItsOwn() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e1", "10:00:00", "1");
            totals.sale("e2", "10:15:00", "1");
            totals.sale("e3", "10:01:00", "0.10");
            totals.sale("e4", "10:02:00", "0.20");
            totals.sale("e5", "10:03:00", "-0.30");

            assertThat(totals.published())
                    .containsExactly("A 10:00 v1 1.00", "A 10:00 v2 1.10", "A 10:00 v3 1.30", "A 10:00 v4 1.00");
        }
    }

    @Test
    void aWindowWhoseSalesWereAllLateStartsAtVersionTwo() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e1", "10:30:00", "1");
            totals.sale("e2", "10:01:00", "5");

            JsonNode row = totals.rows().get(1);
            assertThat(row.get("version").intValue()).isEqualTo(2);
            assertThat(row.get("previous_total").asString()).isEqualTo("0.00");
            assertThat(row.get("total").asString()).isEqualTo("5.00");
            assertThat(row.get("closed_by").asString()).isEqualTo("watermark");
        }
    }

    @Test
    void oneStoresSalesCloseTheWindowsOfAllStoresOfThePartition() {
        try (Totals totals = new Totals(state)) {
            totals.sale("A", "e1", "10:00:05", "1.00");
            totals.sale("B", "e2", "10:20:00", "5.00");
            totals.sale("A", "e3", "10:00:30", "4.00");

            assertThat(totals.published()).containsExactly("A 10:00 v1 1.00", "A 10:00 v2 5.00");
        }
    }

    @Test
    void theOrderWithinTheGraceDoesNotMatter() {
        List<String> inOrder;
        try (Totals totals = new Totals(state.resolve("a"))) {
            totals.sale("e1", "10:00:00", "0.10");
            totals.sale("e2", "10:04:00", "0.20");
            totals.sale("e3", "10:05:00", "0.30");
            totals.sale("e4", "10:15:00", "1");
            inOrder = totals.published();
        }
        try (Totals totals = new Totals(state.resolve("b"))) {
            totals.sale("e3", "10:05:00", "0.30");
            totals.sale("e2", "10:04:00", "0.20");
            totals.sale("e1", "10:00:00", "0.10");
            totals.sale("e4", "10:15:00", "1");

            assertThat(totals.published()).isEqualTo(inOrder).containsExactly("A 10:00 v1 0.60");
        }
    }

    @Test
    void aQuietInputIsClosedByWallTimeOnce() {
        try (Totals totals = new Totals(state, "window.size=1m", "grace=30s", "idle-after=30s")) {
            totals.sale("e1", "10:00:05", "1.00");
            totals.sale("e2", "10:00:20", "2.00");
            totals.sale("e3", "10:00:50", "3.00");

            totals.quiet(Duration.ofSeconds(29));
            assertThat(totals.published()).isEmpty();
            totals.quiet(Duration.ofSeconds(11)); // clock 10:01:30, watermark 10:01
            List<JsonNode> rows = totals.rows();
            assertThat(rows).hasSize(1);
            assertThat(rows.get(0).get("version").intValue()).isEqualTo(1);
            assertThat(rows.get(0).get("total").asString()).isEqualTo("6.00");
            assertThat(rows.get(0).get("closed_by").asString()).isEqualTo("idle");

            totals.quiet(Duration.ofMinutes(10));
            totals.sale("e4", "10:00:59", "1.00");
            assertThat(totals.published()).containsExactly("A 10:00 v2 7.00");
        }
    }

    @Test
    void repeatedSalesKeepAnInputFromBeingQuiet() {
        try (Totals totals = new Totals(state, "window.size=1m", "grace=0s", "idle-after=30s")) {
            totals.sale("e1", "10:00:05", "1.00");
            for (int i = 0; i < 10; i++) {
                totals.quiet(Duration.ofSeconds(20));
                totals.sale("e1", "10:00:05", "1.00");
            }
            totals.sale("e2", "10:00:30", "2.00");

            assertThat(totals.published()).isEmpty();
        }
    }

    @Test
    void theTimeInWhichTheAppWasFrozenIsNoQuiet() {
        try (Totals totals = new Totals(state, "window.size=1m", "grace=0s", "idle-after=30s")) {
            totals.sale("e1", "10:00:05", "1.00");
            totals.skip(Duration.ofHours(1));
            totals.sale("e2", "10:00:30", "2.00");
            assertThat(totals.published()).isEmpty();

            totals.quiet(Duration.ofSeconds(30));
            assertThat(totals.published()).containsExactly("A 10:00 v1 3.00");
        }
    }

    @Test
    void theFirstDayOfTheEpochIsClosedBeforeItIsCorrectedAlsoEastOfGreenwich() {
        try (Totals totals =
                new Totals(state, "window.size=", "window.calendar=day", "window.zone=Asia/Tokyo", "grace=0s")) {
            totals.sale("e1", "1970-01-01T00:00:00Z", "1.00");
            totals.sale("e2", "1970-01-01T15:00:00Z", "1.00"); // midnight in Tokyo
            totals.sale("e3", "1970-01-01T14:59:59Z", "1.00");

            assertThat(totals.published())
                    .containsExactly("A 1970-01-01T00:00:00.000Z v1 1.00", "A 1970-01-01T00:00:00.000Z v2 2.00");
        }
    }

    @Test
    void theEndOfTheInputClosesEveryWindow() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e1", "10:01:00", "1");
            totals.sale("e2", "10:12:00", "2");
            totals.endInput();

            assertThat(totals.rows())
                    .filteredOn(row -> row.get("version").intValue() == 1)
                    .extracting(row -> row.get("total").asString() + " "
                            + row.get("closed_by").asString())
                    .containsExactly("1.00 end-of-input", "2.00 end-of-input");

            totals.sale("e3", "10:13:00", "4");
            totals.sale("e4", "11:13:00", "8");
            assertThat(totals.published()).containsExactly("A 10:10 v2 6.00", "A 11:10 v2 8.00");
            assertThat(totals.exceptions())
                    .extracting(row -> row.get("disposition").asString())
                    .containsExactly("late", "late");
        }
    }

    @Test
    void aControlRecordIsAnyOtherRecordWhereItIsNotAccepted() {
        try (Totals totals = new Totals(state, "accept-end-of-input=false")) {
            totals.sale("e1", "10:01:00", "1");
            totals.endInput();

            assertThat(totals.published()).isEmpty();
            assertThat(totals.exceptions())
                    .extracting(row -> row.get("disposition").asString())
                    .containsExactly("malformed");
        }
    }

    @Test
    void aSaleBeyondTheCorrectionHorizonIsTooLateAndChangesNothing() {
        try (Totals totals = new Totals(state, "correct-until=1h")) {
            totals.sale("e1", "10:01:00", "1");
            totals.sale(
                    "e2", "11:14:59.999", "2"); // watermark 11:09:59.999, a millisecond less than an hour after 10:10
            totals.sale("e3", "10:02:00", "3");
            totals.sale("e4", "11:15:00", "4");
            totals.sale("e5", "10:03:00", "5");

            assertThat(totals.published()).containsExactly("A 10:00 v1 1.00", "A 10:00 v2 4.00");
            assertThat(totals.dispositions()).containsExactly("e3 late", "e5 too-late");
        }
    }

    @Test
    void daysAreThoseOfTheZoneWithTwentyThreeAndTwentyFiveHours() {
        try (Totals totals =
                new Totals(state, "window.size=", "window.calendar=day", "window.zone=Europe/Berlin", "grace=0s")) {
            totals.sale("s1", "2025-03-29T23:00:00Z", "1.00");
            totals.sale("s2", "2025-03-30T21:59:59Z", "1.00");
            totals.sale("s3", "2025-03-30T22:00:00Z", "1.00");
            totals.sale("a1", "2025-10-25T22:00:00Z", "1.00");
            totals.sale("a2", "2025-10-26T00:30:00Z", "1.00");
            totals.sale("a3", "2025-10-26T01:30:00Z", "1.00");
            totals.sale("a4", "2025-10-26T22:30:00Z", "1.00");
            totals.sale("a5", "2025-10-26T23:00:00Z", "1.00");
            totals.endInput();

            assertThat(totals.rows())
                    .filteredOn(row -> row.get("version").intValue() == 1)
                    .extracting(row -> row.get("window_start").asString() + " "
                            + row.get("window_end").asString() + " "
                            + row.get("total").asString())
                    .containsExactly(
                            "2025-03-29T23:00:00.000Z 2025-03-30T22:00:00.000Z 2.00",
                            "2025-03-30T22:00:00.000Z 2025-03-31T22:00:00.000Z 1.00",
                            "2025-10-25T22:00:00.000Z 2025-10-26T23:00:00.000Z 4.00",
                            "2025-10-26T23:00:00.000Z 2025-10-27T23:00:00.000Z 1.00");
        }
    }

    @Test
    void aDayIsClosedAtItsRealEnd() {
        try (Totals totals =
                new Totals(state, "window.size=", "window.calendar=day", "window.zone=Europe/Berlin", "grace=0s")) {
            totals.sale("s1", "2025-03-29T23:00:00Z", "1.00");
            totals.sale("s2", "2025-03-30T21:59:59.999Z", "1.00");
            assertThat(totals.published()).isEmpty();

            totals.sale("s3", "2025-03-30T22:00:00Z", "1.00");
            assertThat(totals.published()).containsExactly("A 2025-03-29T23:00:00.000Z v1 2.00");
        }
    }

    @Test
    void sumsAreExactBeyondSixtyFourBits() {
        try (Totals totals = new Totals(state)) {
            totals.sale("A", "e1", "10:00:00", "92233720368547758.07");
            totals.sale("A", "e2", "10:00:00", "0.01");
            totals.sale("B", "e3", "10:00:00", "9999999999999999.99");
            totals.sale("B", "e4", "10:00:00", "0.01");
            totals.sale("C", "e5", "10:00:00", "-5.00");
            for (int i = 0; i < 10; i++) {
                totals.sale("D", "d" + i, "10:00:00", "0.10");
            }
            totals.endInput();

            assertThat(totals.published())
                    .containsExactly(
                            "A 10:00 v1 92233720368547758.08",
                            "B 10:00 v1 10000000000000000.00",
                            "C 10:00 v1 -5.00",
                            "D 10:00 v1 1.00");
        }
    }

    @Test
    void withoutProvisionalRowsOnlyFinalsAndCorrectionsAreWritten() {
        try (Totals totals = new Totals(state, "provisional=false")) {
            totals.sale("e1", "10:01:00", "1");
            totals.endInput();

            assertThat(totals.rows())
                    .extracting(row -> row.get("version").intValue())
                    .containsExactly(1);
        }
    }
}
