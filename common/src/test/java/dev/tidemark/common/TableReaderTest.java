package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.common.InputMapping.TimeFormat;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.unit.DataSize;

class TableReaderTest {

    private static final Origin ORIGIN = new Origin("customers", 3, 7);
    private static final long ARRIVAL = Instant.parse("2026-07-01T12:00:00Z").toEpochMilli();
    private static final TableMapping BY_RECORD_KEY = mapping(List.of(), "/at", List.of("/name", "/a/plan"));

    @Test
    void aRecordIsValidFromItsTimeOnUnderItsRecordKey() {
        Event read = (Event) read(BY_RECORD_KEY, "C1", "{\"at\":\"2026-07-01T10:00:00Z\"}");

        assertThat(read.key()).isEqualTo("C1");
        assertThat(read.time()).isEqualTo(Instant.parse("2026-07-01T10:00:00Z").toEpochMilli());
        assertThat(read.arrival()).isEqualTo(ARRIVAL);
        assertThat(read.origin()).isEqualTo(ORIGIN);
        assertThat(TableReader.isDeletion(read)).isFalse();
    }

    @Test
    void withoutAPointerToItTheTimeIsTheRecordsTimestamp() {
        Event read = (Event) read(mapping(List.of(), null, List.of("/name")), "C1", "{}");

        assertThat(read.time()).isEqualTo(ARRIVAL);
    }

    @Test
    void theKeyCanLieInTheValue() {
        assertThat(((Event) read(mapping(List.of("/id"), null, List.of("/n")), null, "{\"id\":\"C1\"}")).key())
                .isEqualTo("C1");
        assertThat(((Event) read(mapping(List.of("/id"), null, List.of("/n")), "x", "{\"id\":12}")).key())
                .isEqualTo("12");
        assertThat(((Event) read(mapping(List.of("/a", "/b"), null, List.of("/n")), null, "{\"a\":\"\\\"\",\"b\":2}"))
                        .key())
                .isEqualTo("[\"\\\"\",\"2\"]");
    }

    @Test
    void aRecordWithoutAValueDeletesItsRecordKeyFromItsTimestampOn() {
        Event read = (Event) read(mapping(List.of("/id"), "/at", List.of("/name")), "C1", null);

        assertThat(read.key()).isEqualTo("C1");
        assertThat(read.time()).isEqualTo(ARRIVAL);
        assertThat(TableReader.isDeletion(read)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "NOTHING",
            value = {
                "C1|''|the value is empty",
                "C1|null|the value is not a JSON object",
                "C1|' '|the value is only white space",
                "C1|{|the JSON object is cut off",
                "C1|{} {}|something follows the JSON object",
                "C1|{\"at\":1,\"at\":2}|/at occurs twice in its object",
                "C1|{\"name\":\"x\"}|/at is missing",
                "C1|{\"at\":null}|/at is null, but a time with offset such as 2026-07-01T10:02:00Z is expected",
                "NOTHING|{\"at\":\"2026-07-01T10:00:00Z\"}|the record has no key",
                "' '|{\"at\":\"2026-07-01T10:00:00Z\"}|the record key is blank",
                "NOTHING|NOTHING|the record has no key",
            })
    void whatIsNotCertainIsMalformed(String key, String value, String reason) {
        Outcome refusal = (Outcome) read(BY_RECORD_KEY, key, value);

        assertThat(refusal.disposition()).isEqualTo(Disposition.MALFORMED);
        assertThat(refusal.reason()).isEqualTo(reason);
    }

    @Test
    void keysAreTextOfLimitedLength() {
        TableReader reader = new TableReader(BY_RECORD_KEY, Duration.ZERO);
        byte[] value = "{\"at\":\"2026-07-01T10:00:00Z\"}".getBytes(StandardCharsets.UTF_8);

        assertThat(((Outcome) reader.read(ORIGIN, new byte[] {(byte) 0xFF}, value, ARRIVAL)).reason())
                .isEqualTo("the record key is not UTF-8 at byte 0");
        assertThat(((Outcome) reader.read(ORIGIN, new byte[] {'a', 0}, value, ARRIVAL)).reason())
                .isEqualTo("the record key contains a NUL character");
        assertThat(((Outcome) reader.read(ORIGIN, "k".repeat(1025).getBytes(StandardCharsets.UTF_8), value, ARRIVAL))
                        .reason())
                .isEqualTo("the record key has 1025 bytes in UTF-8, but at most 1024 are allowed");
        assertThat(((Outcome) read(mapping(List.of("/id"), null, List.of("/n")), "x", "{\"id\":{}}")).reason())
                .isEqualTo("/id is an object, but a text or a whole number is expected");
    }

    @Test
    void aTimeBeyondTheTimestampIsOfTheFuture() {
        TableReader reader = new TableReader(BY_RECORD_KEY, Duration.ofMinutes(5));
        byte[] key = {'C'};

        assertThat(reader.read(ORIGIN, key, bytes("{\"at\":\"2026-07-01T12:05:00Z\"}"), ARRIVAL))
                .isInstanceOf(Event.class);
        assertThat(((Outcome) reader.read(ORIGIN, key, bytes("{\"at\":\"2026-07-01T12:05:00.001Z\"}"), ARRIVAL))
                        .disposition())
                .isEqualTo(Disposition.FUTURE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"x\"",
                "\"\"",
                "\"Ü \\u00e9 \\ud800 \uD83D\uDE00 \\\"\"",
                "12.30",
                "-1e400",
                "0",
                "true",
                "null",
                "{}",
                "[ ]",
                "{\"a\" : [1, {\"b\":\"}\"}] }",
            })
    void whatIsTakenIsAsItWasWritten(String written) {
        TableReader reader = new TableReader(BY_RECORD_KEY, Duration.ZERO);
        String value =
                " { \"b\":[{\"plan\":1}], \"name\" : %s , \"a\":{\"x\":0,\"plan\":%s}}".formatted(written, written);

        assertThat(reader.take(bytes(value))).isEqualTo("{\"name\":%s,\"plan\":%s}".formatted(written, written));
    }

    @Test
    void whatIsNotThereIsTakenAsNull() {
        assertThat(new TableReader(BY_RECORD_KEY, Duration.ZERO).take(bytes("{\"a\":1}")))
                .isEqualTo("{\"name\":null,\"plan\":null}");
    }

    @Test
    void aFieldCanBeKeyAndTimeAndTakenAsWell() {
        TableMapping mapping = mapping(List.of("/id"), "/at", List.of("/id", "/at"));
        byte[] value = bytes("{\"id\":7,\"at\":\"2026-07-01T10:00:00Z\"}");

        assertThat(new TableReader(mapping, Duration.ZERO).take(value))
                .isEqualTo("{\"id\":7,\"at\":\"2026-07-01T10:00:00Z\"}");
        assertThat(((Event) read(mapping, null, "{\"id\":7,\"at\":\"2026-07-01T10:00:00Z\"}")).key())
                .isEqualTo("7");
    }

    @Test
    void noPointerLeadsIntoWhatAnotherOneTakes() {
        assertThatThrownBy(() -> mapping(List.of("/a/id"), null, List.of("/a")))
                .hasMessageContaining("/a/id within /a");
    }

    private static TableMapping mapping(List<String> key, String time, List<String> take) {
        return new TableMapping(
                "customers", true, key, time, TimeFormat.ISO_8601, null, take, DataSize.ofKilobytes(512));
    }

    private static Item read(TableMapping mapping, String key, String value) {
        return new TableReader(mapping, Duration.ofDays(1))
                .read(ORIGIN, key == null ? null : bytes(key), value == null ? null : bytes(value), ARRIVAL);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
