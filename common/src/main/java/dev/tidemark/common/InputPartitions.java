package dev.tidemark.common;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * How many partitions each input topic has. The topology is built before the brokers are asked; its tasks are started
 * afterwards.
 */
public final class InputPartitions {

    private final Map<String, Integer> partitions = new ConcurrentHashMap<>();

    /** Sets the number of partitions of a topic. */
    public void set(String topic, int count) {
        partitions.put(topic, count);
    }

    /**
     * The number of partitions of a topic, once it is known.
     *
     * @throws NullPointerException by the supplier if it was not set
     */
    public IntSupplier of(String topic) {
        return () -> partitions.get(topic);
    }
}
