package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a task finds after a restart and after a crash. The program under test is plain DSL without a grace: sums of ten
 * minutes, held until they are closed, of events that are distinct; and a count of these, which starts anew every ten
 * seconds of wall time.
 */
class TaskFixtureTest {

    private static final Instant NOW = Instant.parse("2026-08-01T00:00:00Z");

    /** Where the stores are. */
    enum Storage {
        ON_DISK,
        IN_MEMORY
    }

    @TempDir
    Path state;

    private final MemoryLog log = new MemoryLog();
    private final ManualTime time = new ManualTime(NOW);
    private TaskFixture task;

    private void start(Storage storage) {
        Properties properties = TopologyFixture.properties(state);
        if (storage == Storage.IN_MEMORY) {
            properties.putAll(InMemoryStores.SETTINGS);
        }
        task = new TaskFixture(TaskFixtureTest::topology, properties, log, time);
    }

    @AfterEach
    void stop() {
        if (task != null) {
            task.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatWasCommittedIsThereAfterARestart(Storage storage) {
        start(storage);
        send("e1", 1, 100);
        send("e2", 2, 200);
        task.restart();
        send("e1", 1, 100); // the seen events know it
        send("e3", 3, 50); // the window store has 300
        task.restart();
        send("e4", 10, 7); // the buffer of suppress has 350
        task.commit();

        assertThat(values("sums")).containsExactly("350");
        assertThat(values("counts")).containsExactly("1", "2", "3", "4");
    }

    @ParameterizedTest
    @EnumSource
    void whatWasNotCommittedIsForgottenInACrashAndDoneAgain(Storage storage) {
        start(storage);
        send("e1", 1, 100);
        task.commit();
        send("e2", 2, 200);
        send("e3", 10, 7); // closes the window
        task.crash();

        assertThat(values("counts")).containsExactly("1");
        task.drain();
        task.commit();
        assertThat(values("sums")).containsExactly("300");
        assertThat(values("counts")).containsExactly("1", "2", "3");
    }

    @ParameterizedTest
    @EnumSource
    void aTaskThatCrashesBeforeItsFirstCommitStartsFromNothing(Storage storage) {
        start(storage);
        send("e1", 1, 100);
        task.crash();
        task.crash();
        task.drain();
        task.commit();

        assertThat(values("counts")).containsExactly("1");
    }

    /** The trap that EventClock is for; a fixture that kept the operators' time would hide it. */
    @ParameterizedTest
    @EnumSource
    void thePlainDslProgramPublishesASecondFinalAfterARestart(Storage storage) {
        start(storage);
        send("e1", 1, 350);
        send("e2", 10, 1);
        task.restart();
        send("e3", 2, 80);
        send("e4", 20, 1);
        task.commit();

        assertThat(values("sums")).containsExactly("350", "430", "1");
    }

    @ParameterizedTest
    @EnumSource
    void punctuationsAreDueByTheWallTimeSinceTheStart(Storage storage) {
        start(storage);
        send("e1", 1, 100);
        time.advance(Duration.ofSeconds(9));
        task.punctuate();
        task.restart();
        time.advance(Duration.ofSeconds(9));
        task.punctuate();
        send("e2", 1, 100);
        time.advance(Duration.ofSeconds(1));
        task.punctuate();
        send("e3", 1, 100);
        task.commit();

        assertThat(values("counts")).containsExactly("1", "2", "1");
    }

    @Test
    void whatATaskMovesToAnotherIsReadThereOnceItIsCommitted() {
        MemoryLog shared = new MemoryLog(Map.of("test-by-value-repartition", 2));
        List<TaskFixture> tasks = new ArrayList<>();
        for (TaskId id : List.of(new TaskId(0, 0), new TaskId(0, 1), new TaskId(1, 0), new TaskId(1, 1))) {
            Properties properties = TopologyFixture.properties(state);
            tasks.add(new TaskFixture(TaskFixtureTest::movingTopology, properties, id, shared, time));
        }
        for (int i = 0; i < 10; i++) {
            shared.append("events", i % 2, null, bytes("value " + i), new RecordHeaders(), minute(i));
        }
        tasks.forEach(TaskFixture::drain);
        assertThat(tasks.get(2).process()).isFalse();
        assertThat(tasks.get(3).process()).isFalse();

        tasks.forEach(TaskFixture::commit);
        assertThat(tasks.get(2).process()).isTrue();
        assertThat(tasks.get(3).process()).isTrue();
        tasks.forEach(TaskFixture::drain);
        tasks.forEach(TaskFixture::restart);
        assertThat(shared.records("moved")).hasSize(10);
        tasks.forEach(TaskFixture::close);
    }

    private static void movingTopology(StreamsBuilder builder) {
        builder.stream("events", Consumed.with(Serdes.String(), Serdes.String()).withName("consume-events"))
                .selectKey((key, value) -> value, Named.as("take-value"))
                .repartition(Repartitioned.with(Serdes.String(), Serdes.String())
                        .withName("by-value")
                        .withNumberOfPartitions(2))
                .to("moved", Produced.with(Serdes.String(), Serdes.String()).withName("write-moved"));
    }

    private void send(String id, int minute, long amount) {
        log.append("events", 0, bytes("all"), bytes(id + "," + amount), new RecordHeaders(), minute(minute));
        task.drain();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Instant minute(int minute) {
        return Instant.EPOCH.plus(Duration.ofMinutes(minute));
    }

    private List<String> values(String topic) {
        return log.records(topic).stream()
                .map(record -> new String(record.value(), StandardCharsets.UTF_8))
                .toList();
    }

    private static void topology(StreamsBuilder builder) {
        KStream<String, Long> amounts = builder.stream(
                        "events",
                        Consumed.with(Serdes.String(), Serdes.String()).withName("consume-events"))
                .processValues(ReadEvent::new, Named.as("read-events"))
                .processValues(
                        new Deduplicate<>("seen-events", Duration.ofHours(1), DeduplicateScope.KEY, false, () -> 1),
                        Named.as("drop-duplicates"))
                .filter((key, item) -> item instanceof Event, Named.as("take-events"))
                .mapValues(item -> ((Event) item).amount(), Named.as("take-amounts"));
        amounts.processValues(new Count(), Named.as("count-events"))
                .to("counts", Produced.with(Serdes.String(), Serdes.String()).withName("write-counts"));
        amounts.groupByKey(Grouped.with("by-key", Serdes.String(), Serdes.Long()))
                .windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofMinutes(10)))
                .reduce(
                        Long::sum,
                        Named.as("sum-amounts"),
                        Materialized.<String, Long, WindowStore<Bytes, byte[]>>as("sums-by-window")
                                .withKeySerde(Serdes.String())
                                .withValueSerde(Serdes.Long())
                                .withRetention(Duration.ofHours(1)))
                .suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded()).withName("hold-until-closed"))
                .toStream((window, sum) -> window.key(), Named.as("stream-closed"))
                .mapValues(sum -> Long.toString(sum), Named.as("describe-sums"))
                .to("sums", Produced.with(Serdes.String(), Serdes.String()).withName("write-sums"));
    }

    /** Values are {@code id,amount}. */
    private static final class ReadEvent extends ContextualFixedKeyProcessor<String, String, Item> {

        @Override
        public void process(FixedKeyRecord<String, String> record) {
            String[] fields = record.value().split(",");
            long amount = Long.parseLong(fields[1]);
            Origin origin = new Origin("events", 0, 0);
            context()
                    .forward(record.withValue(new Event(
                            origin,
                            fields[0],
                            record.key(),
                            record.timestamp(),
                            record.timestamp(),
                            amount,
                            new byte[0])));
        }
    }

    private static final class Count implements FixedKeyProcessorSupplier<String, Long, String> {

        @Override
        public Set<StoreBuilder<?>> stores() {
            return Set.of(Stores.keyValueStoreBuilder(
                    Stores.persistentKeyValueStore("count"), Serdes.String(), Serdes.Long()));
        }

        @Override
        public FixedKeyProcessor<String, Long, String> get() {
            return new ContextualFixedKeyProcessor<>() {

                private KeyValueStore<String, Long> counts;

                @Override
                public void init(FixedKeyProcessorContext<String, String> context) {
                    super.init(context);
                    counts = context.getStateStore("count");
                    context.schedule(
                            Duration.ofSeconds(10), PunctuationType.WALL_CLOCK_TIME, now -> counts.delete("all"));
                }

                @Override
                public void process(FixedKeyRecord<String, Long> record) {
                    Long before = counts.get(record.key());
                    long now = before == null ? 1 : before + 1;
                    counts.put(record.key(), now);
                    context().forward(record.withValue(Long.toString(now)));
                }
            };
        }
    }
}
