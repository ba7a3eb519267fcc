package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

class HeldEventsTest {

    /** A bucket is a hundred of the units in which these tests tell time. */
    private static final long UNIT = 100;

    private static final ItemBytes BYTES = new ItemBytes(List.of("sales"), false);

    @TempDir
    Path state;

    private TopologyFixture fixture;
    private KeyValueStore<Bytes, byte[]> store;
    private HeldEvents held;
    private long offset;

    @BeforeEach
    void openStore() {
        fixture = new TopologyFixture(
                builder -> builder
                        .addStateStore(Stores.keyValueStoreBuilder(
                                Stores.persistentKeyValueStore("held"), Serdes.Bytes(), Serdes.ByteArray()))
                        .stream(
                                "in",
                                Consumed.with(Serdes.ByteArray(), Serdes.ByteArray())
                                        .withName("consume"))
                        .process(Ignore::new, Named.as("ignore"), "held"),
                "in",
                state,
                Instant.EPOCH);
        store = fixture.driver().getKeyValueStore("held");
        held = new HeldEvents(store, BYTES);
    }

    @AfterEach
    void closeStore() {
        fixture.close();
    }

    @Test
    void eventsComeOutInTheOrderOfTime() {
        hold(250);
        hold(120);
        hold(199);
        hold(200);

        assertThat(release(119)).isEmpty();
        assertThat(release(199)).containsExactly(120L, 199L);
        hold(230);
        assertThat(release(1_000)).containsExactly(200L, 230L, 250L);
        assertThat(release(2_000)).isEmpty();
    }

    /** Those of one time go together, because the next call begins behind it. */
    @Test
    void itTellsUpToWhichTimeNotTooManyWait() {
        assertThat(held.reach(40 * UNIT, 1)).isEqualTo(40 * UNIT);
        for (long time : new long[] {11, 12, 12, 12, 13, 25, 26, 31}) {
            hold(time);
        }

        assertThat(held.reach(40 * UNIT, 8)).isEqualTo(40 * UNIT);
        assertThat(held.reach(40 * UNIT, 2)).isEqualTo(12 * UNIT);
        assertThat(held.reach(12 * UNIT, 2)).isEqualTo(12 * UNIT);
        assertThat(held.reach(11 * UNIT, 1)).isEqualTo(11 * UNIT);
        assertThat(release(12)).containsExactly(11L, 12L, 12L, 12L);
        held.flush();
        held = new HeldEvents(store, BYTES);
        assertThat(held.reach(40 * UNIT, 1)).isBetween(13 * UNIT, 25 * UNIT - 1);
        assertThat(held.reach(30 * UNIT, 3)).isEqualTo(30 * UNIT);
        assertThat(release(40)).containsExactly(13L, 25L, 26L, 31L);
    }

    @Test
    void whatWasNotHandedOutIsThereAfterARestart() {
        hold(120);
        hold(150);
        hold(250);
        held.flush();
        hold(160);
        assertThat(release(149)).containsExactly(120L);
        held.flush();

        held = new HeldEvents(store, BYTES);
        assertThat(release(155)).containsExactly(150L);
        hold(170);
        held.flush();
        assertThat(release(1_000)).containsExactly(160L, 170L, 250L);
    }

    @Test
    void whatWouldNeverBeHandedOutIsNotTaken() {
        hold(250);
        release(200);

        assertThatThrownBy(() -> hold(200)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void nothingIsLeftInTheStoreOfWhatWasHandedOut() {
        LongStream.range(101, 3_000).forEach(this::hold);
        held.flush();
        LongStream.range(3_000, 4_000).forEach(this::hold);
        held.flush();
        assertThat(keys()).isGreaterThan(30);

        release(10_000);
        held.flush();
        assertThat(keys()).isLessThanOrEqualTo(1);
    }

    /** A producer refuses what is larger than the records that it was set up for. */
    @Test
    void whatIsWrittenFitsIntoARequestHoweverManyAndLargeTheEventsAre() {
        DataSize largest = DataSize.ofKilobytes(512);
        held = new HeldEvents(store, new ItemBytes(List.of("sales"), true));
        for (int size : new int[] {0, 100, 200_000, 261_000, (int) largest.toBytes()}) {
            for (int i = 0; i < 30; i++) {
                byte[] payload = new byte[size];
                held.hold(new Event(
                        new Origin("sales", 0, offset++), "e".repeat(768), "A".repeat(1024), 0, 0, 0, payload));
            }
        }
        IntStream.range(0, 3_000).forEach(i -> hold(1));
        held.flush();

        assertThat(sizes())
                .hasSizeGreaterThan(30)
                .allMatch(size -> size <= StreamsSettings.maxRecord(largest).toBytes());
        List<Long> offsets = new ArrayList<>();
        new HeldEvents(store, new ItemBytes(List.of("sales"), true))
                .release(UNIT, event -> offsets.add(event.origin().offset()));
        assertThat(offsets).hasSize(3_150).isSorted();
    }

    @Test
    void withRandomStepsAndRestartsItIsAPriorityQueue() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            PriorityQueue<Long> model = new PriorityQueue<>();
            long base = seed * 1_000_000L;
            long released = base;
            held.release(released * UNIT, event -> {});
            for (int step = 0; step < 300; step++) {
                int dice = random.nextInt(20);
                if (dice == 0) {
                    held.flush();
                } else if (dice == 1) {
                    held.flush();
                    held = new HeldEvents(store, BYTES);
                } else if (dice < 6) {
                    released += random.nextInt(150);
                    List<Long> expected = new ArrayList<>();
                    while (!model.isEmpty() && model.peek() <= released) {
                        expected.add(model.remove());
                    }
                    assertThat(release(released))
                            .as("seed %s step %s", seed, step)
                            .isEqualTo(expected);
                } else {
                    long time = released + 1 + random.nextInt(1_000);
                    model.add(time);
                    hold(time);
                }
            }
            release(base + 900_000);
            held.flush();
        }
    }

    private static final class Ignore extends ContextualProcessor<byte[], byte[], Void, Void> {

        @Override
        public void process(Record<byte[], byte[]> record) {}
    }

    private void hold(long time) {
        held.hold(new Event(new Origin("sales", 0, offset++), "e", "A", time * UNIT, 0, 0, new byte[10]));
    }

    private List<Long> release(long until) {
        List<Long> times = new ArrayList<>();
        held.release(until * UNIT, event -> times.add(event.time() / UNIT));
        return times;
    }

    private int keys() {
        return sizes().size();
    }

    /** Of what lies in the store, keys and values together. */
    private List<Integer> sizes() {
        List<Integer> sizes = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
            all.forEachRemaining(entry -> sizes.add(entry.key.get().length + entry.value.length));
        }
        return sizes;
    }
}
