package dev.tidemark.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * What the cafés' guests do besides buying at the counter. It leaves events of two kinds that belong together, on two
 * topics: orders and their payments, orders and their lines, searches and the clicks on what was found, seatings and
 * the first drink. Some never get their partner, some too late, and some have several. The key of every record is the
 * id that both sides share.
 */
final class CafeGuests {

    static final String ORDERS = "orders";
    static final String PAYMENTS = "payments";
    static final String ORDER_LINES = "order-lines";
    static final String SEARCHES = "searches";
    static final String CLICKS = "clicks";
    static final String SEATINGS = "seatings";
    static final String DRINKS = "drinks";
    static final List<String> TOPICS = List.of(ORDERS, PAYMENTS, ORDER_LINES, SEARCHES, CLICKS, SEATINGS, DRINKS);

    static final double UNPAID = 0.04;
    static final double PAID_LATE = 0.03;
    static final double PAID_TWICE = 0.01;
    static final double PAID_WITHOUT_ORDER = 0.005;
    static final double WITHOUT_DRINK = 0.1;
    static final double DRINK_LATE = 0.1;

    private static final double ORDERS_PER_SALE = 0.2;
    private static final double SEARCHES_PER_SALE = 0.2;
    private static final double SEATINGS_PER_SALE = 0.1;

    private static final Duration PAYMENT_WITHIN = Duration.ofMinutes(30);
    private static final Duration LINE_WITHIN = Duration.ofMinutes(3);
    private static final Duration CLICK_WITHIN = Duration.ofMinutes(8);
    private static final Duration DRINK_WITHIN = Duration.ofMinutes(5);

    /** How many searches of ten have none, one, two, … clicks. */
    private static final int[] CLICKS_OF_TEN = {0, 0, 0, 0, 0, 1, 1, 1, 2, 3};

    private static final String[] ITEMS = {"espresso", "cappuccino", "tea", "cake", "sandwich", "juice", "soup"};

    private final SplittableRandom random;
    private final String run;
    private final Outbox outbox;
    private long guests;

    /**
     * @param random decides everything that is random
     * @param run part of all ids
     * @param outbox takes the events
     */
    CafeGuests(SplittableRandom random, String run, Outbox outbox) {
        this.random = random;
        this.run = run;
        this.outbox = outbox;
    }

    /** Those guests come, if any, that come while one sale is made at the counter. */
    void come(long time) {
        if (happens(ORDERS_PER_SALE)) {
            order(time, next());
        }
        if (happens(SEARCHES_PER_SALE)) {
            search(time, next());
        }
        if (happens(SEATINGS_PER_SALE)) {
            sit(time, next());
        }
    }

    private void order(long time, String guest) {
        String order = "O" + guest;
        int cents = 0;
        int count = 1 + random.nextInt(5);
        for (int i = 1; i <= count; i++) {
            int quantity = 1 + random.nextInt(2);
            int price = 10 * (18 + random.nextInt(60));
            cents += quantity * price;
            long added = within(time, LINE_WITHIN);
            outbox.send(
                    added,
                    ORDER_LINES,
                    order,
                    "{\"line_id\":\"%s-%d\",\"order_id\":\"%s\",\"added_at\":\"%s\",\"item\":\"%s\",\"quantity\":%d,\"price\":%s}"
                            .formatted(
                                    order,
                                    i,
                                    order,
                                    Instant.ofEpochMilli(added),
                                    ITEMS[random.nextInt(ITEMS.length)],
                                    quantity,
                                    euros(price)));
        }
        outbox.send(
                time,
                ORDERS,
                order,
                "{\"order_id\":\"%s\",\"store_id\":\"%s\",\"ordered_at\":\"%s\",\"amount\":%s}"
                        .formatted(order, store(), Instant.ofEpochMilli(time), euros(cents)));
        pay(time, guest, order, euros(cents));
    }

    private void pay(long ordered, String guest, String order, String amount) {
        if (happens(UNPAID)) {
            return;
        }
        // Most guests pay soon; the square moves the times towards the order.
        double patience = random.nextDouble();
        long paid = happens(PAID_LATE)
                ? within(ordered + PAYMENT_WITHIN.toMillis() + 1, PAYMENT_WITHIN)
                : ordered + (long) (patience * patience * PAYMENT_WITHIN.toMillis());
        payment(paid, "P" + guest, order, amount);
        if (happens(PAID_TWICE)) {
            payment(within(paid, Duration.ofMinutes(1)), "P" + guest + "-2", order, amount);
        }
        if (happens(PAID_WITHOUT_ORDER)) {
            payment(paid, "P" + guest + "-x", "O" + guest + "-x", amount);
        }
    }

    private void payment(long paid, String payment, String order, String amount) {
        outbox.send(
                paid,
                PAYMENTS,
                order,
                "{\"payment_id\":\"%s\",\"order_id\":\"%s\",\"paid_at\":\"%s\",\"amount\":%s}"
                        .formatted(payment, order, Instant.ofEpochMilli(paid), amount));
    }

    private void search(long time, String guest) {
        String search = "Q" + guest;
        outbox.send(
                time,
                SEARCHES,
                search,
                "{\"search_id\":\"%s\",\"store_id\":\"%s\",\"searched_at\":\"%s\",\"text\":\"%s\"}"
                        .formatted(search, store(), Instant.ofEpochMilli(time), ITEMS[random.nextInt(ITEMS.length)]));
        int clicks = CLICKS_OF_TEN[random.nextInt(CLICKS_OF_TEN.length)];
        for (int i = 1; i <= clicks; i++) {
            long clicked = within(time, CLICK_WITHIN);
            outbox.send(
                    clicked,
                    CLICKS,
                    search,
                    "{\"click_id\":\"C%s-%d\",\"search_id\":\"%s\",\"clicked_at\":\"%s\",\"rank\":%d}"
                            .formatted(guest, i, search, Instant.ofEpochMilli(clicked), 1 + random.nextInt(10)));
        }
    }

    private void sit(long time, String guest) {
        String seating = "T" + guest;
        outbox.send(
                time,
                SEATINGS,
                seating,
                "{\"seating_id\":\"%s\",\"store_id\":\"%s\",\"table\":%d,\"seated_at\":\"%s\",\"guests\":%d}"
                        .formatted(
                                seating,
                                store(),
                                1 + random.nextInt(12),
                                Instant.ofEpochMilli(time),
                                1 + random.nextInt(4)));
        if (happens(WITHOUT_DRINK)) {
            return;
        }
        long ordered = happens(DRINK_LATE)
                ? within(time + DRINK_WITHIN.toMillis() + 1, DRINK_WITHIN)
                : within(time, DRINK_WITHIN);
        outbox.send(
                ordered,
                DRINKS,
                seating,
                "{\"drink_id\":\"D%s\",\"seating_id\":\"%s\",\"ordered_at\":\"%s\",\"drink\":\"%s\"}"
                        .formatted(guest, seating, Instant.ofEpochMilli(ordered), ITEMS[random.nextInt(3)]));
    }

    private String next() {
        return "-" + run + "-" + ++guests;
    }

    private String store() {
        return CafeChain.store(random);
    }

    private boolean happens(double probability) {
        return random.nextDouble() < probability;
    }

    /** A time from this one to the end of the span, inclusive. */
    private long within(long time, Duration span) {
        return time + random.nextLong(span.toMillis() + 1);
    }

    private static String euros(int cents) {
        return String.format(Locale.ROOT, "%d.%02d", cents / 100, cents % 100);
    }
}
