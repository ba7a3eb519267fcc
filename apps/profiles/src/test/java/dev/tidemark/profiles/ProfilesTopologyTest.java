package dev.tidemark.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What becomes of activities and customers. */
class ProfilesTopologyTest {

    @TempDir
    Path directory;

    @Test
    void aRowSaysWhatIsKnownOfAKeyAndWhereItComesFrom() {
        try (Customers customers = new Customers(directory)) {
            customers.customer("C1", "gold", "09:00:00");
            customers.visit("a1", "C1", "10:00:00");
            customers.buy("a2", "C1", "12.50", "10:10:00");
            customers.buy("a3", "C1", "0.01", "11:00:00");

            assertThat(customers.row("C1"))
                    .isEqualTo(Customers.json("""
                    {"pipeline":"customers","key":"C1","revision":7,
                    "count":3,"amount":12.51,"minimum":0.00,"maximum":12.50,"average":4.170000,
                    "first_time":"2026-07-01T10:00:00.000Z","first_event_id":"a1",
                    "last_time":"2026-07-01T11:00:00.000Z","last_event_id":"a3",
                    "longest_gap_millis":3000000,"longest_gap_start":"2026-07-01T10:10:00.000Z",
                    "longest_gap_end":"2026-07-01T11:00:00.000Z",
                    "day_start":"2026-06-30T22:00:00.000Z","visits_today":1,
                    "week_start":"2026-06-28T22:00:00.000Z","spend_this_week":12.51,
                    "stream_time":"2026-07-01T11:00:00.000Z",
                    "session_start":"2026-07-01T11:00:00.000Z","session_end":"2026-07-01T11:00:00.000Z",
                    "session_until":"2026-07-01T11:30:00.000Z","session_count":1,"session_amount":0.01,
                    "profile":"{\\"name\\":\\"Ann\\",\\"country\\":\\"DE\\",\\"plan\\":\\"gold\\"}",
                    "profile_time":"2026-07-01T09:00:00.000Z","profile_partition":0,"profile_offset":0,
                    "zone":"Europe/Berlin","settings":"%s"}""".formatted(Customers.settings().fingerprint())));
        }
    }

    @Test
    void aKeyWithoutProfileHasARowAndSoHasAProfileWithoutEvents() {
        try (Customers customers = new Customers(directory)) {
            customers.customer("C1", "gold", "09:00:00");
            customers.visit("a1", "C2", "10:00:00");

            var rows = customers.rows();
            assertThat(rows.get("C1").get("count").longValue()).isZero();
            assertThat(rows.get("C1").get("average").isNull()).isTrue();
            assertThat(rows.get("C1").get("visits_today").longValue()).isZero();
            assertThat(rows.get("C2").get("profile").isNull()).isTrue();
        }
    }

    @Test
    void todayAndThisWeekRollOverByTheClockWithoutAnEventOfTheKey() {
        try (Customers customers = new Customers(directory)) {
            customers.visit("a1", "C1", "2026-07-05T10:00:00Z"); // a Sunday
            customers.buy("a2", "C1", "5.00", "2026-07-05T11:00:00Z");
            assertThat(today(customers.row("C1"))).isEqualTo("1 5.00");

            customers.clock("2026-07-05T21:59:59Z"); // midnight in Berlin is at 22:00
            assertThat(customers.rows()).doesNotContainKey("C1");
            customers.clock("2026-07-05T22:00:00Z");
            JsonNode row = customers.row("C1");
            assertThat(today(row)).isEqualTo("0 0.00");
            assertThat(row.get("day_start").asString()).isEqualTo("2026-07-05T22:00:00.000Z");
            assertThat(row.get("count").longValue()).isEqualTo(2);
        }
    }

    @Test
    void aDayThatEndsWithinAWeekEndsAlone() {
        try (Customers customers = new Customers(directory)) {
            customers.visit("a1", "C1", "10:00:00"); // a Wednesday
            customers.buy("a2", "C1", "5.00", "11:00:00");
            assertThat(periods(customers.row("C1")))
                    .isEqualTo("1 since 2026-06-30T22:00:00.000Z, 5.00 since 2026-06-28T22:00:00.000Z");

            customers.clock("22:00:00");
            assertThat(periods(customers.row("C1")))
                    .isEqualTo("0 since 2026-07-01T22:00:00.000Z, 5.00 since 2026-06-28T22:00:00.000Z");
        }
    }

    @Test
    void aWeekBeginsWithTheDayThatIsSet() {
        try (Customers customers = new Customers(directory, "week-starts=sunday")) {
            customers.buy("a1", "C1", "5.00", "2026-07-04T11:00:00Z"); // a Saturday
            assertThat(periods(customers.row("C1")))
                    .isEqualTo("0 since 2026-07-03T22:00:00.000Z, 5.00 since 2026-06-27T22:00:00.000Z");

            customers.clock("2026-07-04T21:59:59Z");
            assertThat(customers.rows()).doesNotContainKey("C1");
            customers.clock("2026-07-04T22:00:00Z");
            assertThat(periods(customers.row("C1")))
                    .isEqualTo("0 since 2026-07-04T22:00:00.000Z, 0.00 since 2026-07-04T22:00:00.000Z");

            customers.buy("a2", "C1", "7.00", "2026-07-05T11:00:00Z");
            customers.rows();
            customers.clock(
                    "2026-07-05T22:00:00Z"); // Sunday is over, which it is in another week that begins with Monday
            assertThat(periods(customers.row("C1")))
                    .isEqualTo("0 since 2026-07-05T22:00:00.000Z, 7.00 since 2026-07-04T22:00:00.000Z");
        }
    }

    private static String periods(JsonNode row) {
        return row.get("visits_today") + " since " + row.get("day_start").asString() + ", " + row.get("spend_this_week")
                + " since " + row.get("week_start").asString();
    }

    @Test
    void aQuietInputRollsOverToo() {
        try (Customers customers = new Customers(directory)) {
            customers.visit("a1", "C1", "21:58:00");
            assertThat(today(customers.row("C1"))).isEqualTo("1 0.00");

            customers.quiet(Duration.ofMinutes(5));

            assertThat(today(customers.row("C1"))).isEqualTo("0 0.00");
            assertThat(customers.sessions()).isEmpty();
            customers.quiet(Duration.ofMinutes(40));
            assertThat(customers.sessions()).containsExactly("C1 21:58:00-21:58:00 v1 final 1 0.00");
        }
    }

    @Test
    void timeThatPassesLeavesNothingInTheStoreOfSessions() {
        try (Customers customers = new Customers(directory)) {
            customers.visit("a1", "C1", "10:00:00");
            customers.quiet(Duration.ofHours(2));

            assertThat(customers.sessions()).hasSize(1);
            assertThat(customers.keptSessions()).containsExactly("C1");
        }
    }

    @Test
    void anEventOfYesterdayIsNotOfTodayButStillOfThisWeek() {
        try (Customers customers = new Customers(directory)) {
            customers.visit("a1", "C1", "22:01:00");
            customers.buy("a2", "C1", "5.00", "21:59:00");
            customers.visit("a3", "C1", "21:59:30");

            assertThat(today(customers.row("C1"))).isEqualTo("1 5.00");
        }
    }

    @Test
    void daysHaveTheirRealLengthWhereClocksChange() {
        try (Customers customers = new Customers(directory)) {
            int i = 0;
            for (String time : List.of(
                    "2025-10-25T22:00:00Z", "2025-10-26T00:30:00Z", "2025-10-26T01:30:00Z", "2025-10-26T22:30:00Z")) {
                customers.visit("a" + i++, "C1", time);
            }
            assertThat(today(customers.row("C1"))).isEqualTo("4 0.00"); // a day of 25 hours
            customers.visit("b", "C1", "2025-10-26T23:00:00Z");
            assertThat(today(customers.row("C1"))).isEqualTo("1 0.00");
        }
    }

    private static String today(JsonNode row) {
        return row.get("visits_today") + " " + row.get("spend_this_week");
    }

    @ParameterizedTest
    @CsvSource({"3m, 10:03:00", "1m, 10:04:40"})
    void twoOpenSessionsThatAnEventJoinsAreOne(String grace, String between) {
        try (Customers customers = new Customers(directory, "session.gap=5m", "grace=" + grace)) {
            customers.buy("a1", "u1", "5.00", "10:00:00");
            customers.buy("a2", "u1", "7.00", "10:05:30");
            customers.buy("a3", "u1", "1.00", between);
            customers.clock("11:00:00");

            assertThat(customers.sessions()).containsExactly("u1 10:00:00-10:05:30 v1 final 3 13.00");
            assertThat(customers.dispositions()).isEmpty();
        }
    }

    @Test
    void aLateEventThatJoinsAFinishedAndAnOpenSessionReplacesWhenThatIsFinished() {
        try (Customers customers = new Customers(directory, "session.gap=5m", "grace=1m")) {
            customers.buy("a1", "u2", "5.00", "10:00:00");
            customers.buy("a2", "u2", "7.00", "10:08:00");
            assertThat(customers.sessions()).containsExactly("u2 10:00:00-10:00:00 v1 final 1 5.00");

            customers.buy("a3", "u2", "1.00", "10:04:00");
            assertThat(customers.sessions()).isEmpty();
            customers.clock("11:00:00");

            List<JsonNode> rows = customers.sessionRows();
            assertThat(rows.stream().map(Customers::brief))
                    .containsExactly("u2 10:00:00-10:08:00 v2 corrected 3 13.00");
            // The clock came there at once, far behind the session's end.
            assertThat(rows.get(0).get("stream_time").asString()).isEqualTo("2026-07-01T11:00:00.000Z");
            assertThat(customers.dispositions())
                    .containsExactly("a3 late: it came when the stream time was 2026-07-01T10:08:00.000Z, more than the"
                            + " grace of 1m behind");
        }
    }

    @Test
    void aLateEventThatJoinsFinishedSessionsReplacesThemAndSaysWhich() {
        try (Customers customers = new Customers(directory, "session.gap=5m", "grace=1m")) {
            customers.buy("a1", "u1", "5.00", "10:01:00");
            customers.buy("a2", "u1", "7.00", "10:08:00");
            customers.clock("11:00:00");
            customers.sessions();

            customers.buy("a3", "u1", "1.00", "10:05:00");

            List<JsonNode> rows = customers.sessionRows();
            assertThat(rows.stream().map(Customers::brief))
                    .containsExactly(
                            "u1 10:08:00-10:08:00 v2 replaced 0 0.00", "u1 10:01:00-10:08:00 v2 corrected 3 13.00");
            assertThat(rows.get(0).get("replaced_by").asString()).isEqualTo("2026-07-01T10:01:00.000Z");
            assertThat(rows.get(0).get("previous_amount").toString()).isEqualTo("7.00");
            assertThat(rows.get(0).get("delta").toString()).isEqualTo("-7.00");
            assertThat(rows.get(1)).isEqualTo(Customers.json("""
                    {"pipeline":"customers","key":"u1","session_start":"2026-07-01T10:01:00.000Z","version":2,
                    "session_end":"2026-07-01T10:08:00.000Z","status":"corrected","count":3,"amount":13.00,
                    "first_event_id":"a1","last_event_id":"a2","replaced_by":null,
                    "replaces":"[\\"2026-07-01T10:08:00.000Z\\"]","previous_amount":5.00,"delta":8.00,
                    "reason":"late","cause_event_id":"a3","cause_event_ids":"[\\"a3\\"]",
                    "stream_time":"2026-07-01T11:00:00.000Z","closed_by":"watermark","settings":"%s"}""".formatted(
                            Customers.settings("session.gap=5m", "grace=1m").fingerprint())));
            assertThat(customers.dispositions())
                    .containsExactly("a3 late v2: it came when the stream time was 2026-07-01T11:00:00.000Z, more than"
                            + " the grace of 1m behind");
        }
    }

    @Test
    void aLateEventBeforeAFinishedSessionMovesItsStart() {
        try (Customers customers = new Customers(directory, "session.gap=5m", "grace=1m")) {
            customers.buy("a1", "u1", "5.00", "10:04:00");
            customers.clock("11:00:00");
            customers.buy("a2", "u1", "1.00", "10:00:00");
            customers.buy("a3", "u1", "2.00", "09:00:00");
            customers.buy("a4", "u1", "3.00", "10:00:00");

            assertThat(customers.sessions())
                    .containsExactly(
                            "u1 10:04:00-10:04:00 v1 final 1 5.00",
                            "u1 10:04:00-10:04:00 v2 replaced 0 0.00",
                            "u1 10:00:00-10:04:00 v2 corrected 2 6.00",
                            "u1 09:00:00-09:00:00 v2 corrected 1 2.00",
                            "u1 10:00:00-10:04:00 v3 corrected 3 9.00");
        }
    }

    @Test
    void aLeapOfTimeLosesNoSession() {
        try (Customers customers = new Customers(directory, "correct-until=0s")) {
            customers.visit("a1", "C1", "10:00:00");
            customers.clock("2026-07-30T10:00:00Z");

            assertThat(customers.sessions()).containsExactly("C1 10:00:00-10:00:00 v1 final 1 0.00");
        }
    }

    @Test
    void aSessionEndsWithItsGapToTheMillisecond() {
        try (Customers customers = new Customers(directory, "session.gap=5m", "grace=0s")) {
            customers.visit("a1", "u1", "10:00:00");
            customers.visit("a2", "u1", "10:05:00.000");
            customers.visit("a3", "u2", "10:05:00");
            customers.visit("a4", "u2", "10:10:00.001");
            customers.clock("11:00:00");

            assertThat(customers.sessions())
                    .containsExactlyInAnyOrder(
                            "u1 10:00:00-10:05:00 v1 final 2 0.00",
                            "u2 10:05:00-10:05:00 v1 final 1 0.00",
                            "u2 10:10:00.001Z-10:10:00.001Z v1 final 1 0.00");
        }
    }

    @Test
    void theEndOfTheInputFinishesEverySessionAndWhatComesAfterIsLate() {
        try (Customers customers = new Customers(directory)) {
            customers.visit("a1", "C1", "10:00:00");
            customers.endInput();
            assertThat(customers.sessions()).containsExactly("C1 10:00:00-10:00:00 v1 final 1 0.00");

            customers.visit("a2", "C1", "10:10:00");
            customers.visit("a3", "C1", "12:00:00");
            assertThat(customers.sessions())
                    .containsExactly(
                            "C1 10:00:00-10:10:00 v2 corrected 2 0.00", "C1 12:00:00-12:00:00 v2 corrected 1 0.00");
        }
    }

    /** A session that would have lasted until 12:15 is finished by the end, with which nothing is earlier than 12:00. */
    @Test
    void theStreamTimeOfASessionIsThatOfTheClockAlsoWhereTheInputEndsBeforeIt() {
        try (Customers customers = new Customers(directory)) {
            customers.visit("a1", "C1", "10:00:00");
            customers.visit("a2", "C1", "11:45:00");
            customers.clock("12:00:00");
            customers.visit("a3", "C2", "12:00:00");
            customers.sessions();
            customers.endInput();

            assertThat(customers.sessionRows())
                    .extracting(row -> Customers.brief(row) + " at "
                            + row.get("stream_time").asString() + " by "
                            + row.get("closed_by").asString())
                    .containsExactlyInAnyOrder(
                            "C1 11:45:00-11:45:00 v1 final 1 0.00 at 2026-07-01T12:00:00.000Z by end-of-input",
                            "C2 12:00:00-12:00:00 v1 final 1 0.00 at 2026-07-01T12:00:00.000Z by end-of-input");
        }
    }

    @Test
    void beyondTheHorizonAnEventChangesNothing() {
        try (Customers customers = new Customers(directory, "correct-until=1h")) {
            customers.visit("a1", "C1", "10:00:00");
            customers.clock("12:00:00");
            customers.rows();

            customers.visit("a2", "C1", "10:00:00");

            assertThat(customers.rows()).isEmpty();
            assertThat(customers.dispositions())
                    .containsExactly(
                            "a2 too-late: it is more than 1h further behind the stream time than the grace of 5m");
        }
    }

    @Test
    void theLongestGapDoesNotDependOnTheOrderOfEvents() {
        List<String> times = new ArrayList<>(
                List.of("08:00:00", "08:20:00", "10:00:00", "11:00:00", "12:30:00", "12:40:00", "14:10:00"));
        for (int run = 0; run < 5; run++) {
            Collections.shuffle(times, new Random(run));
            try (Customers customers = new Customers(directory.resolve("run" + run))) {
                times.forEach(time -> customers.visit("a" + time, "C1", time));
                JsonNode row = customers.row("C1");
                assertThat(row.get("longest_gap_start").asString()).isEqualTo("2026-07-01T08:20:00.000Z");
                assertThat(row.get("longest_gap_end").asString()).isEqualTo("2026-07-01T10:00:00.000Z");
                assertThat(row.get("first_event_id").asString()).isEqualTo("a08:00:00");
                assertThat(row.get("session_start").asString()).isEqualTo("2026-07-01T14:10:00.000Z");
            }
        }
    }

    @Test
    void anOlderUpdateThatComesLaterChangesNothing() {
        try (Customers customers = new Customers(directory)) {
            customers.customer("C1", "gold", "10:00:00");
            customers.customer("C1", "free", "09:00:00");

            assertThat(customers.row("C1").get("profile").asString()).contains("gold");
            assertThat(customers.dispositions())
                    .containsExactly("C1 too-late: an update of 2026-07-01T10:00:00.000Z was known already");
            assertThat(customers.ledger().get("customers").get("counted").longValue())
                    .isEqualTo(1);
        }
    }

    @Test
    void aDeletedCustomerHasNoRowUntilItComesBackWithAllThatWasCounted() {
        try (Customers customers = new Customers(directory)) {
            customers.customer("C1", "gold", "10:00:00");
            customers.visit("a1", "C1", "10:00:00");
            customers.deleteCustomer("C1");
            assertThat(customers.rows()).containsEntry("C1", null);

            customers.visit("a2", "C1", "10:01:00");
            customers.customer("C1", "free", "09:00:00"); // older than what was deleted
            customers.deleteCustomer("C1");
            assertThat(customers.rows().values()).allMatch(row -> row == null);

            customers.customer("C1", "free", "11:00:00");
            JsonNode row = customers.row("C1");
            assertThat(row.get("count").longValue()).isEqualTo(2);
            assertThat(row.get("profile").asString()).contains("free");
        }
    }

    @Test
    void withoutDeleteWithProfileTheStatisticsStay() {
        try (Customers customers = new Customers(directory, "table.delete-with-profile=false")) {
            customers.customer("C1", "gold", "10:00:00");
            customers.customer("C2", "gold", "10:00:00");
            customers.visit("a1", "C1", "10:00:00");
            customers.deleteCustomer("C1");
            customers.deleteCustomer("C2");
            customers.deleteCustomer("C9");

            var rows = customers.rows();
            assertThat(rows.get("C1").get("profile").isNull()).isTrue();
            assertThat(rows.get("C1").get("count").longValue()).isEqualTo(1);
            assertThat(rows).containsEntry("C2", null);
            assertThat(rows.getOrDefault("C9", null)).isNull();
        }
    }

    @Test
    void theRevisionGrowsWithEveryChangeAlsoOverADeletion() {
        try (Customers customers = new Customers(directory)) {
            long last = 0;
            for (int i = 0; i < 5; i++) {
                customers.customer("C1", "plan" + i, "10:00:0" + i);
                customers.visit("a" + i, "C1", "10:00:0" + i);
                long revision = customers.row("C1").get("revision").longValue();
                assertThat(revision).isGreaterThan(last);
                last = revision;
                customers.deleteCustomer("C1");
            }
        }
    }

    @Test
    void withoutATimeOfTheirOwnUpdatesCountInTheOrderOfTheirTimestamps() {
        try (Customers customers = new Customers(directory, "table.event-time=", "table.key=")) {
            customers.send("customers", "é/日本 %", "{\"plan\":\"gold\"}", "10:00:00");
            customers.send("customers", "é/日本 %", "{\"plan\":\"free\"}", "10:00:00"); // of one time, the last counts
            JsonNode row = customers.row("é/日本 %");
            assertThat(row.get("profile").asString()).isEqualTo("{\"name\":null,\"country\":null,\"plan\":\"free\"}");

            customers.send("customers", "é/日本 %", "{\"plan\":\"old\"}", "09:59:59.999");
            assertThat(customers.row("é/日本 %")).isEqualTo(row);
            assertThat(customers.dispositions())
                    .containsExactly("é/日本 % too-late: an update of 2026-07-01T10:00:00.000Z was known already");
        }
    }

    @Test
    void withoutATimeOfTheirOwnADeletionThatIsOlderThanWhatIsKnownDeletesNothing() {
        try (Customers customers = new Customers(directory, "table.event-time=", "table.key=")) {
            customers.send("customers", "C1", "{\"plan\":\"gold\"}", "10:00:00");
            JsonNode row = customers.row("C1");
            customers.send("customers", "C1", null, "09:59:59.999");
            assertThat(customers.row("C1")).isEqualTo(row);
            assertThat(customers.dispositions())
                    .containsExactly("C1 too-late: an update of 2026-07-01T10:00:00.000Z was known already");

            customers.send("customers", "C1", null, "10:00:00"); // of one time, the last counts
            assertThat(customers.rows()).containsEntry("C1", null);
            customers.send("customers", "C1", "{\"plan\":\"old\"}", "09:00:00");
            assertThat(customers.rows()).containsEntry("C1", null);
            customers.send("customers", "C1", "{\"plan\":\"free\"}", "10:00:01");
            assertThat(customers.row("C1").get("profile").asString()).contains("free");
        }
    }

    /** Whatever the value would say is not there. */
    @Test
    void aDeletionIsOfTheKeyOfTheRecord() {
        try (Customers customers = new Customers(directory, "table.key=/customer_id")) {
            customers.send("customers", "row 7", Customers.customerJson("C1", "gold", "10:00:00"));
            customers.send("customers", "row 7", null);
            assertThat(customers.row("C1").get("profile").asString()).contains("gold");

            customers.send("customers", "C1", null);
            assertThat(customers.rows()).containsEntry("C1", null);
        }
    }

    @Test
    void whatCannotBeReadIsADeadLetterAndInTheLedger() {
        try (Customers customers = new Customers(directory)) {
            Stream.of(
                            "",
                            "   ",
                            "[1]",
                            "null",
                            "{\"customer_id\":\"C1\"",
                            "{\"customer_id\":\"\",\"updated_at\":\"2026-07-01T10:00:00Z\"}",
                            "{\"customer_id\":\"C1\",\"updated_at\":\"yesterday\"}",
                            "{\"customer_id\":\"C1\",\"customer_id\":\"C2\",\"updated_at\":\"2026-07-01T10:00:00Z\"}",
                            "{\"customer_id\":\"C1\",\"updated_at\":\"2035-01-01T00:00:00Z\"}")
                    .forEach(value -> customers.send("customers", "C1", value));
            customers.send("customers", null, null);
            customers.customer("C1", "gold", "10:00:00");

            assertThat(customers.dispositions())
                    .hasSize(10)
                    .filteredOn(row -> row.startsWith("C1 future: the time 2035-01-01T00:00:00Z is more than"))
                    .hasSize(1);
            assertThat(customers.deadLetters()).hasSize(10);
            JsonNode ledger = customers.ledger().get("customers");
            assertThat(ledger.get("received").longValue()).isEqualTo(11);
            assertThat(ledger.get("malformed").longValue()).isEqualTo(9);
            assertThat(ledger.get("future").longValue()).isEqualTo(1);
            assertThat(ledger.get("counted").longValue()).isEqualTo(1);
            assertThat(customers.row("C1").get("profile").asString()).contains("gold");
        }
    }

    /** No JVM can make a number of it. */
    @Test
    void aNumberWhoseExponentIsNoNumberStopsNobody() {
        try (Customers customers = new Customers(directory, "visits.field=/kind", "visits.is=visit")) {
            customers.send(
                    "customers",
                    "C1",
                    "{\"customer_id\":\"C1\",\"updated_at\":\"2026-07-01T10:00:00Z\",\"plan\":1e99999999999}");
            customers.send(
                    "activities",
                    null,
                    "{\"activity_id\":\"a1\",\"customer_id\":\"C1\",\"at\":\"2026-07-01T10:00:00Z\",\"amount\":\"1.00\","
                            + "\"kind\":\"visit\",\"note\":-1.5E-99999999999}");

            JsonNode row = customers.row("C1");
            assertThat(row.get("visits_today").intValue()).isEqualTo(1);
            assertThat(row.get("profile").asString()).contains("\"plan\":\"1e99999999999\"");
        }
    }

    @Test
    void whatJsonbCannotHoldIsTakenAsAText() {
        try (Customers customers = new Customers(directory)) {
            customers.send(
                    "customers",
                    "C1",
                    "{\"customer_id\":\"C1\",\"updated_at\":\"2026-07-01T10:00:00Z\","
                            + "\"name\":\"a\\u0000\",\"country\":[\"\\ud800\"],\"plan\":1e99999}");

            assertThat(customers.row("C1").get("profile").asString())
                    .isEqualTo("{\"name\":\"\\\"a\\\\u0000\\\"\",\"country\":\"[\\\"\\\\ud800\\\"]\","
                            + "\"plan\":\"1e99999\"}");
        }
    }

    @Test
    void sumsAndAveragesAreExactAndRoundedHalfToEven() {
        try (Customers customers = new Customers(directory)) {
            customers.buy("a1", "C1", "92233720368547758.07", "10:00:00");
            customers.buy("a2", "C1", "0.01", "10:00:01");
            customers.buy("a3", "C1", "-5.00", "10:00:02");
            JsonNode row = customers.row("C1");

            assertThat(row.get("amount").toString()).isEqualTo("92233720368547753.08");
            assertThat(row.get("average").toString()).isEqualTo("30744573456182584.360000");
            assertThat(row.get("minimum").toString()).isEqualTo("-5.00");
        }
    }

    @Test
    void aRepeatedEventCountsOnce() {
        try (Customers customers = new Customers(directory)) {
            customers.buy("a1", "C1", "5.00", "10:00:00");
            customers.buy("a1", "C1", "5.00", "10:00:00");
            customers.buy("a1", "C1", "6.00", "10:00:00");

            assertThat(customers.row("C1").get("amount").toString()).isEqualTo("5.00");
            assertThat(customers.dispositions())
                    .satisfiesExactly(row -> assertThat(row).startsWith("a1 duplicate"), row -> assertThat(row)
                            .startsWith("a1 conflicting"));
        }
    }

    @Test
    void theSameIdUnderAnotherKeyIsAnotherEventUnlessIdsAreGlobal() {
        try (Customers customers = new Customers(directory.resolve("key"))) {
            customers.visit("a1", "C1", "10:00:00");
            customers.visit("a1", "C2", "10:00:00");

            assertThat(customers.rows()).containsOnlyKeys("C1", "C2");
            assertThat(customers.dispositions()).isEmpty();
        }
        try (Customers customers = new Customers(directory.resolve("global"), "deduplicate-scope=global")) {
            customers.visit("a1", "C1", "10:00:00");
            customers.visit("a1", "C2", "10:00:00");
            customers.visit("a1", "C1", "10:00:00");
            customers.endInput();

            assertThat(customers.rows()).containsOnlyKeys("C1");
            assertThat(customers.sessions()).containsExactly("C1 10:00:00-10:00:00 v1 final 1 0.00");
            assertThat(customers.dispositions())
                    .containsExactly(
                            "a1 conflicting: another event with this id but another content was accepted at activities"
                                    + " partition 0 offset 0",
                            "a1 duplicate: the same event was accepted at activities partition 0 offset 0");
        }
    }

    @Test
    void keysAreTextOfAnyKind() {
        try (Customers customers = new Customers(directory)) {
            String key = new String("a/b%c é 日本 😀".getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            customers.visit("a1", key, "10:00:00");

            assertThat(customers.row(key).get("key").asString()).isEqualTo(key);
        }
    }
}
