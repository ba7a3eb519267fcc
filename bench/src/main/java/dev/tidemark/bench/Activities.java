package dev.tidemark.bench;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;

/**
 * A day of activities of customers, who are a tenth as many and registered before. With every twentieth activity a
 * customer changes the plan; of a hundred activities three come two hours late and one comes twice; about 100 bytes each.
 */
final class Activities implements Workload {

    private static final String ACTIVITIES = "activities";
    private static final String CUSTOMERS = "customers";
    private static final Instant START = Instant.parse("2026-07-01T00:00:00Z");
    private static final int ACTIVITIES_OF_EACH = 10;

    private final String app;
    private final String settings;

    private Activities(String app, String settings) {
        this.app = app;
        this.settings = settings;
    }

    /** What the table said of the customer is looked up for each activity. */
    static Activities forEnrich() {
        return new Activities("enrich", """
                  grace: 5m
                  re-enrich-until: 1d
                """);
    }

    /** The activities of each customer are counted. */
    static Activities forProfiles() {
        return new Activities("profiles", """
                  zone: Europe/Berlin
                  session: { gap: 30m }
                  grace: 5m
                """);
    }

    @Override
    public String app() {
        return app;
    }

    @Override
    public List<String> topics() {
        return List.of(ACTIVITIES, CUSTOMERS);
    }

    @Override
    public String group() {
        return "bench-" + app;
    }

    @Override
    public String settings(boolean keyed) {
        return """
                tidemark.%2$s:
                  pipeline: bench
                  input:
                    topic: activities
                    partitioned-by-key: %1$s
                    event-id: /activity_id
                    key: /customer_id
                    event-time: /at
                    amount: /amount
                    amount-scale: 2
                  table:
                    topic: customers
                    partitioned-by-key: %1$s
                    key: /customer_id
                    event-time: /updated_at
                    take: [/name, /country, /plan]
                """.formatted(keyed, app) + settings;
    }

    @Override
    public void produce(String bootstrapServers, int first, int end, int perDay, boolean keyed) {
        Random random = new Random(first);
        int customers = Math.max(1, perDay / ACTIVITIES_OF_EACH);
        double step = (double) Duration.ofDays(1).toMillis() / perDay;
        try (Sender sender = new Sender(bootstrapServers)) {
            for (int c = 0; first == 0 && c < customers; c++) {
                register(sender, id("c", c), "basic", START, keyed);
            }
            for (int i = first; i < end; i++) {
                Instant now = START.plusMillis((long) (i * step));
                Instant at = random.nextInt(100) < 3 ? now.minus(Duration.ofHours(2)) : now;
                act(sender, random, id("a", i), id("c", random.nextInt(customers)), at, keyed);
                if (i % 20 == 0) {
                    register(sender, id("c", random.nextInt(customers)), "plan" + i % 3, now, keyed);
                }
            }
        }
    }

    private static void register(Sender sender, String customer, String plan, Instant from, boolean keyed) {
        String json = "{\"customer_id\":\"" + customer + "\",\"name\":\"Name of " + customer
                + "\",\"country\":\"JP\",\"plan\":\"" + plan + "\",\"updated_at\":\"" + from + "\"}";
        sender.send(CUSTOMERS, keyed ? customer : null, json);
    }

    private static void act(Sender sender, Random random, String id, String customer, Instant at, boolean keyed) {
        String json = "{\"activity_id\":\"" + id + "\",\"customer_id\":\"" + customer + "\",\"at\":\"" + at
                + "\",\"amount\":12.50}";
        int times = random.nextInt(100) == 0 ? 2 : 1;
        for (int n = 0; n < times; n++) {
            sender.send(ACTIVITIES, keyed ? customer : null, json);
        }
    }

    private static String id(String prefix, int number) {
        return prefix + "-" + (100_000_000 + number);
    }
}
