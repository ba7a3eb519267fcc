package dev.tidemark.demo;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * What the cafés' phones have yet to send: most events within a minute, some hours late, some twice. They leave in the
 * order of the time at which they are sent.
 */
final class Outbox {

    static final double LATE = 0.03;
    static final double TWICE = 0.01;

    private static final Duration PROMPT = Duration.ofSeconds(60);
    private static final Duration LATE_FROM = Duration.ofMinutes(10);
    private static final Duration LATE_TO = Duration.ofMinutes(120);
    private static final Duration SECOND_WITHIN = Duration.ofMinutes(10);

    private record Queued(Sending sending, long number) {}

    private final SplittableRandom random;
    private final PriorityQueue<Queued> queue = new PriorityQueue<>(
            Comparator.comparingLong((Queued queued) -> queued.sending().time()).thenComparingLong(Queued::number));
    private long queued;

    Outbox(SplittableRandom random) {
        this.random = random;
    }

    /**
     * Sends an event that happens at that time, in epoch milliseconds, as phones do.
     *
     * @return when it is sent for the first time
     */
    long send(long happened, String topic, String key, String value) {
        long sent = happened + delay();
        sendAt(sent, topic, key, value);
        if (random.nextDouble() < TWICE) {
            sendAt(sent + random.nextLong(SECOND_WITHIN.toMillis()), topic, key, value);
        }
        return sent;
    }

    /** Sends a record at exactly that time, once. */
    void sendAt(long time, String topic, String key, String value) {
        queue.add(new Queued(new Sending(time, topic, key, value), queued++));
    }

    /** Whether anything is to be sent at that time or before. */
    boolean isDue(double time) {
        return !queue.isEmpty() && queue.peek().sending().time() <= time;
    }

    /** Takes what is to be sent next. */
    Sending next() {
        return queue.remove().sending();
    }

    private long delay() {
        if (random.nextDouble() < LATE) {
            return random.nextLong(LATE_FROM.toMillis(), LATE_TO.toMillis());
        }
        double seconds = -PROMPT.toSeconds() / 6.0 * Math.log(1 - random.nextDouble());
        return Math.min(PROMPT.toMillis(), (long) (1000 * seconds));
    }
}
