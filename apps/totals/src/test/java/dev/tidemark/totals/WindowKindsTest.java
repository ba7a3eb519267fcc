package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Every kind of window, from the sale to the row. There is no grace, and only finals and corrections are written. */
class WindowKindsTest {

    @TempDir
    Path state;

    @Test
    void weeksBeginOnMonday() {
        try (Totals totals = totals("window.calendar=week", "window.zone=Europe/Berlin")) {
            aWeekendInWhichTheClocksChange(totals);

            assertThat(published(totals))
                    .containsExactly(
                            "2025-03-23T23:00:00Z to 2025-03-30T22:00:00Z v1 of 3: 0.07",
                            "2025-03-30T22:00:00Z to 2025-04-06T22:00:00Z v1 of 1: 0.08");
        }
    }

    @Test
    void weeksBeginOnTheDayThatIsSet() {
        try (Totals totals = totals("window.calendar=week", "window.week-starts=sunday", "window.zone=Europe/Berlin")) {
            aWeekendInWhichTheClocksChange(totals);

            assertThat(published(totals))
                    .containsExactly(
                            "2025-03-22T23:00:00Z to 2025-03-29T23:00:00Z v1 of 1: 0.01",
                            "2025-03-29T23:00:00Z to 2025-04-05T22:00:00Z v1 of 3: 0.14");
        }
    }

    private static void aWeekendInWhichTheClocksChange(Totals totals) {
        totals.sale("s1", "2025-03-29T22:59:59.999Z", "0.01"); // the last moment of Saturday
        totals.sale("s2", "2025-03-29T23:00:00Z", "0.02");
        totals.sale("s3", "2025-03-30T21:59:59.999Z", "0.04"); // the last moment of Sunday
        totals.sale("s4", "2025-03-30T22:00:00Z", "0.08");
        totals.endInput();
    }

    @Test
    void monthsHaveTheirOwnLengths() {
        try (Totals totals = totals("window.calendar=month", "window.zone=Europe/Berlin")) {
            totals.sale("s1", "2025-01-31T22:59:59.999Z", "0.01");
            totals.sale("s2", "2025-01-31T23:00:00Z", "0.02");
            totals.sale("s3", "2025-02-28T22:59:59.999Z", "0.04");
            totals.sale("s4", "2025-02-28T23:00:00Z", "0.08");
            totals.sale("s5", "2025-03-31T21:59:59.999Z", "0.16");
            totals.sale("s6", "2025-03-31T22:00:00Z", "0.32");
            totals.endInput();

            assertThat(published(totals))
                    .containsExactly(
                            "2024-12-31T23:00:00Z to 2025-01-31T23:00:00Z v1 of 1: 0.01",
                            "2025-01-31T23:00:00Z to 2025-02-28T23:00:00Z v1 of 2: 0.06",
                            "2025-02-28T23:00:00Z to 2025-03-31T22:00:00Z v1 of 2: 0.24",
                            "2025-03-31T22:00:00Z to 2025-04-30T22:00:00Z v1 of 1: 0.32");
        }
    }

    @Test
    void aMonthIsClosedAtItsRealEndAndCorrectedAfterwards() {
        try (Totals totals = totals("window.calendar=month", "window.zone=Europe/Berlin")) {
            totals.sale("s1", "2025-02-10T12:00:00Z", "0.01");
            totals.sale("s2", "2025-02-28T22:59:59.999Z", "0.02");
            assertThat(published(totals)).isEmpty();

            totals.sale("s3", "2025-02-28T23:00:00Z", "0.04");
            totals.sale("s4", "2025-02-28T22:59:59.999Z", "0.08");
            assertThat(published(totals))
                    .containsExactly(
                            "2025-01-31T23:00:00Z to 2025-02-28T23:00:00Z v1 of 2: 0.03",
                            "2025-01-31T23:00:00Z to 2025-02-28T23:00:00Z v2 of 3: 0.11");
        }
    }

    @Test
    void anHourThatTheClockShowsTwiceIsTwoWindows() {
        try (Totals totals = totals("window.calendar=hour", "window.zone=Europe/Berlin")) {
            totals.sale("s1", "2025-10-26T01:59:59.999+02:00", "0.01");
            totals.sale("s2", "2025-10-26T02:00:00+02:00", "0.02");
            totals.sale("s3", "2025-10-26T02:59:59.999+02:00", "0.04");
            totals.sale("s4", "2025-10-26T02:00:00+01:00", "0.08");
            totals.sale("s5", "2025-10-26T02:30:00+02:00", "0.16"); // late
            totals.sale("s6", "2025-10-26T02:59:59.999+01:00", "0.32");
            totals.sale("s7", "2025-10-26T03:00:00+01:00", "0.64");

            assertThat(published(totals))
                    .containsExactly(
                            "2025-10-25T23:00:00Z to 2025-10-26T00:00:00Z v1 of 1: 0.01",
                            "2025-10-26T00:00:00Z to 2025-10-26T01:00:00Z v1 of 2: 0.06",
                            "2025-10-26T00:00:00Z to 2025-10-26T01:00:00Z v2 of 3: 0.22",
                            "2025-10-26T01:00:00Z to 2025-10-26T02:00:00Z v1 of 2: 0.40");
        }
    }

    @Test
    void whereTheClocksChangeByHalfAnHourTheHourThatIsLeftIsHalfAsLong() {
        try (Totals totals = totals("window.calendar=hour", "window.zone=Australia/Lord_Howe")) {
            totals.sale("s1", "2025-04-06T01:45:00+11:00", "0.01");
            totals.sale("s2", "2025-04-06T01:45:00+10:30", "0.02");
            totals.sale("s3", "2025-04-06T02:00:00+10:30", "0.04");
            totals.sale("s4", "2025-10-05T01:59:00+10:30", "0.08");
            totals.sale("s5", "2025-10-05T02:30:00+11:00", "0.16");
            totals.sale("s6", "2025-10-05T03:00:00+11:00", "0.32");
            totals.endInput();

            assertThat(published(totals))
                    .containsExactly(
                            "2025-04-05T14:00:00Z to 2025-04-05T15:00:00Z v1 of 1: 0.01",
                            "2025-04-05T15:00:00Z to 2025-04-05T15:30:00Z v1 of 1: 0.02",
                            "2025-04-05T15:30:00Z to 2025-04-05T16:30:00Z v1 of 1: 0.04",
                            "2025-10-04T14:30:00Z to 2025-10-04T15:30:00Z v1 of 1: 0.08",
                            "2025-10-04T15:30:00Z to 2025-10-04T16:00:00Z v1 of 1: 0.16",
                            "2025-10-04T16:00:00Z to 2025-10-04T17:00:00Z v1 of 1: 0.32");
        }
    }

    @Test
    void windowsOfASizeBeginAtTheirOffset() {
        try (Totals totals = totals("window.size=1h", "window.offset=20m")) {
            totals.sale("s1", "2025-07-01T10:19:59.999Z", "0.01");
            totals.sale("s2", "2025-07-01T10:20:00Z", "0.02");
            totals.sale("s3", "2025-07-01T11:19:59.999Z", "0.04");
            totals.sale("s4", "2025-07-01T11:20:00Z", "0.08");
            totals.sale("s5", "2025-07-01T10:20:00Z", "0.16");

            assertThat(published(totals))
                    .containsExactly(
                            "2025-07-01T09:20:00Z to 2025-07-01T10:20:00Z v1 of 1: 0.01",
                            "2025-07-01T10:20:00Z to 2025-07-01T11:20:00Z v1 of 2: 0.06",
                            "2025-07-01T10:20:00Z to 2025-07-01T11:20:00Z v2 of 3: 0.22");
        }
    }

    @Test
    void aWindowThatReachesOverTheEpochBeginsThere() {
        try (Totals totals = totals("window.size=1h", "window.offset=20m")) {
            totals.sale("s1", "1970-01-01T00:00:00Z", "0.01");
            totals.sale("s2", "1970-01-01T00:20:00Z", "0.02");
            totals.sale("s3", "1970-01-01T00:19:59.999Z", "0.04");

            assertThat(published(totals))
                    .containsExactly(
                            "1970-01-01T00:00:00Z to 1970-01-01T00:20:00Z v1 of 1: 0.01",
                            "1970-01-01T00:00:00Z to 1970-01-01T00:20:00Z v2 of 2: 0.05");
        }
    }

    @Test
    void aBusinessDayBeginsAtFourByTheClockWhateverTheClockDoes() {
        try (Totals totals = totals("window.calendar=day", "window.offset=4h", "window.zone=Europe/Berlin")) {
            totals.sale("s1", "2025-03-29T03:59:59.999+01:00", "0.01");
            totals.sale("s2", "2025-03-29T04:00:00+01:00", "0.02");
            totals.sale("s3", "2025-03-30T03:59:59.999+02:00", "0.04"); // 23 hours later
            totals.sale("s4", "2025-03-30T04:00:00+02:00", "0.08");
            totals.sale("s5", "2025-10-25T04:00:00+02:00", "0.16");
            totals.sale("s6", "2025-10-26T03:59:59.999+01:00", "0.32"); // 25 hours later
            totals.sale("s7", "2025-10-26T04:00:00+01:00", "0.64");
            totals.endInput();

            assertThat(published(totals))
                    .containsExactly(
                            "2025-03-28T03:00:00Z to 2025-03-29T03:00:00Z v1 of 1: 0.01",
                            "2025-03-29T03:00:00Z to 2025-03-30T02:00:00Z v1 of 2: 0.06",
                            "2025-03-30T02:00:00Z to 2025-03-31T02:00:00Z v1 of 1: 0.08",
                            "2025-10-25T02:00:00Z to 2025-10-26T03:00:00Z v1 of 2: 0.48",
                            "2025-10-26T03:00:00Z to 2025-10-27T03:00:00Z v1 of 1: 0.64");
        }
    }

    @Test
    void aSaleOnTimeIsInTheFinalsOfAllItsHoppingWindows() {
        try (Totals totals = totals("window.size=10m", "window.advance=4m", "window.offset=1m")) {
            totals.sale("s1", "2025-07-01T10:05:00Z", "0.01");
            totals.sale("s2", "2025-07-01T10:10:59.999Z", "0.02");
            totals.sale("s3", "2025-07-01T10:21:00Z", "0.04");
            totals.endInput();

            assertThat(published(totals))
                    .containsExactly(
                            "2025-07-01T09:57:00Z to 2025-07-01T10:07:00Z v1 of 1: 0.01",
                            "2025-07-01T10:01:00Z to 2025-07-01T10:11:00Z v1 of 2: 0.03",
                            "2025-07-01T10:05:00Z to 2025-07-01T10:15:00Z v1 of 2: 0.03",
                            "2025-07-01T10:09:00Z to 2025-07-01T10:19:00Z v1 of 1: 0.02",
                            "2025-07-01T10:13:00Z to 2025-07-01T10:23:00Z v1 of 1: 0.04",
                            "2025-07-01T10:17:00Z to 2025-07-01T10:27:00Z v1 of 1: 0.04",
                            "2025-07-01T10:21:00Z to 2025-07-01T10:31:00Z v1 of 1: 0.04");
        }
    }

    private Totals totals(String... window) {
        String[] settings = new String[window.length + 3];
        settings[0] = "grace=0s";
        settings[1] = "provisional=false";
        settings[2] = "window.size=";
        System.arraycopy(window, 0, settings, 3, window.length);
        return new Totals(state, settings);
    }

    private static List<String> published(Totals totals) {
        return totals.rows().stream().map(WindowKindsTest::brief).toList();
    }

    private static String brief(JsonNode row) {
        return "%s to %s v%s of %s: %s"
                .formatted(
                        Instant.parse(row.get("window_start").asString()),
                        Instant.parse(row.get("window_end").asString()),
                        row.get("version"),
                        row.get("count"),
                        row.get("total"));
    }
}
