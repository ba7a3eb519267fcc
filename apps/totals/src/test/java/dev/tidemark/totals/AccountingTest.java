package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.TopologyFixture;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.internal.AbstractRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What became of every record: exceptions, dead letters, the ledger and the meters. */
class AccountingTest {

    @TempDir
    Path state;

    @Test
    void everyRecordHasOneDispositionAndTheLedgerBalances() {
        try (Totals totals = new Totals(state, "correct-until=1h")) {
            totals.sale("e1", "10:01:00", "1.00");
            totals.sale("e1", "10:01:00", "1.00");
            totals.sale("e1", "10:01:00", "1.50");
            totals.sale("e2", "10:30:00", "2.00");
            totals.sale("e3", "10:02:00", "4.00");
            totals.sale("e4", "12:30:00", "8.00");
            totals.sale("e5", "10:03:00", "16.00");
            totals.sale("e6", "2035-01-01T00:00:00Z", "32.00");
            totals.sale("e7", "12:31:00", "9e30");
            totals.send("rubbish");

            assertThat(totals.dispositions())
                    .containsExactly(
                            "e1 duplicate",
                            "e1 conflicting",
                            "e3 late",
                            "e5 too-late",
                            "e6 future",
                            "e7 out-of-range",
                            " malformed");
            assertThat(totals.ledger().toString()).isEqualTo("""
                    {"pipeline":"sales","source_topic":"sales","source_partition":0,"received":10,\
                    "received_amount":65.50,"counted":3,"counted_amount":11.00,"partly_late":0,\
                    "partly_late_amount":0.00,"late":1,"late_amount":4.00,"too_late":1,"too_late_amount":16.00,\
                    "duplicate":1,"duplicate_amount":1.00,"conflicting":1,"conflicting_amount":1.50,"future":1,\
                    "future_amount":32.00,"malformed":1,"out_of_range":1,"held":0,"held_amount":0.00,\
                    "stream_time":"2026-07-01T12:30:00.000Z"}""");
            assertThat(count(totals, "received")).isEqualTo(10);
            assertThat(count(totals, "counted")).isEqualTo(3);
            assertThat(count(totals, "late")).isEqualTo(1);
            assertThat(count(totals, "partly-late")).isZero();
        }
    }

    private static double count(Totals totals, String disposition) {
        return totals.meters()
                .get("tidemark.events")
                .tag("pipeline", "sales")
                .tag("disposition", disposition)
                .counter()
                .count();
    }

    @Test
    void anExceptionSaysWhatHappenedAndWhatCameOfIt() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e1", "10:01:00", "1.00");
            totals.sale("e2", "10:15:00", "2.00");
            totals.sale("e3", "10:02:00", "4.00");

            assertThat(totals.exceptions()).extracting(JsonNode::toString).containsExactly("""
                    {"pipeline":"sales","source_topic":"sales","source_partition":0,"source_offset":2,"event_id":"e3",\
                    "key":"A","event_time":"2026-07-01T10:02:00.000Z","arrival_time":"2026-08-01T00:00:00.000Z",\
                    "amount":4.00,"disposition":"late","reason":"its window had closed at 2026-07-01T10:10:00.000Z\
                     when the stream time was 2026-07-01T10:15:00.000Z","window_start":"2026-07-01T10:00:00.000Z",\
                    "version":2,"payload":"{\\"event_id\\":\\"e3\\",\\"store_id\\":\\"A\\",\
                    \\"event_time\\":\\"2026-07-01T10:02:00Z\\",\\"amount\\":\\"4.00\\"}"}""");
        }
    }

    @Test
    void aDuplicateAndAConflictNameTheEventThatCameFirst() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e7", "10:01:00", "10.00");
            totals.sale("e7", "10:01:00", "10.00");
            totals.sale("e7", "10:01:00", "12.00");
            totals.sale("B", "e7", "10:01:00", "10.00"); // another store, so another event

            assertThat(totals.exceptions())
                    .extracting(row -> row.get("reason").asString())
                    .containsExactly(
                            "the same event was accepted at sales partition 0 offset 0",
                            "another event with this id but another time or amount was accepted at sales partition 0"
                                    + " offset 0");
        }
    }

    @Test
    void aContradictionDoesNotMoveTheStreamTime() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e1", "10:01:00", "1.00");
            totals.sale("e1", "10:30:00", "1.00");

            assertThat(totals.dispositions()).containsExactly("e1 conflicting");
            assertThat(totals.ledger().get("stream_time").asString()).isEqualTo("2026-07-01T10:01:00.000Z");
        }
    }

    @Test
    void aDateInTheFarFutureMovesNoClockAndLeavesItsIdFree() {
        try (Totals totals = new Totals(state)) {
            totals.sale("e1", "10:00:10", "1.00");
            totals.sale("e2", "2035-01-01T00:00:00Z", "1.00");
            totals.sale("e2", "10:00:20", "1.00");
            totals.endInput();

            assertThat(totals.published()).containsExactly("A 10:00 v1 2.00");
            assertThat(totals.dispositions()).containsExactly("e2 future");
        }
    }

    @Test
    void badRecordsAreParkedByteForByteAndTheGoodOneIsCounted() {
        byte[] notUtf8 = {(byte) 0xFF, (byte) 0xFE, 0};
        List<byte[]> bad = List.of(
                new byte[0],
                bytes("   "),
                bytes("{\"event_id\":\"x\","),
                bytes("[1,2]"),
                bytes("\"text\""),
                bytes("{\"amount\":{}}"),
                notUtf8,
                bytes("[".repeat(10_000)));
        byte[] good =
                bytes("{\"event_id\":\"e1\",\"store_id\":\"A\",\"event_time\":\"2026-07-01T10:00:00Z\",\"amount\":1}");
        try (Totals totals = new Totals(state)) {
            bad.forEach(totals::send);
            totals.fixture().send(notUtf8, good, new RecordHeaders(), Totals.NOW);
            totals.send(good);
            totals.endInput();

            List<TestRecord<byte[], byte[]>> dead = totals.deadLetters();
            assertThat(dead).hasSize(9);
            for (int i = 0; i < bad.size(); i++) {
                assertThat(dead.get(i).value()).isEqualTo(bad.get(i));
                assertThat(header(dead.get(i), "tidemark-topic")).isEqualTo("sales");
                assertThat(header(dead.get(i), "tidemark-partition")).isEqualTo("0");
                assertThat(header(dead.get(i), "tidemark-offset")).isEqualTo(Integer.toString(i));
                assertThat(header(dead.get(i), "tidemark-reason")).isNotBlank();
            }
            assertThat(dead.get(8).key()).isEqualTo(notUtf8);
            assertThat(dead.get(8).value()).isEqualTo(good);
            assertThat(totals.published()).containsExactly("A 10:00 v1 1.00");
            JsonNode ledger = totals.ledger();
            assertThat(ledger.get("malformed").intValue()).isEqualTo(9);
            assertThat(ledger.get("counted").intValue()).isEqualTo(1);
        }
    }

    @Test
    void aDeadLetterKeepsItsHeadersAndCountsItsAttempts() {
        Headers headers = new RecordHeaders();
        for (int i = 0; i < 20; i++) {
            headers.add("own-" + i % 19, bytes("v" + i));
        }
        try (Totals totals = new Totals(state)) {
            TestRecord<byte[], byte[]> dead = null;
            for (int attempt = 1; attempt <= 10; attempt++) {
                totals.fixture().send(bytes("k"), bytes("rubbish"), headers, Totals.NOW);
                dead = totals.deadLetters().get(0);
                headers = dead.headers();
                assertThat(header(dead, "tidemark-attempts")).isEqualTo(Integer.toString(attempt));
                assertThat(headers.toArray()).hasSize(26);
            }
            assertThat(StreamSupport.stream(dead.headers().spliterator(), false)
                            .filter(header -> header.key().startsWith("own-"))
                            .map(header -> header.key() + "=" + text(header.value()))
                            .toList())
                    .hasSize(20)
                    .startsWith("own-0=v0", "own-1=v1")
                    .endsWith("own-0=v19");
        }
    }

    @Test
    void headersSurviveInDeadLettersOnlyBecauseAResultStandsForManyRecords() {
        try (Totals totals = new Totals(state)) {
            for (String value : List.of(
                    sale("e1", "10:01:00"),
                    sale("e2", "10:16:00"),
                    sale("e1", "10:01:00"),
                    sale("e3", "10:02:00"),
                    "rubbish")) {
                Headers headers = new RecordHeaders();
                headers.add("trace", bytes("of " + value));
                totals.fixture().send(null, bytes(value), headers, Totals.NOW);
            }

            for (String topic : List.of("sales-totals", "sales-exceptions", "sales-ledger", "sales-lateness")) {
                assertThat(totals.fixture().read(topic)).isNotEmpty().allSatisfy(record -> assertThat(
                                record.headers().toArray())
                        .isEmpty());
            }
            assertThat(header(totals.deadLetters().get(0), "trace")).isEqualTo("of rubbish");
        }
    }

    private static String sale(String id, String time) {
        return "{\"event_id\":\"%s\",\"store_id\":\"A\",\"event_time\":\"2026-07-01T%sZ\",\"amount\":1}"
                .formatted(id, time);
    }

    @Test
    void theLargestDeadLetterIsWithinWhatTheProducerSends() {
        Headers headers = new RecordHeaders();
        headers.add("h", new byte[256 * 1024 - 13]);
        try (Totals totals = new Totals(state)) {
            totals.fixture().send(new byte[256 * 1024], new byte[600_000], headers, Totals.NOW);

            TestRecord<byte[], byte[]> dead = totals.deadLetters().get(0);
            assertThat(dead.headers().lastHeader("h")).isNotNull();
            int largest = (int) TopologyFixture.properties(state).get("producer.max.request.size");
            int size = AbstractRecords.estimateSizeInBytesUpperBound(
                    RecordBatch.CURRENT_MAGIC_VALUE,
                    Compression.NONE.type(),
                    dead.key(),
                    dead.value(),
                    dead.headers().toArray());
            assertThat(size).isLessThanOrEqualTo(largest);
        }
    }

    /** What counts is what headers take in the record, where each has two lengths, too. */
    @Test
    void headersWithNothingInThemAreLeftOutWhenThereAreTooMany() {
        Headers headers = new RecordHeaders();
        IntStream.range(0, 500_000).forEach(i -> headers.add("", null));
        try (Totals totals = new Totals(state)) {
            totals.fixture().send(null, bytes("rubbish"), headers, Totals.NOW);

            TestRecord<byte[], byte[]> dead = totals.deadLetters().get(0);
            assertThat(dead.headers().lastHeader("")).isNull();
            assertThat(header(dead, "tidemark-headers-size")).isEqualTo("5000000");
        }
    }

    /** Else a dead letter that is sent again would lose the headers that it could just keep the first time. */
    @Test
    void ourOwnHeadersDoNotTakeTheRoomOfOthers() {
        Headers headers = new RecordHeaders();
        headers.add("h", new byte[256 * 1024 - 13]);
        try (Totals totals = new Totals(state)) {
            for (int attempt = 1; attempt <= 2; attempt++) {
                totals.fixture().send(null, bytes("rubbish"), headers, Totals.NOW);
                headers = totals.deadLetters().get(0).headers();
                assertThat(headers.lastHeader("h")).isNotNull();
            }
        }
    }

    @Test
    void whatWasCutOnceStaysMarkedWhenItIsSentAgain() {
        Headers headers = new RecordHeaders();
        headers.add("huge", new byte[300 * 1024]);
        try (Totals totals = new Totals(state)) {
            totals.fixture().send(new byte[300 * 1024], new byte[1_200_000], headers, Totals.NOW);
            TestRecord<byte[], byte[]> dead = totals.deadLetters().get(0);
            totals.fixture().send(dead.key(), dead.value(), dead.headers(), Totals.NOW);

            TestRecord<byte[], byte[]> again = totals.deadLetters().get(0);
            assertThat(header(again, "tidemark-attempts")).isEqualTo("2");
            for (String size : List.of("tidemark-size", "tidemark-key-size", "tidemark-headers-size")) {
                assertThat(header(again, size)).isEqualTo(header(dead, size));
            }
        }
    }

    @Test
    void whatIsTooLargeToBePassedOnIsCutAndItsSizeIsKept() {
        byte[] large = bytes("x".repeat(1_200_000));
        Headers headers = new RecordHeaders();
        headers.add("huge", new byte[300 * 1024]);
        try (Totals totals = new Totals(state)) {
            totals.fixture().send(new byte[300 * 1024], large, headers, Totals.NOW);

            TestRecord<byte[], byte[]> dead = totals.deadLetters().get(0);
            assertThat(dead.value()).hasSize(512 * 1024);
            assertThat(header(dead, "tidemark-size")).isEqualTo("1200000");
            assertThat(dead.key()).hasSize(256 * 1024);
            assertThat(header(dead, "tidemark-key-size")).isEqualTo("307200");
            assertThat(dead.headers().lastHeader("huge")).isNull();
            assertThat(header(dead, "tidemark-headers-size")).isNotNull();
            JsonNode row = totals.exceptions().get(0);
            assertThat(row.get("payload").asString()).hasSize(4096);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String header(TestRecord<byte[], byte[]> record, String name) {
        return text(record.headers().lastHeader(name).value());
    }
}
