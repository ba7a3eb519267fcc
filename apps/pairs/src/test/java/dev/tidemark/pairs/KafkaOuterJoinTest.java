package dev.tidemark.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.InMemoryStores;
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
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The traps of Kafka's outer join, in a plain program: right events belong to a left one from 0 to 10 seconds after it,
 * grace 60 seconds. Where an upgrade makes one of these fail, the app may become simpler.
 */
class KafkaOuterJoinTest {

    private final MemoryLog log = new MemoryLog();
    private final ManualTime time = new ManualTime(Pairs.NOW);
    private TaskFixture task;
    private int read;

    @BeforeEach
    void start() {
        Properties properties = TopologyFixture.properties(Path.of(""));
        properties.putAll(InMemoryStores.SETTINGS);
        task = new TaskFixture(KafkaOuterJoinTest::join, properties, log, time);
    }

    private static void join(StreamsBuilder builder) {
        JoinWindows windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ZERO, Duration.ofSeconds(60))
                .after(Duration.ofSeconds(10));
        builder.stream("left", Consumed.with(Serdes.String(), Serdes.String()))
                .outerJoin(
                        builder.stream("right", Consumed.with(Serdes.String(), Serdes.String())),
                        (left, right) -> left + "+" + right,
                        windows,
                        StreamJoined.with(Serdes.String(), Serdes.String(), Serdes.String())
                                .withName("join")
                                .withStoreName("events"))
                .to("joined", Produced.with(Serdes.String(), Serdes.String()));
    }

    @AfterEach
    void stop() {
        task.close();
    }

    @Test
    void itSaysWithinTheGraceThatAnEventOutOfOrderHasNoPartnerAndThenThatItHas() {
        send("left", "a", 100);
        send("left", "b", 80); // its window ended at 90, its grace lasts until 150
        send("right", "b", 85);

        assertThat(joined()).containsExactly("b+null", "b+b");
    }

    @Test
    void itHandsOutWhatHasNoPartnerAtMostOnceASecondOfWallTime() {
        send("left", "a", 100);
        time.advance(Duration.ofSeconds(1));
        send("left", "b", 171);
        assertThat(joined()).containsExactly("a+null");

        send("left", "c", 242);
        assertThat(joined()).isEmpty();

        time.advance(Duration.ofSeconds(1));
        send("left", "d", 243);
        assertThat(joined()).containsExactly("b+null");
    }

    @Test
    void itKeepsWhatHasNoPartnerUntilAnotherEventComes() {
        send("left", "a", 100);
        time.advance(Duration.ofDays(1));
        task.punctuate();

        assertThat(joined()).isEmpty();
    }

    @Test
    void itForgetsItsTimeAtARestartAndWaitsForWhatCannotCome() {
        send("left", "a", 1_000);
        send("left", "b", 100);
        assertThat(joined()).containsExactly("b+null");

        task.restart();
        send("left", "c", 100);
        assertThat(joined()).isEmpty();
    }

    private void send(String topic, String key, int second) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        log.append(topic, 0, bytes, bytes, new RecordHeaders(), Instant.ofEpochSecond(second));
        task.drain();
        task.commit();
    }

    /** What came out since the last call. */
    private List<String> joined() {
        List<String> all = log.records("joined").stream()
                .map(record -> new String(record.value(), StandardCharsets.UTF_8))
                .toList();
        List<String> since = all.subList(read, all.size());
        read = all.size();
        return since;
    }
}
