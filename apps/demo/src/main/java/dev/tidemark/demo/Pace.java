package dev.tidemark.demo;

import java.util.concurrent.TimeUnit;

/** Waits until the next of evenly spaced moments, so many of them a second; it never hurries to catch up. */
final class Pace {

    private final long gapNanos;
    private long next = System.nanoTime();

    private Pace(long gapNanos) {
        this.gapNanos = gapNanos;
    }

    static Pace unlimited() {
        return new Pace(0);
    }

    static Pace perSecond(double rate) {
        return new Pace((long) (TimeUnit.SECONDS.toNanos(1) / rate));
    }

    void await() throws InterruptedException {
        if (gapNanos == 0) {
            return;
        }
        long now = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(next - now);
        next = Math.max(next, now - TimeUnit.SECONDS.toNanos(1)) + gapNanos;
    }
}
