package dev.tidemark.common;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.utils.Time;

/** Wall time that stands still until a test advances it. */
public final class ManualTime implements Time {

    private long millis;

    public ManualTime(Instant start) {
        millis = start.toEpochMilli();
    }

    public Instant now() {
        return Instant.ofEpochMilli(millis);
    }

    public void advance(Duration by) {
        sleep(by.toMillis());
    }

    @Override
    public long milliseconds() {
        return millis;
    }

    @Override
    public long nanoseconds() {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Override
    public void sleep(long by) {
        millis += by;
    }
}
