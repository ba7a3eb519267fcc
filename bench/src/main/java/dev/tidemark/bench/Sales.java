package dev.tidemark.bench;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;

/** A day of sales of 200 stores: 3 % come two hours late, 1 % come twice; about 121 bytes each. */
final class Sales implements Workload {

    static final String TOPIC = "sales";

    private static final int STORES = 200;
    private static final Instant START = Instant.parse("2026-07-01T00:00:00Z");

    @Override
    public String app() {
        return "totals";
    }

    @Override
    public List<String> topics() {
        return List.of(TOPIC);
    }

    @Override
    public String group() {
        return "sales-totals";
    }

    @Override
    public String settings(boolean keyed) {
        return """
                tidemark.totals:
                  pipeline: sales
                  input:
                    topic: sales
                    partitioned-by-key: %s
                    event-id: /event_id
                    key: /store_id
                    event-time: /event_time
                    amount: /amount
                    amount-scale: 2
                  window: { size: 10m }
                  grace: 5m
                """.formatted(keyed);
    }

    @Override
    public void produce(String bootstrapServers, int first, int end, int perDay, boolean keyed) {
        Random random = new Random(first);
        long step = Duration.ofDays(1).toMillis() / perDay;
        try (Sender sender = new Sender(bootstrapServers)) {
            for (int i = first; i < end; i++) {
                String store = String.format("S%03d", random.nextInt(STORES));
                long time = START.toEpochMilli() + i * step - random.nextInt(60_000);
                if (random.nextInt(100) < 3) {
                    time -= Duration.ofHours(2).toMillis();
                }
                String amount = random.nextInt(100) + "." + (10 + random.nextInt(90));
                String sale = "{\"event_id\":\"e-" + (100_000_000 + i) + "\",\"store_id\":\"" + store
                        + "\",\"event_time\":\"" + Instant.ofEpochMilli(time) + "\",\"amount\":" + amount
                        + ",\"note\":\"at the till\"}";
                int times = random.nextInt(100) == 0 ? 2 : 1;
                for (int n = 0; n < times; n++) {
                    sender.send(TOPIC, keyed ? store : null, sale);
                }
            }
        }
    }
}
