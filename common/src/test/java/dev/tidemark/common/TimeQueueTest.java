package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TimeQueueTest {

    private final KeyValueStore<Bytes, byte[]> store = Stores.keyValueStoreBuilder(
                    Stores.inMemoryKeyValueStore("queue"), Serdes.Bytes(), Serdes.ByteArray())
            .withLoggingDisabled()
            .build();

    private TimeQueue queue;

    @BeforeEach
    void open() {
        MockProcessorContext<Void, Void> context = new MockProcessorContext<>(properties());
        store.init(context.getStateStoreContext(), store);
        queue = new TimeQueue(store, (byte) 0);
    }

    private static Properties properties() {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "test");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "unused:1");
        return properties;
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void whatIsDueComesOutOnceInTheOrderOfTimes() {
        queue.add(20, bytes("b"));
        queue.add(10, bytes("c"));
        queue.add(10, bytes("a"));
        queue.add(30, bytes("d"));

        assertThat(drain(9)).isEmpty();
        assertThat(drain(20)).containsExactly("a", "c", "b");
        assertThat(drain(20)).isEmpty();
        assertThat(drain(Long.MAX_VALUE)).containsExactly("d");
        assertThat(drain(Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void aKeyMayBeDueBeforeWhatHasBeenDrained() {
        queue.add(20, bytes("a"));
        drain(20);
        queue.add(5, bytes("b"));

        assertThat(drain(20)).containsExactly("b");
    }

    @Test
    void aKeyThatIsTakenBackDoesNotComeOut() {
        queue.add(10, bytes("a"));
        queue.add(10, bytes("b"));
        queue.remove(10, bytes("a"));
        queue.remove(11, bytes("b"));

        assertThat(drain(10)).containsExactly("b");
    }

    @Test
    void manyComeOutToo() {
        for (int i = 0; i < 2_500; i++) {
            queue.add(i / 900, bytes("k" + i));
        }

        assertThat(drain(Long.MAX_VALUE)).hasSize(2_500).doesNotHaveDuplicates();
    }

    @Test
    void theReceiverMayQueueWhatIsDueLater() {
        queue.add(10, bytes("a"));
        List<String> drained = new ArrayList<>();
        queue.drain(10, key -> {
            drained.add(text(key));
            queue.add(20, key);
        });

        assertThat(drained).containsExactly("a");
        assertThat(drain(20)).containsExactly("a");
    }

    @Test
    void whatIsQueuedBeforeWhatItHasSeenAheadIsNotMissed() {
        queue.add(10, bytes("a"));
        queue.add(20, bytes("c"));
        List<String> drained = new ArrayList<>();
        queue.drain(10, key -> queue.add(15, bytes("b")));
        queue.add(12, bytes("x"));
        queue.drain(11, key -> drained.add(text(key)));

        assertThat(drained).isEmpty();
        assertThat(drain(15)).containsExactly("x", "b");
        assertThat(drain(19)).isEmpty();
        assertThat(drain(50_000)).containsExactly("c");
        queue.add(50_001, bytes("d"));
        assertThat(drain(50_001)).containsExactly("d");
    }

    @Test
    void whatElseIsInTheStoreIsLeft() {
        store.put(Bytes.wrap(new byte[] {1, 0}), new byte[] {7});
        TimeQueue other = new TimeQueue(store, (byte) 2);
        other.add(1, bytes("x"));
        queue.add(Long.MAX_VALUE - 1, bytes("end"));

        assertThat(drain(Long.MAX_VALUE - 2)).isEmpty();
        assertThat(drain(Long.MAX_VALUE)).containsExactly("end");
        assertThat(store.get(Bytes.wrap(new byte[] {1, 0}))).containsExactly(7);
        other.drain(1, key -> assertThat(text(key)).isEqualTo("x"));
    }

    @Test
    void aQueueIsFoundAgainInItsStore() {
        queue.add(10, bytes("a"));
        queue.add(20, bytes("b"));
        drain(10);
        queue = new TimeQueue(store, (byte) 0);

        assertThat(drain(20)).containsExactly("b");
    }

    private List<String> drain(long until) {
        List<String> drained = new ArrayList<>();
        queue.drain(until, key -> drained.add(text(key)));
        return drained;
    }

    private static Bytes bytes(String text) {
        return Bytes.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(Bytes key) {
        return new String(key.get(), StandardCharsets.UTF_8);
    }
}
