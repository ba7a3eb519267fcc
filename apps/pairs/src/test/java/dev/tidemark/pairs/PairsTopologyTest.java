package dev.tidemark.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * What is published when. Payments belong to an order from 0 to 30 minutes after it and the grace is five minutes unless a
 * test says otherwise, so an order of 10:00 is waited for until both inputs are at 10:35:01.
 */
class PairsTopologyTest {

    @TempDir
    Path state;

    @Test
    void anOrderAndItsPaymentAreAPairInEitherOrderOfArrival() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.order("O1", "09:01:00");
            pairs.payment("P1", "O1", "09:03:00");
            pairs.payment("P2", "O2", "09:03:00");
            pairs.order("O2", "09:01:00");
            pairs.clock("12:00:00");

            assertThat(pairs.published()).containsExactly("O1 P1 v1", "O2 P2 v1");
            assertThat(pairs.exceptions()).isEmpty();
        }
    }

    @Test
    void aRowSaysEverythingAboutItsPair() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.order("O1", "09:01:00");
            pairs.payment("P1", "O1", "09:03:00.500");
            pairs.order("O2", "09:01:00");
            pairs.clock("09:36:01");
            pairs.payment("P2", "O2", "09:02:00");

            String settings = Pairs.settings().fingerprint();
            assertThat(pairs.rows())
                    .extracting(JsonNode::toString)
                    .containsExactly("""
                            {"pipeline":"order-payments","key":"O1","left_id":"O1","right_id":"P1","version":1,\
                            "status":"matched","reason":null,"left_time":"2026-07-01T09:01:00.000Z",\
                            "right_time":"2026-07-01T09:03:00.500Z","distance_millis":120500,\
                            "left_event":"{\\"order_id\\":\\"O1\\",\\"ordered_at\\":\\"2026-07-01T09:01:00Z\\"}",\
                            "right_event":"{\\"payment_id\\":\\"P1\\",\\"order_id\\":\\"O1\\",\\"paid_at\\":\\"2026-07-01T09:03:00.500Z\\"}",\
                            "closed_by":null,"stream_time":"2026-07-01T09:03:00.500Z","cause_event_id":null,\
                            "settings":"%s","event_side":"left","event_id":"O1",\
                            "event_time":"2026-07-01T09:01:00.000Z","partner_id":"P1"}""".formatted(settings), """
                            {"pipeline":"order-payments","key":"O2","left_id":"O2","right_id":"","version":1,\
                            "status":"left-unmatched","reason":"no payments within 30m",\
                            "left_time":"2026-07-01T09:01:00.000Z","right_time":null,"distance_millis":null,\
                            "left_event":"{\\"order_id\\":\\"O2\\",\\"ordered_at\\":\\"2026-07-01T09:01:00Z\\"}",\
                            "right_event":null,"closed_by":"watermark","stream_time":"2026-07-01T09:36:01.000Z",\
                            "cause_event_id":null,"settings":"%s","event_side":"left","event_id":"O2",\
                            "event_time":"2026-07-01T09:01:00.000Z","partner_id":"O2"}""".formatted(settings), """
                            {"pipeline":"order-payments","key":"O2","left_id":"O2","right_id":"P2","version":2,\
                            "status":"matched","reason":"late","left_time":"2026-07-01T09:01:00.000Z",\
                            "right_time":"2026-07-01T09:02:00.000Z","distance_millis":60000,\
                            "left_event":"{\\"order_id\\":\\"O2\\",\\"ordered_at\\":\\"2026-07-01T09:01:00Z\\"}",\
                            "right_event":"{\\"payment_id\\":\\"P2\\",\\"order_id\\":\\"O2\\",\\"paid_at\\":\\"2026-07-01T09:02:00Z\\"}",\
                            "closed_by":null,"stream_time":"2026-07-01T09:36:01.000Z","cause_event_id":"P2",\
                            "settings":"%s","event_side":"left","event_id":"O2",\
                            "event_time":"2026-07-01T09:01:00.000Z","partner_id":"P2"}""".formatted(settings));
        }
    }

    @Test
    void bothBoundsAreIncludedAndAMillisecondMoreIsNot() {
        try (Pairs pairs = new Pairs(state, "within.before=10m", "within.after=30m")) {
            pairs.order("O1", "09:20:00");
            pairs.payment("P1", "O1", "09:09:59.999");
            pairs.payment("P2", "O1", "09:10:00");
            pairs.payment("P3", "O1", "09:50:00");
            pairs.payment("P4", "O1", "09:50:00.001");
            pairs.clock("12:00:00");

            assertThat(pairs.published())
                    .containsExactlyInAnyOrder(
                            "O1 P2 v1",
                            "O1 P3 v1",
                            "- P1 v1 no orders from 30m before to 10m after",
                            "- P4 v1 no orders from 30m before to 10m after");
        }
    }

    @Test
    void beforeAndAfterAreNotSwapped() {
        try (Pairs pairs = new Pairs(state, "within.before=10m", "within.after=0m")) {
            pairs.order("O1", "09:20:00");
            pairs.payment("P1", "O1", "09:15:00");
            pairs.order("O2", "09:20:00");
            pairs.payment("P2", "O2", "09:25:00");
            pairs.clock("12:00:00");

            assertThat(pairs.published())
                    .containsExactlyInAnyOrder(
                            "O1 P1 v1", "O2 - v1 no payments within 10m before", "- P2 v1 no orders within 10m");
        }
    }

    @Test
    void threePaymentsOfOneOrderAreThreePairs() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.payment("P1", "O1", "09:02:00");
            pairs.order("O1", "09:01:00");
            pairs.payment("P2", "O1", "09:03:00");
            pairs.payment("P3", "O1", "09:03:00");
            pairs.clock("12:00:00");

            assertThat(pairs.published()).containsExactly("O1 P1 v1", "O1 P2 v1", "O1 P3 v1");
        }
    }

    @Test
    void eventsOfOneKeyAndMillisecondAllSurvive() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.payment("P1", "O1", "09:01:00");
            pairs.payment("P2", "O1", "09:01:00");
            pairs.payment("P3", "O2", "09:01:00");
            pairs.payment("P4", "O2", "09:01:00");
            pairs.order("O1", "09:01:00");
            pairs.clock("12:00:00");

            assertThat(pairs.published())
                    .containsExactlyInAnyOrder(
                            "O1 P1 v1",
                            "O1 P2 v1",
                            "- P3 v1 no orders within 30m before",
                            "- P4 v1 no orders within 30m before");
        }
    }

    @Test
    void anOrderIsUnmatchedWithTheSecondAfterItsLastPossiblePaymentAndTheGraceAndNotBefore() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.order("O1", "09:01:00");
            pairs.clock("09:36:00.999");
            assertThat(pairs.published()).isEmpty();

            pairs.payment("P1", "O1", "09:31:00"); // as late as the grace allows
            pairs.order("O2", "09:01:00");
            pairs.clock("09:36:01");
            assertThat(pairs.published()).containsExactly("O1 P1 v1", "O2 - v1 no payments within 30m");

            pairs.clock("12:00:00");
            assertThat(pairs.published()).isEmpty();
        }
    }

    @Test
    void aPaymentWithoutAnOrderIsUnmatchedAfterTheGrace() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.payment("P1", "O1", "09:01:00");
            pairs.clock("09:06:00");
            assertThat(pairs.published()).isEmpty();

            pairs.clock("09:06:01");
            assertThat(pairs.published()).containsExactly("- P1 v1 no orders within 30m before");
        }
    }

    @Test
    void noOneIsUnmatchedBeforeItsTimeHoweverFarOutOfOrderItCame() {
        try (Pairs pairs = new Pairs(state, "within.before=0m", "within.after=1s", "grace=30m")) {
            pairs.clock("10:00:00");
            pairs.order("O1", "09:30:00"); // its window passed long ago, its grace has not
            pairs.payment("P2", "O2", "09:35:00");
            assertThat(pairs.published()).isEmpty();

            pairs.payment("P1", "O1", "09:30:01");
            pairs.order("O2", "09:35:00");
            pairs.clock("12:00:00");
            assertThat(pairs.published()).containsExactly("O1 P1 v1", "O2 P2 v1");
        }
    }

    @Test
    void theSlowerInputIsWaitedFor() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.order("O1", "09:01:00");
            for (int minute = 10; minute < 60; minute++) {
                pairs.order("tick-o" + minute, "09:" + minute + ":00");
            }
            assertThat(pairs.published()).isEmpty();

            pairs.payment("P1", "O1", "09:02:00");
            assertThat(pairs.published()).containsExactly("O1 P1 v1");
        }
    }

    @Test
    void aQuietInputIsUnmatchedByWallTimeOnce() {
        try (Pairs pairs = new Pairs(state, "within.after=1m", "grace=30s", "idle-after=30s")) {
            pairs.order("O1", "09:00:00");
            pairs.quiet(Duration.ofSeconds(90));
            assertThat(pairs.published()).isEmpty();

            pairs.quiet(Duration.ofSeconds(1));
            List<JsonNode> rows = pairs.rows();
            assertThat(rows).extracting(Pairs::brief).containsExactly("O1 - v1 no payments within 1m");
            assertThat(rows.get(0).get("closed_by").asString()).isEqualTo("idle");

            pairs.quiet(Duration.ofMinutes(10));
            pairs.payment("P1", "O1", "09:00:30");
            assertThat(pairs.published()).containsExactly("O1 P1 v2 late");
        }
    }

    @Test
    void theEndOfTheInputEndsAllWaiting() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.order("O1", "09:01:00");
            pairs.payment("P2", "O2", "09:01:00");
            pairs.endInput();

            List<JsonNode> rows = pairs.rows();
            assertThat(rows)
                    .extracting(Pairs::brief)
                    .containsExactlyInAnyOrder("O1 - v1 no payments within 30m", "- P2 v1 no orders within 30m before");
            assertThat(rows)
                    .extracting(row -> row.get("closed_by").asString())
                    .containsExactly("end-of-input", "end-of-input");

            pairs.payment("P1", "O1", "09:02:00");
            pairs.payment("P3", "O3", "09:02:00");
            assertThat(pairs.published())
                    .containsExactly(
                            "O1 P1 v2 late",
                            "- P3 v1 no orders within 30m before; it came late, when the stream time was"
                                    + " 2026-07-01T09:02:00.000Z");
        }
    }

    @Test
    void whatComesAfterTheEndOfAnEmptyInputIsUnmatchedAtOnce() {
        try (Pairs pairs = Pairs.unstarted(state)) {
            pairs.endInput();
            pairs.order("O1", "09:01:00");
            pairs.payment("P1", "O1", "09:02:00");

            assertThat(pairs.published())
                    .containsExactly(
                            "O1 - v1 no payments within 30m; it came late, when the stream time was"
                                    + " 2026-07-01T09:01:00.000Z",
                            "O1 P1 v2 late");
        }
    }

    @Test
    void aPaymentThatComesLateForItselfButNotForItsOrderIsCounted() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.order("O1", "09:01:00");
            pairs.clock("09:30:00");
            pairs.payment("P1", "O1", "09:02:00"); // an order-less payment of 09:02 would be unmatched at 09:07

            assertThat(pairs.published()).containsExactly("O1 P1 v1");
            assertThat(pairs.exceptions()).isEmpty();
            assertThat(pairs.ledger().get("payments").get("counted").intValue()).isEqualTo(3);
        }
    }

    @Test
    void anOrderThatIsItselfWaitedForCompletesAPaymentThatIsUnmatchedAlready() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.payment("P1", "O1", "09:02:00");
            pairs.clock("09:20:00");
            pairs.order("O1", "09:01:00");
            pairs.payment("P2", "O1", "09:19:00");
            pairs.clock("12:00:00");

            assertThat(pairs.published())
                    .containsExactly("- P1 v1 no orders within 30m before", "O1 P1 v2 late", "O1 P2 v1");
            assertThat(pairs.dispositions())
                    .containsExactly("O1 late v2: it completes payments P1, which was unmatched or late when the stream"
                            + " time was 2026-07-01T09:20:00.000Z");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"09:36:01", "09:41:01", "12:00:00"}) // the join still knows the order, or does not
    void aLatePaymentCompletesTheUnmatchedOrder(String clock) {
        try (Pairs pairs = new Pairs(state)) {
            pairs.order("O1", "09:01:00");
            pairs.clock(clock);
            pairs.payment("P1", "O1", "09:06:00");
            pairs.payment("P2", "O1", "09:06:00");

            assertThat(pairs.published())
                    .containsExactly("O1 - v1 no payments within 30m", "O1 P1 v2 late", "O1 P2 v2 late");
            assertThat(pairs.dispositions())
                    .containsExactly(
                            "P1 late v2: it completes orders O1, which was unmatched or late when the stream time was"
                                    + " 2026-07-01T" + clock + ".000Z",
                            "P2 late v2: it completes orders O1, which was unmatched or late when the stream time was"
                                    + " 2026-07-01T" + clock + ".000Z");
        }
    }

    @Test
    void aLateEventWithoutAPartnerIsUnmatchedAndRemembered() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.clock("12:00:00");
            pairs.order("O1", "09:01:00");
            pairs.payment("P1", "O1", "09:02:00");
            pairs.order("O1b", "09:01:00");

            String late = "; it came late, when the stream time was 2026-07-01T12:00:00.000Z";
            assertThat(pairs.published())
                    .containsExactly(
                            "O1 - v1 no payments within 30m" + late,
                            "O1 P1 v2 late",
                            "O1b - v1 no payments within 30m" + late);
            assertThat(pairs.dispositions())
                    .containsExactly(
                            "O1 late v1: no payments within 30m" + late,
                            "P1 late v2: it completes orders O1, which was unmatched or late when the stream time was"
                                    + " 2026-07-01T12:00:00.000Z",
                            "O1b late v1: no payments within 30m" + late);
        }
    }

    @Test
    void unmatchedOrdersAreRememberedUntilTheHorizonAndThenPaymentsAreTooLate() {
        try (Pairs pairs = new Pairs(state, "correct-until=1h")) {
            pairs.order("O1", "09:01:00");
            pairs.clock("10:36:00.999"); // 09:01 + 30m + 5m grace + 1h, less a millisecond of its second
            pairs.payment("P1", "O1", "09:01:00");
            pairs.clock("10:36:01");
            pairs.payment("P2", "O1", "09:01:00");
            pairs.payment("P3", "O1", "09:02:00");

            assertThat(pairs.published())
                    .containsExactly(
                            "O1 - v1 no payments within 30m",
                            "O1 P1 v2 late",
                            "- P3 v1 no orders within 30m before; it came late, when the stream time was"
                                    + " 2026-07-01T10:36:01.000Z");
            assertThat(pairs.dispositions().get(1))
                    .isEqualTo("P2 too-late: all that it may belong to was last waited for more than 1h before");
        }
    }

    @Test
    void anOrderThatALatePaymentMayStillFindIsRemembered() {
        try (Pairs pairs = new Pairs(state, "correct-until=1m")) {
            pairs.order("O1", "09:00:00");
            pairs.clock("09:37:00");
            pairs.payment("P1", "O1", "09:29:00");

            assertThat(pairs.published()).containsExactly("O1 - v1 no payments within 30m", "O1 P1 v2 late");
            assertThat(pairs.dispositions())
                    .extracting(text -> text.substring(0, text.indexOf(':')))
                    .containsExactly("P1 late v2");
        }
    }

    @Test
    void repeatedAndChangedAndUnreadableEventsArePairedOnceAndAccountedFor() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.order("O1", "09:01:00");
            pairs.payment("P1", "O1", "09:02:00");
            pairs.payment("P1", "O1", "09:02:00");
            pairs.send("payments", Pairs.paymentJson("P1", "O1", "09:02:00").replace("}", ",\"amount\":7}"));
            pairs.send("payments", "{");
            pairs.order("O1", "09:01:00");
            pairs.payment("P2", "O1", "2035-01-01T00:00:00Z");

            assertThat(pairs.published()).containsExactly("O1 P1 v1");
            assertThat(pairs.dispositions())
                    .extracting(text -> text.substring(0, text.indexOf(':')))
                    .containsExactly("P1 duplicate", "P1 conflicting", " malformed", "O1 duplicate", "P2 future");
            assertThat(pairs.deadLetters()).hasSize(2);
            JsonNode payments = pairs.ledger().get("payments");
            assertThat(payments.get("received").intValue()).isEqualTo(6);
            assertThat(payments.get("counted").intValue()).isEqualTo(2);
        }
    }

    @Test
    void aSecondPaymentThatIsNotExpectedIsPairedAndNoted() {
        try (Pairs pairs = new Pairs(state, "expect=one-to-one")) {
            pairs.order("O1", "09:01:00");
            pairs.payment("P1", "O1", "09:02:00");
            pairs.payment("P2", "O1", "09:03:00");
            pairs.order("O2", "09:01:00");
            pairs.payment("P3", "O2", "09:02:00");

            assertThat(pairs.published()).containsExactly("O1 P1 v1", "O1 P2 v1", "O2 P3 v1");
            assertThat(pairs.dispositions())
                    .containsExactly("P2 counted: orders O1 has more than one of payments, but one-to-one is expected");
            JsonNode payments = pairs.ledger().get("payments");
            assertThat(payments.get("received").intValue()).isEqualTo(4);
            assertThat(payments.get("counted").intValue()).isEqualTo(4);
        }
    }

    @Test
    void anOrderThatFindsTwoPaymentsIsNoted() {
        try (Pairs pairs = new Pairs(state, "expect=one-to-one")) {
            pairs.payment("P1", "O1", "09:02:00");
            pairs.payment("P2", "O1", "09:03:00");
            pairs.order("O1", "09:01:00");

            assertThat(pairs.published()).containsExactlyInAnyOrder("O1 P1 v1", "O1 P2 v1");
            assertThat(pairs.dispositions())
                    .containsExactly("O1 counted: orders O1 has more than one of payments, but one-to-one is expected");
        }
    }

    @Test
    void oneToManyExpectsOneLeftOfEachRight() {
        String[] byCustomer = {"left.key=/customer", "right.key=/customer", "expect=one-to-many"};
        try (Pairs pairs = new Pairs(state, byCustomer)) {
            pairs.send("orders", "{\"order_id\":\"O1\",\"customer\":\"C\",\"ordered_at\":\"2026-07-01T09:01:00Z\"}");
            pairs.send("payments", "{\"payment_id\":\"P1\",\"customer\":\"C\",\"paid_at\":\"2026-07-01T09:02:00Z\"}");
            pairs.send("payments", "{\"payment_id\":\"P2\",\"customer\":\"C\",\"paid_at\":\"2026-07-01T09:03:00Z\"}");
            pairs.send("orders", "{\"order_id\":\"O2\",\"customer\":\"C\",\"ordered_at\":\"2026-07-01T09:02:30Z\"}");
            pairs.endInput();

            assertThat(pairs.published()).containsExactlyInAnyOrder("O1 P1 v1", "O1 P2 v1", "O2 P2 v1");
            assertThat(pairs.dispositions())
                    .filteredOn(text -> !text.contains("malformed"))
                    .containsExactly(
                            "O2 counted: payments P2 has more than one of orders, but one-to-many is expected");
        }
    }

    @Test
    void aSecondLatePaymentThatIsNotExpectedSaysBoth() {
        try (Pairs pairs = new Pairs(state, "expect=one-to-one")) {
            pairs.order("O1", "09:01:00");
            pairs.clock("12:00:00");
            pairs.payment("P1", "O1", "09:02:00");
            pairs.payment("P2", "O1", "09:03:00");

            assertThat(pairs.dispositions())
                    .extracting(text ->
                            text.endsWith("; orders O1 has more than one of payments, but one-to-one is expected"))
                    .containsExactly(false, true);
        }
    }

    @Test
    void anIdThatWouldNotFitIntoAPrimaryKeyIsRefused() {
        try (Pairs pairs = new Pairs(state)) {
            pairs.payment("P".repeat(768), "O1", "09:02:00");
            pairs.payment("P".repeat(769), "O1", "09:02:00");

            assertThat(pairs.exceptions())
                    .extracting(row -> row.get("reason").asString())
                    .containsExactly("/payment_id has 769 bytes in UTF-8, but at most 768 are allowed");
        }
    }

    @Test
    void theWholeEventIsInTheRowHoweverLargeItIs() {
        try (Pairs pairs = new Pairs(state, "left.partitioned-by-key=false", "right.partitioned-by-key=false")) {
            String note = "é\"".replace("\"", "\\\"").repeat(50_000);
            String order = Pairs.orderJson("O1", "09:01:00").replace("}", ",\"note\":\"" + note + "\"}");
            pairs.send("orders", order);
            pairs.payment("P1", "O1", "09:02:00");

            assertThat(pairs.rows().get(0).get("left_event").asString()).isEqualTo(order);
        }
    }
}
