package dev.tidemark.common;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * How an {@link EventClock} brings several source partitions together.
 *
 * @param bytes how events that wait are written
 * @param routes on how many routes events come in all; asked when a task starts
 * @param slack how far ahead of the clock an event need not wait
 * @param first topics of which all that is there has to be read before the clock goes on
 * @param since from which wall time on it is believed that they have been, in epoch milliseconds; asked when a task starts
 */
public record Alignment(ItemBytes bytes, IntSupplier routes, Duration slack, Set<String> first, LongSupplier since) {

    /** Without a topic that has to be read first. */
    public Alignment(ItemBytes bytes, IntSupplier routes, Duration slack) {
        this(bytes, routes, slack, Set.of(), () -> 0);
    }

    /** For tasks that see one source partition of one topic, with which nothing has to be aligned. */
    public static Alignment ofOne(String topic) {
        return new Alignment(new ItemBytes(List.of(topic), false), () -> 1, Duration.ZERO);
    }

    boolean isNeeded() {
        return slack.toMillis() > 0;
    }
}
