package dev.tidemark.demo;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * The sales of twenty cafés as they are sent, in the order in which they are sent. Most are sent within a minute, some
 * hours late, some twice; now and then one is broken or dated 2035. The same seed gives the same sales; no clock is
 * read here.
 */
final class CafeChain {

    static final int STORES = 20;
    static final double LATE = 0.03;
    static final double TWICE = 0.01;
    static final double BROKEN = 0.002;
    static final double MISDATED = 0.001;

    private static final Duration PROMPT = Duration.ofSeconds(60);
    private static final Duration LATE_FROM = Duration.ofMinutes(10);
    private static final Duration LATE_TO = Duration.ofMinutes(120);
    private static final Duration SECOND_WITHIN = Duration.ofMinutes(10);
    private static final int[] PRICES_IN_CENTS = {220, 280, 320, 380, 410, 450, 590, 690, 845};

    private record Queued(Sending sending, long number) {}

    private final SplittableRandom random;
    private final String run;
    private final double meanGapMillis;
    private final PriorityQueue<Queued> queue = new PriorityQueue<>(
            Comparator.comparingLong((Queued queued) -> queued.sending().time()).thenComparingLong(Queued::number));
    private double now;
    private long sales;
    private long queued;

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
        this.now = opening.toEpochMilli();
    }

    /** The next record, never earlier than the one before. */
    Sending next() {
        while (queue.isEmpty() || queue.peek().sending().time() > now) {
            sell();
        }
        return queue.poll().sending();
    }

    private void sell() {
        now += -meanGapMillis * Math.log(1 - random.nextDouble());
        long time = (long) now;
        String store = String.format(Locale.ROOT, "S%03d", 1 + random.nextInt(STORES));
        String eventId = store + "-" + run + "-" + ++sales;
        String amount = amount();
        long sent = time + delay();
        String sale = sale(eventId, store, Instant.ofEpochMilli(time), amount);

        send(sent, store, sale);
        if (random.nextDouble() < TWICE) {
            send(sent + between(Duration.ZERO, SECOND_WITHIN), store, sale);
        }
        if (random.nextDouble() < BROKEN) {
            send(sent, store, sale.substring(0, sale.length() - 1 - random.nextInt(sale.length() / 2)));
        }
        if (random.nextDouble() < MISDATED) {
            Instant in2035 = Instant.ofEpochMilli(time)
                    .atOffset(ZoneOffset.UTC)
                    .withYear(2035)
                    .toInstant();
            send(sent, store, sale(eventId + "-misdated", store, in2035, amount));
        }
    }

    private void send(long time, String store, String value) {
        queue.add(new Queued(new Sending(time, store, value), queued++));
    }

    private long delay() {
        if (random.nextDouble() < LATE) {
            return between(LATE_FROM, LATE_TO);
        }
        double seconds = -PROMPT.toSeconds() / 6.0 * Math.log(1 - random.nextDouble());
        return Math.min(PROMPT.toMillis(), (long) (1000 * seconds));
    }

    private long between(Duration from, Duration to) {
        return random.nextLong(from.toMillis(), to.toMillis());
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
