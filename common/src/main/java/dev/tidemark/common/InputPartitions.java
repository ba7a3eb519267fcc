package dev.tidemark.common;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * What the brokers say of the input topics: how many partitions each has, and what of them is still to be read. The
 * topology is built before the brokers are asked; its tasks are started afterwards.
 */
public final class InputPartitions {

    /** There is nothing to be read. */
    public static final long NOTHING = -1;

    private final Map<String, Integer> partitions = new ConcurrentHashMap<>();
    private volatile Function<TopicPartition, CompletableFuture<Long>> unread =
            partition -> CompletableFuture.completedFuture(NOTHING);
    private volatile long askedSince;

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

    /**
     * Sets who is asked for what is still to be read; until then it is nothing.
     *
     * @param now wall time, in epoch milliseconds
     */
    public void askForUnread(Function<TopicPartition, CompletableFuture<Long>> brokers, long now) {
        unread = brokers;
        askedSince = now;
    }

    /** Since when the brokers are asked what is still to be read, in epoch milliseconds; 0: they are not. */
    public long askedSince() {
        return askedSince;
    }

    /** The offset of the last record in a partition that the app has not processed, as of now, or {@link #NOTHING}. */
    CompletableFuture<Long> lastUnread(TopicPartition partition) {
        return unread.apply(partition);
    }
}
