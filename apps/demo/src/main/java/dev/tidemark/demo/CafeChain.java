package dev.tidemark.demo;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * The events of twenty cafés as they are sent, in the order in which they are sent: sales, what their guests do besides,
 * and what becomes of their customers. Now and then a sale is broken or dated 2035. The same seed gives the same events; no clock is read here.
 */
final class CafeChain {

    static final String SALES = "sales";
    static final int STORES = 20;
    static final double BROKEN = 0.002;
    static final double MISDATED = 0.001;

    private static final int[] PRICES_IN_CENTS = {220, 280, 320, 380, 410, 450, 590, 690, 845};

    private final SplittableRandom random;
    private final String run;
    private final double meanGapMillis;
    private final Outbox outbox;
    private final CafeGuests guests;
    private final CafeCustomers customers;
    private double now;
    private long sales;

    /**
     * @param seed decides everything that is random
     * @param opening simulated time of the beginning; it is also part of the event ids, so that a chain that opens
     *     later does not use them again
     * @param meanGap mean simulated time between two sales of the whole chain
     */
    CafeChain(long seed, Instant opening, Duration meanGap) {
        this.random = new SplittableRandom(seed);
        this.run = Long.toString(opening.getEpochSecond(), Character.MAX_RADIX);
        this.meanGapMillis = meanGap.toNanos() / 1e6;
        this.outbox = new Outbox(random.split());
        this.guests = new CafeGuests(random.split(), run, outbox);
        this.customers = new CafeCustomers(random.split(), run, outbox, opening.toEpochMilli());
        this.now = opening.toEpochMilli();
    }

    /** The next record, never earlier than the one before. */
    Sending next() {
        while (!outbox.isDue(now)) {
            now += -meanGapMillis * Math.log(1 - random.nextDouble());
            sell((long) now);
            guests.come((long) now);
            customers.come((long) now);
        }
        return outbox.next();
    }

    static String store(SplittableRandom random) {
        return String.format(Locale.ROOT, "S%03d", 1 + random.nextInt(STORES));
    }

    private void sell(long time) {
        String store = store(random);
        String eventId = store + "-" + run + "-" + ++sales;
        String amount = amount();
        String sale = sale(eventId, store, Instant.ofEpochMilli(time), amount);

        long sent = outbox.send(time, SALES, store, sale);
        if (random.nextDouble() < BROKEN) {
            outbox.sendAt(sent, SALES, store, sale.substring(0, sale.length() - 1 - random.nextInt(sale.length() / 2)));
        }
        if (random.nextDouble() < MISDATED) {
            Instant in2035 = Instant.ofEpochMilli(time)
                    .atOffset(ZoneOffset.UTC)
                    .withYear(2035)
                    .toInstant();
            outbox.sendAt(sent, SALES, store, sale(eventId + "-misdated", store, in2035, amount));
        }
    }

    private String amount() {
        int cents = 0;
        for (int items = 1 + random.nextInt(4); items > 0; items--) {
            cents += PRICES_IN_CENTS[random.nextInt(PRICES_IN_CENTS.length)];
        }
        return String.format(Locale.ROOT, "%d.%02d", cents / 100, cents % 100);
    }

    private static String sale(String eventId, String store, Instant time, String amount) {
        return "{\"event_id\":\"%s\",\"store_id\":\"%s\",\"event_time\":\"%s\",\"amount\":%s}"
                .formatted(eventId, store, time, amount);
    }
}
