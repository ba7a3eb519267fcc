package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An id is remembered for four quarters of the retention, begun ones included; here a quarter is fifteen minutes. */
class DeduplicateTest {

    private static final Instant NOW = Instant.parse("2026-08-01T00:00:00Z");

    @TempDir
    Path state;

    private TopologyFixture fixture;
    private int offset;

    @BeforeEach
    void start() {
        fixture = new TopologyFixture(DeduplicateTest::topology, "events", state, NOW);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    /** Values are {@code key,id,minute,amount}; the output says what became of each. */
    private static void topology(StreamsBuilder builder) {
        builder.stream(
                        "events",
                        Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("consume-events"))
                .mapValues((key, value) -> parse(value), Named.as("parse"))
                .processValues(
                        new Deduplicate<>("seen-events", Duration.ofHours(1), DeduplicateScope.KEY, false, () -> 1),
                        Named.as("drop-duplicates"))
                .mapValues(DeduplicateTest::verdict, Named.as("describe"))
                .to(
                        "verdicts",
                        Produced.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("write-verdicts"));
    }

    private static Item parse(byte[] value) {
        String[] fields = new String(value, StandardCharsets.UTF_8).split(",");
        long time = Duration.ofMinutes(Long.parseLong(fields[2])).toMillis();
        return new Event(
                new Origin("events", 3, Long.parseLong(fields[4])),
                fields[1],
                fields[0],
                time,
                1,
                Long.parseLong(fields[3]),
                value);
    }

    private static byte[] verdict(Item item) {
        String text = item instanceof Outcome outcome
                ? outcome.disposition().label() + " " + outcome.reason().replaceAll(".*(partition.*)", "$1")
                : "new";
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private String send(String key, String id, int minute, int amount) {
        String value = String.join(
                ",", key, id, Integer.toString(minute), Integer.toString(amount), Integer.toString(offset++));
        fixture.send(value.getBytes(StandardCharsets.UTF_8), NOW);
        return new String(fixture.read("verdicts").get(0).value(), StandardCharsets.UTF_8);
    }

    @Test
    void theSameEventAgainIsADuplicateAndNamesTheFirst() {
        assertThat(send("A", "e1", 100, 5)).isEqualTo("new");
        assertThat(send("A", "e1", 100, 5)).isEqualTo("duplicate partition 3 offset 0");
        assertThat(send("A", "e1", 100, 5)).isEqualTo("duplicate partition 3 offset 0");
    }

    @Test
    void theSameIdWithAnotherTimeOrAmountIsConflictingInBothDirectionsOfTime() {
        assertThat(send("A", "e1", 100, 5)).isEqualTo("new");
        assertThat(send("A", "e1", 100, 6)).startsWith("conflicting");
        assertThat(send("A", "e1", 101, 5)).startsWith("conflicting");
        assertThat(send("A", "e1", 2, 5)).startsWith("conflicting");
    }

    @Test
    void theSameIdUnderAnotherKeyIsAnotherEvent() {
        assertThat(send("A", "e1", 100, 5)).isEqualTo("new");
        assertThat(send("B", "e1", 100, 5)).isEqualTo("new");
        assertThat(send("Ae", "1", 100, 5)).isEqualTo("new");
    }

    @Test
    void anIdIsForgottenWhenTheStreamTimeHasMovedOnByTheRetention() {
        assertThat(send("A", "e1", 15, 5)).isEqualTo("new"); // in the quarter from minute 15
        send("A", "clock-1", 89, 0); // four quarters later
        assertThat(send("A", "e1", 15, 5)).startsWith("duplicate");
        send("A", "clock-2", 90, 0);
        assertThat(send("A", "e1", 15, 5)).isEqualTo("new");
        assertThat(send("A", "e1", 15, 5)).startsWith("duplicate"); // remembered anew
    }

    @Test
    void theStateShrinksWhenIdsAreForgotten() {
        for (int i = 0; i < 100; i++) {
            send("A", "e" + i, 10, i);
        }
        assertThat(keys()).hasSize(2); // a block of ids, and the stream time
        List<Bytes> before = keys();
        send("A", "clock", 1000, 0);
        assertThat(keys()).hasSize(2).isNotEqualTo(before);
    }

    private List<Bytes> keys() {
        KeyValueStore<Bytes, byte[]> store = fixture.driver().getKeyValueStore("seen-events");
        try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
            List<Bytes> keys = new ArrayList<>();
            all.forEachRemaining(entry -> keys.add(entry.key));
            return keys;
        }
    }

    @Test
    void aChangedRetentionForgetsInTime() {
        send("A", "e1", 100, 5);
        KeyValueStore<Bytes, byte[]> store = fixture.driver().getKeyValueStore("seen-events");

        SeenEvents longer = new SeenEvents(store, Duration.ofDays(1), DeduplicateScope.KEY);

        assertThat(remember(longer, event("e1", 100, 5))).isNotNull();
        assertThat(remember(longer, event("clock", 100 + 31 * 60, 0))).isNull();
        assertThat(remember(longer, event("e1", 100, 5))).isNull();
        longer.flush();
        assertThat(longer.size()).isEqualTo(2);
    }

    /** A repetition moves the stream time into a quarter in which nothing was accepted yet. */
    @Test
    void anIdThatIsAcceptedAfterARestartIsRememberedAsLongAsAnyOther() {
        send("A", "e1", 0, 5);
        send("A", "e1", 45, 6);
        KeyValueStore<Bytes, byte[]> store = fixture.driver().getKeyValueStore("seen-events");

        SeenEvents restored = new SeenEvents(store, Duration.ofHours(1), DeduplicateScope.KEY);

        assertThat(remember(restored, event("e2", 0, 5))).isNull(); // in the quarter from minute 45
        assertThat(remember(restored, event("clock", 119, 0))).isNull();
        assertThat(remember(restored, event("e2", 0, 5))).isNotNull();
        assertThat(remember(restored, event("clock", 120, 0))).isNotNull();
        assertThat(remember(restored, event("e2", 0, 5))).isNull();
    }

    private static Event event(String id, int minute, int amount) {
        return new Event(
                new Origin("events", 3, 7), id, "A", Duration.ofMinutes(minute).toMillis(), 1, amount, null);
    }

    @Test
    void whatWasWrittenIsReadBackWhole() {
        for (int i = 0; i < 3000; i++) {
            assertThat(send("A", "e" + i, i % 70, i)).isEqualTo("new");
        }
        KeyValueStore<Bytes, byte[]> store = fixture.driver().getKeyValueStore("seen-events");

        SeenEvents restored = new SeenEvents(store, Duration.ofHours(1), DeduplicateScope.KEY);

        assertThat(restored.size()).isEqualTo(3000);
        for (int i = 0; i < 3000; i++) {
            Event event = new Event(
                    new Origin("events", 3, 99_999),
                    "e" + i,
                    "A",
                    Duration.ofMinutes(i % 70).toMillis(),
                    1,
                    i,
                    null);
            assertThat(remember(restored, event)).isEqualTo(new SeenEvents.Earlier(true, 3, i));
        }
    }

    /** As with one source partition. */
    private static SeenEvents.Earlier remember(SeenEvents seen, Event event) {
        return seen.remember(event, event.time());
    }
}
