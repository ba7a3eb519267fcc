package dev.tidemark.bench;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;

/**
 * A day of orders, each paid five minutes later, so that two events make a pair. Of a hundred payments two never come, one
 * comes two hours late, and of a hundred events of either topic one comes twice; about 100 bytes each.
 */
final class Orders implements Workload {

    static final String ORDERS = "orders";
    static final String PAYMENTS = "payments";
    static final String PAIRS = "order-payments-pairs";

    /** Later than any order of the day. */
    static final Instant AFTERWARDS = Instant.parse("2026-07-10T00:00:00Z");

    private static final Instant START = Instant.parse("2026-07-01T00:00:00Z");

    @Override
    public String app() {
        return "pairs";
    }

    @Override
    public List<String> topics() {
        return List.of(ORDERS, PAYMENTS);
    }

    @Override
    public String group() {
        return "order-payments-pairs";
    }

    @Override
    public String settings(boolean keyed) {
        return """
                tidemark.pairs:
                  pipeline: order-payments
                  left:
                    topic: orders
                    partitioned-by-key: %1$s
                    event-id: /order_id
                    key: /order_id
                    event-time: /ordered_at
                  right:
                    topic: payments
                    partitioned-by-key: %1$s
                    event-id: /payment_id
                    key: /order_id
                    event-time: /paid_at
                  within: { after: 30m }
                  grace: 5m
                """.formatted(keyed);
    }

    @Override
    public void produce(String bootstrapServers, int first, int end, int perDay, boolean keyed) {
        Random random = new Random(first);
        long step = 2 * Duration.ofDays(1).toMillis() / perDay;
        int inTime = (int) (Duration.ofMinutes(5).toMillis() / step);
        int late = (int) (Duration.ofHours(2).toMillis() / step);
        try (Sender sender = new Sender(bootstrapServers)) {
            for (int i = first / 2; i < end / 2; i++) {
                String order = id("o", i);
                send(sender, random, ORDERS, keyed ? order : null, order(order, ordered(i, step)));
                pay(sender, random, i - inTime, step, keyed, 3, 100);
                pay(sender, random, i - late, step, keyed, 2, 3);
            }
        }
    }

    /** Sends the payment of an order if the end of its number is in that range. */
    private static void pay(Sender sender, Random random, int number, long step, boolean keyed, int from, int to) {
        int percentile = number % 100;
        if (number >= 0 && percentile >= from && percentile < to) {
            String order = id("o", number);
            Instant paid = ordered(number, step).plusSeconds(300 - random.nextInt(60));
            send(sender, random, PAYMENTS, keyed ? order : null, payment(id("p", number), order, paid));
        }
    }

    private static Instant ordered(int number, long step) {
        return START.plusMillis(number * step);
    }

    private static String id(String prefix, int number) {
        return prefix + "-" + (100_000_000 + number);
    }

    static String order(String order, Instant time) {
        return "{\"order_id\":\"" + order + "\",\"ordered_at\":\"" + time + "\",\"table\":7,\"note\":\"at the till\"}";
    }

    static String payment(String payment, String order, Instant time) {
        return "{\"payment_id\":\"" + payment + "\",\"order_id\":\"" + order + "\",\"paid_at\":\"" + time
                + "\",\"amount\":12.50}";
    }

    private static void send(Sender sender, Random random, String topic, String key, String json) {
        int times = random.nextInt(100) == 0 ? 2 : 1;
        for (int n = 0; n < times; n++) {
            sender.send(topic, key, json);
        }
    }
}
