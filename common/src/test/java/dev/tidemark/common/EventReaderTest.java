package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.common.InputMapping.RecordKey;
import dev.tidemark.common.InputMapping.TimeFormat;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventReaderTest {

    private static final Origin ORIGIN = new Origin("sales", 1, 42);
    private static final long TIME = millis("2026-07-01T10:02:00Z");
    private static final long ARRIVAL = millis("2026-07-01T10:03:00Z");
    private static final Duration MAX_FUTURE = Duration.ofMinutes(5);
    private static final Mappings SALES = Mappings.sales();

    @Test
    void aSaleIsReadWithAllItsFields() {
        byte[] value = utf8("""
                {"event_id":"e-1","store_id":"S001","event_time":"2026-07-01T10:02:00.000Z","amount":12.34,"note":"x"}""");

        Item item = new EventReader(SALES.build(), MAX_FUTURE).read(ORIGIN, utf8("S001"), value, ARRIVAL);

        assertThat(item).isEqualTo(new Event(ORIGIN, "e-1", "S001", TIME, ARRIVAL, 1234, value));
    }

    @Test
    void fieldsMayComeInAnyOrderWithWhiteSpaceAndOthersBetween() {
        Event event = event(SALES, """
                 \t\r
                { "lines" : [ { "amount" : [ ] , "event_id" : { } } , null ] , "amount" : "12.30",
                  "event_time" : "2026-07-01T12:02:00+02:00" , "sto\\u0072e_id" : "Caf\\u00e9 \\ud83c\\udf88" , "event_id" : "日本" }
                \s""");

        assertThat(event.id()).isEqualTo("日本");
        assertThat(event.key()).isEqualTo("Café 🎈");
        assertThat(event.time()).isEqualTo(TIME);
        assertThat(event.amount()).isEqualTo(1230);
    }

    @Test
    void pointersLeadIntoObjectsAndArrays() {
        Mappings mapping = SALES.eventId("/order/lines/1/id")
                .key("/order/a~1b", "/order/m~0n", "/order/lines/0")
                .eventTime("/0")
                .format(TimeFormat.EPOCH_MILLIS, null)
                .amount("/order/lines/1/");

        Event event = event(mapping, """
                {"order":{"m~n":"M","lines":["first",{"":"-7.5","id":7},{"id":8}],"a/b":"A"},"0":1782900120000}""");

        assertThat(event)
                .extracting(Event::id, Event::key, Event::time, Event::amount)
                .containsExactly("7", "[\"A\",\"M\",\"first\"]", TIME, -750L);
    }

    @Test
    void onePointerMayServeSeveralFields() {
        Event event = event(
                SALES.eventId("/n")
                        .key("/n")
                        .amount("/n", "/n")
                        .scale(0)
                        .eventTime("/n")
                        .format(TimeFormat.EPOCH_SECONDS, null),
                "{\"n\":12}");

        assertThat(event)
                .extracting(Event::id, Event::key, Event::time, Event::amount)
                .containsExactly("12", "12", 12_000L, 144L);
    }

    @Test
    void aPointerBelowAnotherOneFindsItsField() {
        assertThat(reason(SALES.amount("/amount", "/amount/value"), sale("\"amount\":{\"value\":2}")))
                .isEqualTo("/amount is an object, but a decimal number such as 12.30 is expected");
        assertThat(reason(SALES.amount("/amount", "/amount/value"), sale("\"amount\":2")))
                .isEqualTo("/amount/value is missing");
    }

    // Bytes that are not an event

    @Test
    void noValueAtAllHasItsOwnReason() {
        assertThat(refusal(SALES, null, null, ARRIVAL).reason()).isEqualTo("the record has no value");
        assertThat(reason(SALES, "")).isEqualTo("the value is empty");
        assertThat(reason(SALES, " \t\r\n ")).isEqualTo("the value is only white space");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[1,2]", "\"text\"", "1", "true", "null", "[]"})
    void aValueThatIsNoObjectIsMalformed(String value) {
        assertThat(reason(SALES, value)).isEqualTo("the value is not a JSON object");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{\"event_id\":\"x\",",
                "{\"a\":1,}",
                "{'a':1}",
                "{a:1}",
                "{\"a\" 1}",
                "{\"a\":}",
                "{\"a\":1 \"b\":2}",
                "{\"a\":[1,]}",
                "{\"a\":tru}",
                "{\"a\":True}",
                "{\"a\":01}",
                "{\"a\":+1}",
                "{\"a\":.5}",
                "{\"a\":5.}",
                "{\"a\":1e}",
                "{\"a\":0x1}",
                "{\"a\":NaN}",
                "{\"a\":Infinity}",
                "{\"a\":-Infinity}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12\"}",
                "{\"a\":\"\t\"}",
                "{\"a\":\"\n\"}",
                "{\"a\":\"\0\"}",
                "{\"a\":1/*c*/}",
                "{\"a\":1}//",
                "{\"a\":1}#",
                "{\"a\":1}}",
                "{\"a\":1}{\"a\":1}",
                "{\"a\":1},",
                "{\"a\":1}\0",
                "\0{\"a\":1}",
                "\u00a0{\"a\":1}",
                "{]",
                "}",
                "nonsense",
                "{\"a\":[}]}",
                "{\"\":1,\"\":2}"
            })
    void brokenJsonIsMalformedInWordsThatPostgresqlCanHold(String value) {
        assertThat(reason(SALES, value))
                .matches("[\\x20-\\uD7FF\\uFFFD]{10,300}")
                .doesNotContain("Source", "Exception", "`", "Feature");
    }

    @Test
    void reasonsSayWhereTheJsonIsBroken() {
        assertThat(reason(SALES, "{\"event_id\":\"x\",")).isEqualTo("the JSON object is cut off at /event_id");
        assertThat(reason(SALES, "{\"a\":{\"b\":[1,2")).isEqualTo("the JSON object is cut off at /a/b/1");
        assertThat(reason(SALES, "{")).isEqualTo("the JSON object is cut off");
        assertThat(reason(SALES, "{\"amount\":1.}")).startsWith("the value is not JSON at byte 12, in /amount: ");
        assertThat(reason(SALES, "{\"a\":1} x")).isEqualTo("something follows the JSON object");
    }

    @Test
    void bytesThatAreNotUtf8AreMalformed() {
        assertThat(reason(SALES, bytes(0xFF, 0xFE, 0x00))).isEqualTo("the value is not UTF-8 at byte 0");
        assertThat(reason(SALES, bytes('{', '"', 0xC0, 0x80, '"', ':', '1', '}')))
                .isEqualTo("the value is not UTF-8 at byte 2");
        assertThat(reason(SALES, sale("\"amount\":1").getBytes(StandardCharsets.UTF_16LE)))
                .startsWith("the value is not JSON");
        assertThat(reason(SALES, sale("\"amount\":1").getBytes(StandardCharsets.UTF_16BE)))
                .startsWith("the value is not JSON");
        assertThat(reason(SALES, "\uFEFF" + sale("\"amount\":1"))).isEqualTo("the value begins with a byte order mark");
    }

    @Test
    void aFieldThatOccursTwiceInItsObjectIsMalformedAtAnyLevel() {
        assertThat(reason(SALES, sale("\"amount\":1,\"amount\":1"))).isEqualTo("/amount occurs twice in its object");
        assertThat(reason(SALES, sale("\"amount\":1,\"amo\\u0075nt\":1")))
                .isEqualTo("/amount occurs twice in its object");
        assertThat(reason(SALES, sale("\"amount\":1,\"a\":[{\"b\":1,\"c\":2,\"d\":3,\"b\":1}]")))
                .isEqualTo("/a/0/b occurs twice in its object");
        assertThat(event(SALES, sale("\"amount\":1,\"a\":{\"amount\":2},\"b\":{\"amount\":2}"))
                        .amount())
                .isEqualTo(100);
    }

    @Test
    void depthIsBounded() {
        assertThat(event(SALES, sale("\"amount\":1,\"a\":" + "[".repeat(63) + "]".repeat(63)))
                        .amount())
                .isEqualTo(100);
        assertThat(reason(SALES, sale("\"amount\":1,\"a\":" + "[".repeat(64) + "]".repeat(64))))
                .contains("depth");
        assertThat(reason(SALES, sale("\"amount\":1,\"a\":" + "{\"a\":".repeat(64) + "1" + "}".repeat(64))))
                .contains("depth");
        assertThat(reason(SALES, "[".repeat(10_000))).isEqualTo("the value is not a JSON object");
    }

    @Test
    void sizeIsBounded() {
        String value = sale("\"amount\":1");

        assertThat(event(SALES.maxSize(value.length()), value).amount()).isEqualTo(100);
        assertThat(reason(SALES.maxSize(value.length() - 1), value))
                .isEqualTo("the value has " + value.length() + " bytes, but the input's max-size is "
                        + (value.length() - 1));
    }

    @Test
    void numbersAndNamesOfFieldsThatAreNotReadAreBoundedToo() {
        assertThat(event(SALES, sale("\"amount\":1,\"a\":" + "1".repeat(1000))).amount())
                .isEqualTo(100);
        assertThat(reason(SALES, sale("\"amount\":1,\"a\":" + "1".repeat(1001))))
                .startsWith("/a goes beyond a limit: ");
        assertThat(event(SALES, sale("\"amount\":1,\"" + "n".repeat(1000) + "\":1"))
                        .amount())
                .isEqualTo(100);
        assertThat(reason(SALES, sale("\"amount\":1,\"" + "n".repeat(1001) + "\":1")))
                .contains("goes beyond a limit: ");
        assertThat(event(SALES, sale("\"amount\":1,\"a\":\"" + "n".repeat(100_000) + "\""))
                        .amount())
                .isEqualTo(100);
    }

    @Test
    void namesThatEarlierRecordsHadDoNotMatter() {
        EventReader reader = new EventReader(SALES.build(), MAX_FUTURE);
        for (int i = 0; i < 200; i++) {
            int block = i * 1000;
            String many = IntStream.range(block, block + 1000)
                    .mapToObj(n -> ",\"field-with-a-long-name-" + n + "\":" + n)
                    .collect(Collectors.joining());
            assertThat(reader.read(ORIGIN, null, utf8(sale("\"amount\":1" + many)), ARRIVAL))
                    .isInstanceOf(Event.class);
        }
    }

    @Test
    void whatWasReadBeforeTheFaultIsTold() {
        byte[] value = utf8("""
                {"event_id":"e-1","store_id":"S001","event_time":"2026-07-01T10:02:00Z","amount":5,"note":"cut o""");

        assertThat(refusal(SALES, null, value, ARRIVAL))
                .isEqualTo(new Outcome(
                        ORIGIN,
                        "e-1",
                        "S001",
                        TIME,
                        ARRIVAL,
                        500L,
                        Disposition.MALFORMED,
                        "the JSON object is cut off at /note",
                        null,
                        null,
                        value));
    }

    @Test
    void whatIsCutOffItselfIsNotTold() {
        Outcome time = refusal(SALES, null, utf8("{\"amount\":5,\"event_time\":\"2026-07-01T10:02:00Z"), ARRIVAL);
        Outcome amount = refusal(SALES.key("/a", "/b"), null, utf8("{\"a\":\"A\",\"amount\":\"5"), ARRIVAL);

        assertThat(time)
                .extracting(Outcome::eventId, Outcome::key, Outcome::eventTime, Outcome::amount)
                .containsExactly(null, null, null, 500L);
        assertThat(amount)
                .extracting(Outcome::eventId, Outcome::key, Outcome::eventTime, Outcome::amount)
                .containsExactly(null, null, null, null);
    }

    @Test
    void aFaultyFieldDoesNotHideTheOthers() {
        Outcome outcome = refusal(SALES, null, utf8(sale("\"amount\":true")), ARRIVAL);

        assertThat(outcome)
                .extracting(Outcome::eventId, Outcome::key, Outcome::eventTime, Outcome::amount)
                .containsExactly("e-1", "S001", TIME, null);
    }

    @Test
    void faultsAreToldInTheOrderOfIdKeyTimeAndAmountWhereverTheyStand() {
        assertThat(reason(SALES, "{\"amount\":true,\"event_time\":1,\"store_id\":null,\"event_id\":\"\"}"))
                .isEqualTo("/event_id is blank");
        assertThat(reason(SALES, "{\"amount\":true,\"event_time\":1,\"event_id\":\"e\"}"))
                .isEqualTo("/store_id is missing");
    }

    // Event id and key

    @ParameterizedTest
    @ValueSource(strings = {"9007199254740993", "0", "-1", "-0", "123456789012345678901234567890"})
    void aWholeNumberIsTheIdAsWritten(String number) {
        assertThat(event(SALES.eventId("/id"), sale("\"amount\":1,\"id\":" + number))
                        .id())
                .isEqualTo(number);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "`\"\"`, /id is blank",
                "`\" \\t\\n\\u00a0\\u2003 \"`, /id is blank",
                "`\"a\\u0000b\"`, /id contains a NUL character",
                "`\"\\u0000tick\"`, /id contains a NUL character",
                "`\"a\\ud800\"`, /id contains half of a surrogate pair",
                "`\"\\udf88\\ud83c\"`, /id contains half of a surrogate pair",
                "`\"\\ud83c\\ud83c\\udf88\"`, /id contains half of a surrogate pair",
                "`null`, `/id is null, but a text or a whole number is expected`",
                "`true`, `/id is true, but a text or a whole number is expected`",
                "`1.0`, `/id is 1.0, but a text or a whole number is expected`",
                "`1e3`, `/id is 1e3, but a text or a whole number is expected`",
                "`{}`, `/id is an object, but a text or a whole number is expected`",
                "`[\"a\"]`, `/id is an array, but a text or a whole number is expected`"
            })
    void anIdOrKeyThatIsNoTextIsMalformed(String value, String reason) {
        assertThat(reason(SALES.eventId("/id"), sale("\"amount\":1,\"id\":" + value)))
                .isEqualTo(reason);
        assertThat(reason(SALES.key("/id"), sale("\"amount\":1,\"id\":" + value)))
                .isEqualTo(reason);
        assertThat(reason(SALES.key("/store_id", "/id"), sale("\"amount\":1,\"id\":" + value)))
                .isEqualTo(reason);
    }

    @Test
    void aMissingIdOrKeyIsMalformed() {
        assertThat(reason(SALES.eventId("/id"), sale("\"amount\":1"))).isEqualTo("/id is missing");
        assertThat(reason(SALES.key("/store_id", "/a/b"), sale("\"amount\":1,\"a\":7")))
                .isEqualTo("/a/b is missing");
    }

    @Test
    void theWordNullIsAKeyLikeAnyOther() {
        assertThat(event(SALES.key("/k"), sale("\"amount\":1,\"k\":\"null\"")).key())
                .isEqualTo("null");
    }

    @Test
    void idsHaveAtMost768BytesInUtf8() {
        String longest = "é".repeat(384);

        assertThat(event(SALES.eventId("/id"), sale("\"amount\":1,\"id\":\"" + longest + "\""))
                        .id())
                .isEqualTo(longest);
        assertThat(reason(SALES.eventId("/id"), sale("\"amount\":1,\"id\":\"" + longest + "x\"")))
                .isEqualTo("/id has 769 bytes in UTF-8, but at most 768 are allowed");
        assertThat(reason(SALES.eventId("/id"), sale("\"amount\":1,\"id\":" + "1".repeat(769))))
                .isEqualTo("/id has 769 bytes in UTF-8, but at most 768 are allowed");
    }

    @Test
    void keysHaveAtMost1024BytesInUtf8() {
        String longest = "é".repeat(512);

        assertThat(event(SALES.key("/k"), sale("\"amount\":1,\"k\":\"" + longest + "\""))
                        .key())
                .isEqualTo(longest);
        assertThat(reason(SALES.key("/k"), sale("\"amount\":1,\"k\":\"" + longest + "x\"")))
                .isEqualTo("/k has 1025 bytes in UTF-8, but at most 1024 are allowed");
    }

    @Test
    void aKeyOfSeveralPartsIsTheArrayOfTheirTexts() {
        Mappings mapping = SALES.key("/a", "/b");

        assertThat(event(mapping, sale("\"amount\":1,\"b\":\"EUR\",\"a\":\"S001\""))
                        .key())
                .isEqualTo("[\"S001\",\"EUR\"]");
        assertThat(event(mapping, sale("\"amount\":1,\"a\":7,\"b\":\"7\"")).key())
                .isEqualTo("[\"7\",\"7\"]");
        assertThat(event(mapping, sale("\"amount\":1,\"a\":\"\\\"\\\\\\n\\u0001/\",\"b\":\"é🎈\""))
                        .key())
                .isEqualTo("[\"\\\"\\\\\\n\\u0001/\",\"é🎈\"]");
    }

    // Event time

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\"",
                "\"yesterday\"",
                "-1",
                "1782900120",
                "null",
                "true",
                "{}",
                "[]",
                "\"2026-07-01T10:02:00\""
            })
    void anEventTimeThatIsNotIso8601IsMalformed(String time) {
        Outcome outcome = refusal(SALES.eventTime("/at"), null, utf8(sale("\"amount\":1,\"at\":" + time)), ARRIVAL);

        assertThat(outcome.disposition()).isEqualTo(Disposition.MALFORMED);
        assertThat(outcome.reason())
                .startsWith("/at is ")
                .endsWith(", but a time with offset such as 2026-07-01T10:02:00Z is expected");
        assertThat(outcome.eventTime()).isNull();
    }

    @Test
    void aMissingEventTimeIsMalformed() {
        assertThat(reason(SALES.eventTime("/at"), sale("\"amount\":1"))).isEqualTo("/at is missing");
    }

    @Test
    void anEventTimeOutsideTheCalendarIsMalformed() {
        assertThat(reason(SALES.eventTime("/at"), sale("\"amount\":1,\"at\":\"1969-12-31T23:59:59.999Z\"")))
                .isEqualTo("/at is \"1969-12-31T23:59:59.999Z\", which is before 1970");
        assertThat(reason(
                        SALES.eventTime("/at").format(TimeFormat.EPOCH_MICROS, null),
                        sale("\"amount\":1,\"at\":253402300800000000")))
                .isEqualTo("/at is 253402300800000000, which is beyond the year 9999");
        assertThat(reason(
                        SALES.eventTime("/at").format(TimeFormat.ISO_8601_LOCAL, ZoneId.of("Europe/Berlin")),
                        sale("\"amount\":1,\"at\":\"2026-03-29 02:30:00\"")))
                .isEqualTo(
                        "/at is \"2026-03-29 02:30:00\", which did not exist in Europe/Berlin because clocks were put forward");
    }

    @ParameterizedTest
    @CsvSource({
        "EPOCH_SECONDS, 1782900120",
        "EPOCH_SECONDS, \"1782900120\"",
        "EPOCH_MILLIS, 1782900120000",
        "EPOCH_MICROS, 1782900120000999",
        "EPOCH_MICROS, \"1782900120000000\""
    })
    void epochTimesAreNumbersOrTexts(TimeFormat format, String time) {
        Event event = event(SALES.eventTime("/at").format(format, null), sale("\"amount\":1,\"at\":" + time));

        assertThat(event.time()).isEqualTo(TIME);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1782900120.0", "1.78290012e9", "\"1782900120.5\"", "true", "null", "\"2026-07-01T10:02:00Z\""})
    void anEpochTimeThatIsNoWholeNumberIsMalformed(String time) {
        assertThat(reason(
                        SALES.eventTime("/at").format(TimeFormat.EPOCH_SECONDS, null),
                        sale("\"amount\":1,\"at\":" + time)))
                .startsWith("/at is ")
                .endsWith(", but a whole number of seconds since 1970 is expected");
    }

    // Arrival

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void aRecordWithoutTimestampIsMalformed(long arrival) {
        Outcome outcome = refusal(SALES, null, utf8(sale("\"amount\":1")), arrival);

        assertThat(outcome.reason()).isEqualTo("the record has no timestamp");
        assertThat(outcome.eventId()).isEqualTo("e-1");
    }

    @Test
    void anArrivalBeyondTheYear9999IsMalformed() {
        assertThat(refusal(SALES, null, utf8(sale("\"amount\":1")), Long.MAX_VALUE)
                        .reason())
                .isEqualTo("the record's timestamp is 9223372036854775807, which is beyond the year 9999");
    }

    @Test
    void anEventTimeThatLiesTooFarBeyondTheArrivalIsFuture() {
        byte[] value = utf8(sale("\"amount\":1"));

        Outcome outcome = refusal(SALES, null, value, TIME - 300_001);

        assertThat(outcome)
                .isEqualTo(new Outcome(
                        ORIGIN,
                        "e-1",
                        "S001",
                        TIME,
                        TIME - 300_001,
                        100L,
                        Disposition.FUTURE,
                        "the event time 2026-07-01T10:02:00Z is more than PT5M after the arrival at 2026-07-01T09:56:59.999Z",
                        null,
                        null,
                        value));
        assertThat(read(SALES, null, value, TIME - 300_000)).isInstanceOf(Event.class);
    }

    @Test
    void anEventTimeIsNeverFutureWhereAnyFutureIsAllowed() {
        EventReader reader = new EventReader(SALES.build(), Duration.ofSeconds(Long.MAX_VALUE));

        assertThat(reader.read(ORIGIN, null, utf8(sale("\"amount\":1")), 1)).isInstanceOf(Event.class);
    }

    @Test
    void aFutureBelowZeroIsRefusedAtTheStart() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EventReader(SALES.build(), Duration.ofMillis(-1)))
                .withMessage("max-future is PT-0.001S, but it must not be negative");
    }

    // Amount

    @ParameterizedTest
    @CsvSource({
        "12.34, 1234",
        "\"12.30\", 1230",
        "12, 1200",
        "12.300, 1230",
        "1e2, 10000",
        "\"1e2\", 10000",
        "-0.00, 0",
        "\"-5.00\", -500",
        "0.1, 10",
        "\"92233720368547758.07\", 9223372036854775807",
        "-92233720368547758.08, -9223372036854775808",
        "\"1\\u0032.5\", 1250"
    })
    void anAmountIsExact(String amount, long units) {
        assertThat(event(SALES, sale("\"amount\":" + amount)).amount()).isEqualTo(units);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "`\"12,30\"`, `/amount is \"12,30\", but a decimal number such as 12.30 is expected`",
                "`\" 12.30 \"`, `/amount is \" 12.30 \", but a decimal number such as 12.30 is expected`",
                "`\"+1\"`, `/amount is \"+1\", but a decimal number such as 12.30 is expected`",
                "`\"NaN\"`, `/amount is \"NaN\", but a decimal number such as 12.30 is expected`",
                "`\"\"`, `/amount is \"\", but a decimal number such as 12.30 is expected`",
                "`\"\\u0000\\ud800\\n\"`, `/amount is \"���\", but a decimal number such as 12.30 is expected`",
                "`true`, `/amount is true, but a decimal number such as 12.30 is expected`",
                "`null`, `/amount is null, but a decimal number such as 12.30 is expected`",
                "`{}`, `/amount is an object, but a decimal number such as 12.30 is expected`",
                "`[1]`, `/amount is an array, but a decimal number such as 12.30 is expected`",
                "`12.345`, `/amount is 12.345, which has more than 2 decimal places`",
                "`\"12.345\"`, `/amount is 12.345, which has more than 2 decimal places`",
                "`1e1000000000`, `/amount is 1e1000000000, whose exponent is not between -64 and 64`",
                "`1e-100000000`, `/amount is 1e-100000000, whose exponent is not between -64 and 64`"
            })
    void anAmountThatIsNotCertainIsMalformed(String amount, String reason) {
        Outcome outcome = refusal(SALES, null, utf8(sale("\"amount\":" + amount)), ARRIVAL);

        assertThat(outcome.disposition()).isEqualTo(Disposition.MALFORMED);
        assertThat(outcome.reason()).isEqualTo(reason);
        assertThat(outcome.amount()).isNull();
    }

    @Test
    void anAmountWithoutEndIsMalformedAndQuotedInShort() {
        assertThat(reason(SALES, sale("\"amount\":" + "1".repeat(100_000))))
                .isEqualTo(
                        "/amount goes beyond a limit: Number value length (100000) exceeds the maximum allowed (1000)");
        assertThat(reason(SALES, sale("\"amount\":\"" + "1".repeat(100_000) + "\"")))
                .isEqualTo("/amount is \"" + "1".repeat(60) + "…\", which is longer than 64 characters");
        assertThat(reason(SALES, sale("\"amount\":NaN"))).contains("/amount", "NaN");
        assertThat(reason(SALES, sale("\"amount\":Infinity"))).contains("/amount", "Infinity");
    }

    @Test
    void aFractionInAWholeNumberIsMalformed() {
        assertThat(reason(SALES.scale(0), sale("\"amount\":12.7")))
                .isEqualTo("/amount is 12.7, which has more than 0 decimal places");
        assertThat(event(SALES.scale(0), sale("\"amount\":12.0")).amount()).isEqualTo(12);
    }

    @ParameterizedTest
    @ValueSource(strings = {"92233720368547758.08", "\"-92233720368547758.09\"", "1e30"})
    void anAmountThatIsExactButTooLargeIsOutOfRange(String amount) {
        Outcome outcome = refusal(SALES, null, utf8(sale("\"amount\":" + amount)), ARRIVAL);

        assertThat(outcome.disposition()).isEqualTo(Disposition.OUT_OF_RANGE);
        assertThat(outcome.reason())
                .startsWith("/amount is ")
                .endsWith(", but at 2 decimal places at most 92233720368547758.07 can be counted");
        assertThat(outcome.amount()).isNull();
        assertThat(outcome.eventId()).isEqualTo("e-1");
    }

    @Test
    void withoutAPointerTheAmountIsZero() {
        assertThat(event(SALES.withoutAmount(), sale("\"amount\":true")).amount())
                .isZero();
    }

    @Test
    void factorsAreMultipliedExactly() {
        Mappings lines = SALES.amount("/price", "/quantity");

        assertThat(event(lines, sale("\"price\":\"2.50\",\"quantity\":3")).amount())
                .isEqualTo(750);
        assertThat(event(lines, sale("\"price\":0.125,\"quantity\":0.08")).amount())
                .isEqualTo(1);
        assertThat(event(lines, sale("\"quantity\":1e-10,\"price\":92233720368547758.07e10"))
                        .amount())
                .isEqualTo(Long.MAX_VALUE);
        assertThat(reason(lines, sale("\"price\":0.125,\"quantity\":3")))
                .isEqualTo("the product of /price and /quantity is 0.375, which has more than 2 decimal places");
        assertThat(reason(lines, sale("\"price\":0.125,\"quantity\":true")))
                .isEqualTo("/quantity is true, but a decimal number such as 12.30 is expected");
        assertThat(reason(lines, sale("\"price\":0.125"))).isEqualTo("/quantity is missing");
        assertThat(read(lines, null, utf8(sale("\"price\":1e10,\"quantity\":1e10")), ARRIVAL))
                .isInstanceOfSatisfying(Outcome.class, outcome -> assertThat(outcome.disposition())
                        .isEqualTo(Disposition.OUT_OF_RANGE));
    }

    @ParameterizedTest
    @CsvSource({
        "0.10 0.10 0.10 0.10 0.10 0.10 0.10 0.10 0.10 0.10, 1.00",
        "0.10 0.20 0.30, 0.60",
        "0.30 0.20 0.10, 0.60"
    })
    void centsAddUp(String amounts, BigDecimal total) {
        long units = 0;
        for (String amount : amounts.split(" ")) {
            units += event(SALES, sale("\"amount\":\"" + amount + "\"")).amount();
        }

        assertThat(BigDecimal.valueOf(units, 2)).isEqualTo(total);
    }

    // The record's own key

    @Test
    void theRecordKeyIsNotReadButMustBeText() {
        byte[] value = utf8(sale("\"amount\":1"));

        assertThat(read(SALES, null, value, ARRIVAL)).isInstanceOf(Event.class);
        assertThat(read(SALES, bytes(), value, ARRIVAL)).isInstanceOf(Event.class);
        assertThat(read(SALES, utf8("日本"), value, ARRIVAL)).isInstanceOf(Event.class);
        assertThat(refusal(SALES, bytes('k', 0xFF), value, ARRIVAL).reason())
                .isEqualTo(
                        "the record key is not UTF-8 at byte 1; if your keys are binary, set the input's record-key: any");
        assertThat(read(SALES.recordKey(RecordKey.ANY), bytes('k', 0xFF), value, ARRIVAL))
                .isInstanceOf(Event.class);
    }

    // Trap 9

    @Test
    void oneReaderServesManyThreads() throws Exception {
        EventReader reader = new EventReader(SALES.key("/store_id", "/currency").build(), MAX_FUTURE);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Long>> sums = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                String store = "S" + thread;
                sums.add(threads.submit(() -> sumOfTenThousand(reader, store)));
            }
            for (Future<Long> sum : sums) {
                assertThat(sum.get()).isEqualTo(50_005_000);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static long sumOfTenThousand(EventReader reader, String store) {
        long sum = 0;
        for (int i = 1; i <= 10_000; i++) {
            String value = "{\"currency\":\"EUR\",\"event_id\":\"" + store + i + "\",\"store_id\":\"" + store
                    + "\",\"event_time\":\"2026-07-01T10:02:00Z\",\"amount\":" + BigDecimal.valueOf(i, 2) + "}";
            Event event = (Event) reader.read(ORIGIN, null, utf8(value), ARRIVAL);
            assertThat(event.id()).isEqualTo(store + i);
            assertThat(event.key()).isEqualTo("[\"" + store + "\",\"EUR\"]");
            sum += event.amount();
        }
        return sum;
    }

    private static String sale(String fields) {
        return "{\"event_id\":\"e-1\",\"store_id\":\"S001\",\"event_time\":\"2026-07-01T10:02:00Z\"," + fields + "}";
    }

    private static Event event(Mappings mapping, String value) {
        Item item = read(mapping, null, utf8(value), ARRIVAL);
        assertThat(item).isInstanceOf(Event.class);
        return (Event) item;
    }

    private static String reason(Mappings mapping, String value) {
        return reason(mapping, utf8(value));
    }

    private static String reason(Mappings mapping, byte[] value) {
        Outcome outcome = refusal(mapping, null, value, ARRIVAL);
        assertThat(outcome.disposition()).isEqualTo(Disposition.MALFORMED);
        assertThat(outcome.origin()).isEqualTo(ORIGIN);
        assertThat(outcome.payload()).isSameAs(value);
        return outcome.reason();
    }

    private static Outcome refusal(Mappings mapping, byte[] recordKey, byte[] value, long arrival) {
        Item item = read(mapping, recordKey, value, arrival);
        assertThat(item).isInstanceOf(Outcome.class);
        return (Outcome) item;
    }

    private static Item read(Mappings mapping, byte[] recordKey, byte[] value, long arrival) {
        return new EventReader(mapping.build(), MAX_FUTURE).read(ORIGIN, recordKey, value, arrival);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] bytes(int... bytes) {
        byte[] result = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            result[i] = (byte) bytes[i];
        }
        return result;
    }

    private static long millis(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }
}
