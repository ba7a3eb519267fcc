package dev.tidemark.enrich;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.TaskFixture;
import dev.tidemark.common.TopologyFixture;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The traps of Kafka's own lookup join with a grace of 60 seconds, and of its store of versions with a history of 100, in
 * a plain program. Where an upgrade makes one of these fail, the app may become simpler.
 */
class KafkaJoinGraceTest {

    @TempDir
    Path directory;

    private final MemoryLog log = new MemoryLog();
    private final ManualTime time = new ManualTime(Enrich.NOW);
    private TaskFixture task;

    @BeforeEach
    void start() {
        Properties properties = TopologyFixture.properties(directory);
        task = new TaskFixture(KafkaJoinGraceTest::join, properties, log, time);
    }

    private static void join(StreamsBuilder builder) {
        Consumed<String, String> texts = Consumed.with(Serdes.String(), Serdes.String());
        KTable<String, String> table = builder.table(
                "table",
                texts,
                Materialized.<String, String>as(
                                Stores.persistentVersionedKeyValueStore("versions", Duration.ofSeconds(100)))
                        .withKeySerde(Serdes.String())
                        .withValueSerde(Serdes.String()));
        builder.stream("events", texts)
                .leftJoin(
                        table,
                        (event, profile) -> event + "+" + profile,
                        Joined.with(Serdes.String(), Serdes.String(), Serdes.String(), "join", Duration.ofSeconds(60)))
                .to("joined", Produced.with(Serdes.String(), Serdes.String()));
    }

    @AfterEach
    void stop() {
        task.close();
    }

    @Test
    void itLosesAnEventThatWaitedOverARestartIfAnotherOfItsKeyAndTimeComes() {
        send("events", "a", "first", 100);
        task.restart();
        send("events", "a", "second", 100);
        send("events", "z", "later", 1_000);
        send("events", "z", "latest", 2_000);

        assertThat(joined()).contains("second+null").doesNotContain("first+null");
    }

    @Test
    void itNeverHandsOutSomeEventsThatWaitedOverARestart() {
        send("events", "a", "a", 100);
        send("events", "b", "b", 110);
        task.restart();
        send("events", "c", "c", 165);
        send("events", "d", "d", 180);
        send("events", "e", "e", 1_000);
        send("events", "f", "f", 2_000);

        assertThat(joined()).contains("a+null", "c+null", "d+null").doesNotContain("b+null");
    }

    @Test
    void itKeepsEventsWaitingUntilAnotherOneComes() {
        send("table", "k", "profile", 50);
        send("events", "k", "event", 100);
        send("table", "k", "other", 100_000);
        time.advance(Duration.ofDays(1));
        task.punctuate();

        assertThat(joined()).isEmpty();
    }

    @Test
    void theStoreOfVersionsDropsWhatIsOlderThanItsHistoryAlthoughItIsAllThatIsKnownOfItsKey() {
        send("table", "other", "profile", 1_000);
        send("table", "k", "registered long ago", 100);
        send("events", "k", "event", 1_000);
        send("events", "z", "later", 2_000);

        assertThat(joined()).contains("event+null");
    }

    @Test
    void theStoreOfVersionsDoesNotFindTheOlderOnesAfterARestart() {
        send("table", "k", "old", 100);
        send("table", "k", "new", 150);
        send("events", "k", "before", 120);
        send("events", "z", "later", 182);
        assertThat(joined()).contains("before+old");

        task.restart();
        send("events", "k", "after", 120);
        send("events", "z", "latest", 300);
        assertThat(joined()).contains("after+null");
    }

    private void send(String topic, String key, String value, int second) {
        log.append(
                topic,
                0,
                key.getBytes(StandardCharsets.UTF_8),
                value.getBytes(StandardCharsets.UTF_8),
                new RecordHeaders(),
                Instant.ofEpochSecond(second));
        task.drain();
        task.commit();
    }

    private List<String> joined() {
        return log.records("joined").stream()
                .map(record -> new String(record.value(), StandardCharsets.UTF_8))
                .toList();
    }
}
