package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.Event;
import dev.tidemark.common.EventReader;
import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.Origin;
import dev.tidemark.common.TaskFixture;
import dev.tidemark.common.TopologyFixture;
import dev.tidemark.common.TotalsProperties;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.TimeZone;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What has gone wrong for others in the field, with the numbers of their cases. */
class FieldCasesTest {

    private static final String[] MINUTES = {"window.size=1m", "grace=30s", "deduplicate-for=10m"};

    @TempDir
    Path state;

    /** Elsewhere such a sale was dropped, with nothing but a warning in the log. */
    @Test
    void aLateSaleIsACorrectionAndARepetitionIsNone() {
        try (Totals totals = new Totals(state, MINUTES)) {
            totals.sale("A", "a1", "10:00:05", "1.00");
            totals.sale("B", "b1", "10:03:00", "5.00"); // closes A's window
            totals.sale("A", "a2", "10:00:30", "4.00");
            totals.sale("A", "a1", "10:00:05", "1.00");

            assertThat(totals.published()).containsExactly("A 10:00 v1 1.00", "A 10:00 v2 5.00");
            assertThat(totals.dispositions()).containsExactly("a2 late", "a1 duplicate");
            assertThat(totals.ledger().toString())
                    .contains("\"received\":4", "\"counted\":2", "\"late\":1", "\"duplicate\":1");
        }
    }

    /** Elsewhere one fast clock moved the watermark by ten years. */
    @Test
    void aSaleOfTheYear2035MakesNoHonestSaleLate() {
        try (Totals totals = new Totals(state, MINUTES)) {
            saleAt("10:01:00", totals, "e1", "10:00:10");
            saleAt("10:01:05", totals, "e2", "2035-01-01T00:00:00Z");
            saleAt("10:01:10", totals, "e3", "10:00:20");
            saleAt("10:01:15", totals, "e4", "10:01:10");
            totals.endInput();

            assertThat(totals.published()).containsExactly("A 10:00 v1 2.00", "A 10:01 v1 1.00");
            assertThat(totals.dispositions()).containsExactly("e2 future");
            assertThat(totals.deadLetters())
                    .extracting(FieldCasesTest::disposition)
                    .containsExactly("future");
        }
    }

    private static void saleAt(String arrival, Totals totals, String id, String time) {
        totals.fixture()
                .send(
                        Totals.saleJson("A", id, time, "\"1.00\"").getBytes(StandardCharsets.UTF_8),
                        Instant.parse("2026-07-01T" + arrival + "Z"));
    }

    /** Elsewhere a negative timestamp killed the thread, or the wall clock took the place of the missing time. */
    @Test
    void aSaleWithoutACertainTimeIsParkedAndNeverGivenAnother() {
        String[] bad = {
            "", "\"event_time\":null,", "\"event_time\":\"\",", "\"event_time\":-1,", "\"event_time\":\"yesterday\","
        };
        try (Totals totals = new Totals(state, MINUTES)) {
            totals.sale("e0", "10:00:10", "1.00");
            for (String time : bad) {
                totals.send("{\"event_id\":\"e1\"," + time + "\"store_id\":\"A\",\"amount\":\"1.00\"}");
            }
            byte[] withoutTimestamp =
                    Totals.saleJson("A", "e2", "10:00:20", "\"1.00\"").getBytes(StandardCharsets.UTF_8);
            totals.fixture().send(withoutTimestamp, Instant.EPOCH);

            assertThat(totals.ledger().toString())
                    .contains("\"counted\":1", "\"malformed\":6", "\"stream_time\":\"2026-07-01T10:00:10.000Z\"");
            assertThat(totals.deadLetters())
                    .extracting(FieldCasesTest::reason)
                    .containsExactly(
                            "/event_time is missing",
                            "/event_time is null, but a time with offset such as 2026-07-01T10:02:00Z is expected",
                            "/event_time is \"\", but a time with offset such as 2026-07-01T10:02:00Z is expected",
                            "/event_time is -1, but a time with offset such as 2026-07-01T10:02:00Z is expected",
                            "/event_time is \"yesterday\", but a time with offset such as 2026-07-01T10:02:00Z is expected",
                            "the record has no timestamp");
            totals.endInput();
            assertThat(totals.published()).containsExactly("A 10:00 v1 1.00");
        }
    }

    /** Elsewhere such a record was passed over, and seen nowhere. */
    @Test
    void aRecordThatHasNoTimestampAtAllIsParkedToo() {
        MemoryLog log = new MemoryLog();
        String good = Totals.saleJson("A", "e1", "10:00:10", "1");
        List<String> sales = List.of(good, good.replace("event_time", "time"), good, good);
        List<Integer> timestamps = List.of(-1, -1, 0, 1);
        for (int i = 0; i < sales.size(); i++) {
            Instant arrival = timestamps.get(i) > 0 ? Totals.NOW : Instant.ofEpochMilli(timestamps.get(i));
            log.append("sales", 0, sales.get(i).getBytes(StandardCharsets.UTF_8), arrival);
        }
        try (TaskFixture task = task(log)) {
            task.drain();
            task.commit();
        }

        assertThat(log.records("sales-dead-letters"))
                .extracting(letter ->
                        text(letter.headers(), "tidemark-offset") + ": " + text(letter.headers(), "tidemark-reason"))
                .containsExactly(
                        "0: the record has no timestamp",
                        "1: the record has no timestamp",
                        "2: the record has no timestamp");
        List<ConsumerRecord<byte[], byte[]>> ledger = log.records("sales-ledger");
        assertThat(ledger.get(ledger.size() - 1).value())
                .asString(StandardCharsets.UTF_8)
                .contains("\"received\":4", "\"counted\":1", "\"malformed\":3");
    }

    private static TaskFixture task(MemoryLog log) {
        TotalsProperties settings = Totals.settings(MINUTES);
        return new TaskFixture(
                new TotalsTopology(settings, Totals.partitions(settings), new SimpleMeterRegistry())::build,
                TopologyFixture.properties(Path.of("")),
                log,
                new ManualTime(Totals.NOW));
    }

    /** Elsewhere days were cut at 02:00, or where the server's own clock had its midnight. */
    @ParameterizedTest
    @ValueSource(strings = {"UTC", "America/New_York"})
    @ResourceLock(Resources.TIME_ZONE)
    void aDayInBerlinIsTheSameWhereverTheServerStands(String zoneOfTheServer) {
        TimeZone before = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone(zoneOfTheServer));
        try (Totals totals =
                new Totals(state, "window.size=", "window.calendar=day", "window.zone=Europe/Berlin", "grace=30s")) {
            List<String> times = List.of(
                    "2025-03-29T23:00:00Z",
                    "2025-03-30T21:59:59Z",
                    "2025-03-30T22:00:00Z",
                    "2025-10-25T22:00:00Z",
                    "2025-10-26T00:30:00Z",
                    "2025-10-26T01:30:00Z",
                    "2025-10-26T22:30:00Z",
                    "2025-10-26T23:00:00Z");
            times.forEach(time -> totals.sale(time, time, "1.00"));
            totals.endInput();

            assertThat(totals.rows())
                    .filteredOn(row -> row.get("version").intValue() == 1)
                    .extracting(row -> row.get("window_start").asString() + " to "
                            + row.get("window_end").asString() + ": " + row.get("total"))
                    .containsExactly(
                            "2025-03-29T23:00:00.000Z to 2025-03-30T22:00:00.000Z: 2.00", // 23 hours
                            "2025-03-30T22:00:00.000Z to 2025-03-31T22:00:00.000Z: 1.00",
                            "2025-10-25T22:00:00.000Z to 2025-10-26T23:00:00.000Z: 4.00", // 25 hours
                            "2025-10-26T23:00:00.000Z to 2025-10-27T23:00:00.000Z: 1.00");
        } finally {
            TimeZone.setDefault(before);
        }
    }

    /** Elsewhere an id that came with other content threw a real sale away, and blank ids were all the same sale. */
    @Test
    void aContradictionIsKeptApartAndABlankIdIsNoId() {
        try (Totals totals = new Totals(state, MINUTES)) {
            totals.sale("e7", "10:00:05", "10.00");
            totals.sale("e7", "10:00:05", "12.00");
            for (String id : List.of("\"\"", "\"\"", "null", "null")) {
                totals.send(Totals.saleJson("A", "e8", "10:00:05", "1").replace("\"e8\"", id));
            }
            totals.endInput();

            assertThat(totals.published()).containsExactly("A 10:00 v1 10.00");
            assertThat(totals.dispositions())
                    .containsExactly("e7 conflicting", " malformed", " malformed", " malformed", " malformed");
            assertThat(totals.deadLetters())
                    .extracting(FieldCasesTest::reason)
                    .containsExactly(
                            "/event_id is blank",
                            "/event_id is blank",
                            "/event_id is null, but a text or a whole number is expected",
                            "/event_id is null, but a text or a whole number is expected");
        }
    }

    /** Elsewhere a few bytes kept a processor busy for minutes, and a NaN poisoned a sum for ever. */
    @Test
    void anAmountIsExactOrParkedAndNeverRounded() {
        List<String> bad = List.of(
                "1e1000000000",
                "1e-100000000",
                "9".repeat(100_000),
                "NaN",
                "Infinity",
                "\"NaN\"",
                "\"12,30\"",
                "\" 12.30 \"",
                "12.345",
                "true");
        try (Totals totals = new Totals(state, MINUTES)) {
            for (String amount : List.of("\"12.30\"", "1e2", "-0.00")) {
                totals.send(Totals.saleJson("A", amount.replace("\"", ""), "10:00:05", amount));
            }
            bad.forEach(amount -> totals.send(Totals.saleJson("A", "bad", "10:00:05", amount)));
            totals.sale("last", "10:00:06", "0.01");
            totals.endInput();

            assertThat(totals.published()).containsExactly("A 10:00 v1 112.31");
            assertThat(totals.deadLetters()).hasSize(bad.size());
        }
    }

    @Test
    void aQuantityHasNoFraction() {
        try (Totals totals = new Totals(state, "input.amount=/quantity", "input.amount-scale=0")) {
            String sale = Totals.saleJson("A", "e1", "10:00:05", "12.7").replace("amount", "quantity");
            totals.send(sale);
            totals.send(sale.replace("12.7", "12"));
            totals.endInput();

            assertThat(totals.published()).containsExactly("A 10:00 v1 12");
            assertThat(totals.dispositions()).containsExactly("e1 malformed");
        }
    }

    @Test
    void aMillionCentsAreTenThousand() {
        TotalsProperties settings = Totals.settings();
        EventReader reader = new EventReader(settings.input(), settings.maxFuture());
        byte[] cent = Totals.saleJson("A", "e1", "10:00:05", "\"0.01\"").getBytes(StandardCharsets.UTF_8);
        WindowTotal total = WindowTotal.EMPTY;
        for (int i = 0; i < 1_000_000; i++) {
            Origin origin = new Origin("sales", 0, i);
            total = total.plus((Event) reader.read(origin, null, cent, Totals.NOW.toEpochMilli()));
        }

        assertThat(total.total().toDecimal(2)).isEqualTo("10000.00");
    }

    /** Elsewhere a record with a null key was skipped. */
    @Test
    void theKeyOfTheRecordPlaysNoPart() {
        try (Totals totals = new Totals(state, MINUTES)) {
            String[] keys = {null, "", "null", "B"};
            for (int i = 0; i < keys.length; i++) {
                byte[] sale = Totals.saleJson("A", "e" + i, "10:00:05", "1").getBytes(StandardCharsets.UTF_8);
                byte[] key = keys[i] == null ? null : keys[i].getBytes(StandardCharsets.UTF_8);
                totals.fixture().send(key, sale, new RecordHeaders(), Totals.NOW);
            }
            totals.endInput();

            assertThat(totals.published()).containsExactly("A 10:00 v1 4.00");
            assertThat(totals.exceptions()).isEmpty();
        }
    }

    /** Elsewhere that one could not be parked either. */
    @Test
    void aRecordOfWhichKeyAndValueAreBadIsParkedOnceAsItWas() {
        byte[] key = {(byte) 0xFF, 0};
        byte[] value = {'{', (byte) 0xFE};
        RecordHeaders headers = new RecordHeaders();
        for (int i = 0; i < 20; i++) {
            headers.add(i < 2 ? "trace" : "h" + i, new byte[] {(byte) i});
        }
        try (Totals totals = new Totals(state, MINUTES)) {
            totals.fixture().send(key, value, headers, Totals.NOW);

            TestRecord<byte[], byte[]> letter = totals.deadLetters().get(0);
            assertThat(letter.key()).isEqualTo(key);
            assertThat(letter.value()).isEqualTo(value);
            assertThat(letter.headers().toArray()).startsWith(headers.toArray());
            assertThat(reason(letter)).isEqualTo("the value is not UTF-8 at byte 1");
            assertThat(totals.dispositions()).containsExactly(" malformed");
            assertThat(totals.ledger().toString()).contains("\"received\":1", "\"malformed\":1");
        }
    }

    private static String disposition(TestRecord<byte[], byte[]> deadLetter) {
        return header(deadLetter, "tidemark-disposition");
    }

    private static String reason(TestRecord<byte[], byte[]> deadLetter) {
        return header(deadLetter, "tidemark-reason");
    }

    private static String header(TestRecord<byte[], byte[]> record, String name) {
        return text(record.headers(), name);
    }

    private static String text(Headers headers, String name) {
        return new String(headers.lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
