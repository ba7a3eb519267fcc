package dev.tidemark.demo;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A record of the input topic.
 *
 * @param key the key of the record
 * @param json its value
 */
record Sale(String key, String json) {

    private static final int STORES = 50;

    static Sale of(String id, String store, Instant time, BigDecimal amount) {
        return new Sale(
                store,
                "{\"event_id\":\"%s\",\"store_id\":\"%s\",\"event_time\":\"%s\",\"amount\":%s}"
                        .formatted(id, store, time, amount.toPlainString()));
    }

    /**
     * Sales of many stores in about the order of their times, as they arrive: 3 % come when their window has been closed,
     * 1 % are repeated, and a few have the id of another or cannot be read.
     *
     * @param seed tells one sequence from another
     * @param window size of the windows
     * @param grace grace of the pipeline; an event that is not late is less than that out of order
     */
    static List<Sale> generate(long seed, int count, Instant start, Duration span, Duration window, Duration grace) {
        return new Generator(seed, start, window, grace).generate(count, span);
    }

    private static final class Generator {

        private final Random random;
        private final Instant start;
        private final Duration grace;
        private final Duration closed;
        private final List<Sent> sent = new ArrayList<>();

        private record Sent(String id, String store, Instant time, BigDecimal amount) {

            Sale sale() {
                return Sale.of(id, store, time, amount);
            }
        }

        Generator(long seed, Instant start, Duration window, Duration grace) {
            this.random = new Random(seed);
            this.start = start;
            this.grace = grace;
            this.closed = window.plus(grace).plus(grace);
        }

        List<Sale> generate(int count, Duration span) {
            List<Sale> sales = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                sales.add(next(i, start.plusMillis(span.toMillis() * i / count)));
            }
            return sales;
        }

        private Sale next(int number, Instant now) {
            int kind = sent.size() < 100 ? 999 : random.nextInt(1000);
            if (kind < 30) {
                return remember(number, now.minus(closed).minusMillis(random.nextLong(closed.toMillis() * 10)));
            }
            if (kind < 40) {
                return earlier().sale();
            }
            if (kind < 43) {
                Sent other = earlier();
                return Sale.of(other.id, other.store, other.time, other.amount.add(BigDecimal.ONE));
            }
            if (kind < 46) {
                Sent other = earlier();
                return Sale.of(other.id, other.store, other.time.plusMillis(1), other.amount);
            }
            if (kind < 50) {
                return unreadable(remember(number, now));
            }
            return remember(number, now.minusMillis(random.nextLong(grace.toMillis() * 4 / 5)));
        }

        private Sale remember(int number, Instant time) {
            String store = "S%03d".formatted(random.nextInt(STORES));
            BigDecimal amount = BigDecimal.valueOf(random.nextInt(100_000) - 20_000, 2);
            Sent event = new Sent("e" + number, store, time.isBefore(start) ? start : time, amount);
            sent.add(event);
            return event.sale();
        }

        private Sent earlier() {
            return sent.get(sent.size() - 1 - random.nextInt(Math.min(sent.size(), 5000)));
        }

        private Sale unreadable(Sale sale) {
            sent.remove(sent.size() - 1);
            String json = sale.json();
            return new Sale(
                    sale.key(),
                    switch (random.nextInt(4)) {
                        case 0 -> json.substring(0, json.length() - 1);
                        case 1 -> json.replace("\"amount\":", "\"amount\":1,\"amount\":");
                        case 2 -> json.replace("}", "5}"); // one decimal place too many
                        default -> json.replace("Z\"", "\"");
                    });
        }
    }
}
