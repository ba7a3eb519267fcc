package dev.tidemark.bench;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * How soon after the clock has passed window and grace the row of an order that nobody paid can be read: from the moment
 * in which the brokers have the events that move the clock, to the committed row. The next order is sent when the row of
 * the one before has come, so all that there is to measure is the way through the app, its commit and two producers.
 */
final class UnmatchedDelay {

    private static final int ORDERS = 30;
    private static final Duration STEP = Duration.ofHours(1);
    private static final Duration WINDOW_AND_GRACE = Duration.ofMinutes(36);

    private UnmatchedDelay() {}

    /** Measures with the running app, and prints the result. */
    static void measure(String bootstrapServers, int partitions) {
        List<Long> millis = new ArrayList<>();
        try (Sender sender = new Sender(bootstrapServers);
                KafkaConsumer<byte[], byte[]> rows = new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            var all = rows.partitionsFor(Orders.PAIRS).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            rows.assign(all);
            rows.seekToEnd(all);
            all.forEach(rows::position);
            for (int n = 0; n < ORDERS; n++) {
                Instant time = Orders.AFTERWARDS.plus(STEP.multipliedBy(n));
                String order = "unpaid-" + n;
                sender.send(Orders.ORDERS, order, Orders.order(order, time));
                moveClock(sender, partitions, "before-" + n, time);
                moveClock(sender, partitions, "clock-" + n, time.plus(WINDOW_AND_GRACE));
                long sent = System.nanoTime();
                await(rows, "\"left_id\":\"" + order + "\"");
                millis.add((System.nanoTime() - sent) / 1_000_000);
            }
        }
        List<Long> sorted = millis.stream().sorted().toList();
        System.out.printf(
                "milliseconds from the events that pass window and grace to the committed unmatched row: median %d, greatest"
                        + " %d of %d%n",
                sorted.get(ORDERS / 2), sorted.get(ORDERS - 1), ORDERS);
    }

    /** Sends a pair of events to each partition, and waits until the brokers have them. */
    private static void moveClock(Sender sender, int partitions, String name, Instant time) {
        for (int partition = 0; partition < partitions; partition++) {
            String order = name + "-" + partition;
            sender.send(Orders.ORDERS, partition, order, Orders.order(order, time));
            sender.send(Orders.PAYMENTS, partition, order, Orders.payment("p" + order, order, time));
        }
        sender.flush();
    }

    private static void await(KafkaConsumer<byte[], byte[]> rows, String part) {
        boolean found = false;
        while (!found) {
            for (var row : rows.poll(Duration.ofMillis(10))) {
                found |= new String(row.value(), StandardCharsets.UTF_8).contains(part);
            }
        }
    }
}
