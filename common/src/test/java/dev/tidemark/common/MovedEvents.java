package dev.tidemark.common;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;

/**
 * Stands for the tasks that read the source partitions of a topic and move their events, so that a test decides in which
 * order they arrive at the task that counts them.
 */
public final class MovedEvents {

    private static final String MOVED = "moved";

    private final String topic;
    private final ItemBytes bytes;
    private TestInputTopic<String, Item> moved;

    /** @param topic the input topic from which the events seem to be */
    public MovedEvents(String topic) {
        this.topic = topic;
        this.bytes = new ItemBytes(List.of(topic), false);
    }

    /** What the tasks send. */
    public KStream<String, Item> stream(StreamsBuilder builder) {
        return builder.stream(
                MOVED, Consumed.with(Serdes.String(), bytes.serde()).withName("consume-moved"));
    }

    /** Is to be called when there is a driver. */
    public void connect(TopologyTestDriver driver) {
        moved = driver.createInputTopic(
                MOVED, Serdes.String().serializer(), bytes.serde().serializer());
    }

    public void event(int partition, long offset, String id, String key, long time, long amount) {
        byte[] payload = id.getBytes(StandardCharsets.UTF_8);
        moved.pipeInput(key, new Event(new Origin(topic, partition, offset), id, key, time, time, amount, payload));
    }

    public void progress(int partition, long streamTime, long idleMillis, boolean ended) {
        moved.pipeInput(
                Progress.KEY, new Progress(new Route(topic, partition, partition), streamTime, idleMillis, ended, 0));
    }
}
