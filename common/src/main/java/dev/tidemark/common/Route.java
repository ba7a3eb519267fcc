package dev.tidemark.common;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * A way that events take from a source partition to an {@link EventClock}; on one route they keep the order of the log.
 * With a repartition topic between them there is one route for each task that passes events of the source partition on.
 *
 * @param topic the input topic
 * @param partition the source partition
 * @param via partition of the last task that passed them on; the source partition itself if there is none
 */
record Route(String topic, int partition, int via) implements Comparable<Route> {

    static Route of(Event event) {
        return new Route(event.origin().topic(), event.origin().partition(), event.via());
    }

    boolean isRouteOf(Event event) {
        Origin origin = event.origin();
        return origin.partition() == partition
                && event.via() == via
                && origin.topic().equals(topic);
    }

    /** The route as text, and back. */
    static Serde<Route> serde() {
        return Serdes.serdeFrom(
                (topic, route) ->
                        (route.topic + "/" + route.partition + "/" + route.via).getBytes(StandardCharsets.UTF_8),
                (topic, bytes) -> parse(new String(bytes, StandardCharsets.UTF_8)));
    }

    private static Route parse(String text) {
        String[] parts = text.split("/");
        return new Route(parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
    }

    @Override
    public int compareTo(Route other) {
        int byTopic = topic.compareTo(other.topic);
        if (byTopic != 0) {
            return byTopic;
        }
        int byPartition = Integer.compare(partition, other.partition);
        return byPartition != 0 ? byPartition : Integer.compare(via, other.via);
    }
}
