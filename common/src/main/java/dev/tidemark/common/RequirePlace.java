package dev.tidemark.common;

import java.nio.charset.StandardCharsets;
import java.util.function.IntSupplier;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;

/**
 * Makes sure that events which stay in their partition are where those of another topic are moved to: producers that hash
 * otherwise than Kafka's own, or by something else than the key, would part what belongs together, and nobody would see it.
 */
public final class RequirePlace extends ContextualFixedKeyProcessor<String, Item, Item> {

    private final String topic;
    private final IntSupplier partitions;

    private RequirePlace(String topic, IntSupplier partitions) {
        this.topic = topic;
        this.partitions = partitions;
    }

    /**
     * Looks at the items of a topic where that is needed: if they stay and the others are moved.
     *
     * @param stays whether they stay in their partition
     * @param othersStay whether those of the other topic do
     */
    public static KStream<String, Item> of(
            KStream<String, Item> items, String topic, boolean stays, boolean othersStay, InputPartitions partitions) {
        return stays && !othersStay
                ? items.processValues(
                        () -> new RequirePlace(topic, partitions.of(topic)), Named.as("require-place-" + topic))
                : items;
    }

    @Override
    public void process(FixedKeyRecord<String, Item> record) {
        if (record.value() instanceof Event event) {
            require(topic, event.key(), context().taskId().partition(), partitions.getAsInt());
        }
        context().forward(record);
    }

    /** @throws IllegalStateException if the key is not in the partition that Kafka's producers choose for it */
    static void require(String topic, String key, int partition, int partitions) {
        int chosen = Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % partitions;
        if (chosen != partition) {
            throw new IllegalStateException("The key \"" + key + "\" is in partition " + partition + " of " + topic
                    + ", but Kafka's own producers choose " + chosen
                    + " for it, where the records of the other topic are"
                    + " moved to; set partitioned-by-key: false for " + topic + " under a new pipeline name.");
        }
    }
}
