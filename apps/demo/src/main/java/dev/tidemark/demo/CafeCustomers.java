package dev.tidemark.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * The chain's customers: a topic says who they are, which is a table by customer, another one what they do. Plans and
 * countries change now and then, new customers appear, and a few are deleted. What a new customer does first may be sent
 * before the customer is. The key of every record is the customer.
 */
final class CafeCustomers {

    static final String CUSTOMERS = "customers";
    static final String ACTIVITIES = "activities";

    static final int REGISTERED = 300;
    static final double BOUGHT = 0.6;

    private static final double ACTIVITIES_PER_SALE = 0.2;
    private static final double CHANGES_PER_SALE = 0.01;
    private static final double NEW_PER_SALE = 0.003;
    private static final double DELETED_PER_SALE = 0.001;
    private static final double COMES_BACK = 0.3;

    private static final Duration SOON = Duration.ofMinutes(10);

    private static final String[] FIRST_NAMES = {"Aiko", "Bruno", "Chiara", "Dmitri", "Élodie", "Farah", "Goran", "Hana"
    };
    private static final String[] LAST_NAMES = {"Tanaka", "Müller", "Rossi", "Novák", "Dubois", "Haddad", "Sørensen"};
    private static final String[] COUNTRIES = {"JP", "DE", "IT", "CZ", "FR"};
    private static final String[] PLANS = {"basic", "basic", "plus", "gold"};

    private record Customer(String id, String name, String country, String plan) {

        String json(long time) {
            return "{\"customer_id\":\"%s\",\"name\":\"%s\",\"country\":\"%s\",\"plan\":\"%s\",\"updated_at\":\"%s\"}"
                    .formatted(id, name, country, plan, Instant.ofEpochMilli(time));
        }
    }

    private final SplittableRandom random;
    private final String run;
    private final Outbox outbox;
    private final List<Customer> customers = new ArrayList<>();
    private int registered;
    private long activities;

    /**
     * @param random decides everything that is random
     * @param run part of the ids of activities; customers are the same in every run
     * @param outbox takes the records
     * @param opening when the first customers are registered, in epoch milliseconds
     */
    CafeCustomers(SplittableRandom random, String run, Outbox outbox, long opening) {
        this.random = random;
        this.run = run;
        this.outbox = outbox;
        for (int i = 0; i < REGISTERED; i++) {
            Customer customer = next();
            outbox.sendAt(opening, CUSTOMERS, customer.id, customer.json(opening));
        }
    }

    /** So much happens, if anything, while one sale is made at the counter. */
    void come(long time) {
        if (happens(ACTIVITIES_PER_SALE)) {
            act(time, any());
        }
        if (happens(CHANGES_PER_SALE)) {
            change(time);
        }
        if (happens(NEW_PER_SALE)) {
            Customer customer = next();
            outbox.send(time, CUSTOMERS, customer.id, customer.json(time));
            act(time + random.nextLong(SOON.toMillis()), customer);
            act(time + random.nextLong(SOON.toMillis()), customer);
        }
        if (happens(DELETED_PER_SALE)) {
            delete(time);
        }
    }

    private void act(long time, Customer customer) {
        boolean bought = happens(BOUGHT);
        String amount = bought ? euros(10 * (22 + random.nextInt(200))) : "0.00";
        outbox.send(
                time,
                ACTIVITIES,
                customer.id,
                "{\"activity_id\":\"A-%s-%d\",\"customer_id\":\"%s\",\"kind\":\"%s\",\"amount\":\"%s\",\"at\":\"%s\"}"
                        .formatted(
                                run,
                                ++activities,
                                customer.id,
                                bought ? "purchase" : "visit",
                                amount,
                                Instant.ofEpochMilli(time)));
    }

    private void change(long time) {
        int index = random.nextInt(customers.size());
        Customer before = customers.get(index);
        Customer after = random.nextBoolean()
                ? new Customer(before.id, before.name, before.country, pick(PLANS))
                : new Customer(before.id, before.name, pick(COUNTRIES), before.plan);
        customers.set(index, after);
        outbox.send(time, CUSTOMERS, after.id, after.json(time));
    }

    /** A record without a value has no time of its own, so it leaves at once: its timestamp says when it happened. */
    private void delete(long time) {
        Customer deleted = customers.remove(random.nextInt(customers.size()));
        outbox.sendAt(time, CUSTOMERS, deleted.id, null);
        if (happens(COMES_BACK)) {
            act(time + random.nextLong(SOON.toMillis()), deleted);
        }
    }

    private Customer next() {
        int number = ++registered;
        Customer customer = new Customer(
                String.format(Locale.ROOT, "C%04d", number),
                FIRST_NAMES[number % FIRST_NAMES.length] + " " + LAST_NAMES[number % LAST_NAMES.length],
                pick(COUNTRIES),
                pick(PLANS));
        customers.add(customer);
        return customer;
    }

    private Customer any() {
        return customers.get(random.nextInt(customers.size()));
    }

    private String pick(String[] values) {
        return values[random.nextInt(values.length)];
    }

    private boolean happens(double probability) {
        return random.nextDouble() < probability;
    }

    private static String euros(int cents) {
        return String.format(Locale.ROOT, "%d.%02d", cents / 100, cents % 100);
    }
}
