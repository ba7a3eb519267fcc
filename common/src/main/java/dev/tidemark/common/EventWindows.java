package dev.tidemark.common;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Map;
import org.apache.kafka.streams.kstream.Windows;
import org.apache.kafka.streams.kstream.internals.TimeWindow;

/**
 * The windows of a pipeline: which window an event time belongs to, and when a window is over. All times are epoch
 * milliseconds; windows are half-open.
 *
 * <p>The DSL operators want windows of one size, but calendar days last 23 to 25 hours. So the operators see each window
 * as if it had the size of the longest one. They only need the order of the starts, because {@link EventClock} decides
 * which windows are closed and tells the operators with ticks ({@link #tickFor}); the real end is {@link #endOf}.
 */
public abstract class EventWindows extends Windows<TimeWindow> {

    private final long size;
    private final long grace;

    private EventWindows(Duration size, Duration grace) {
        this.size = size.toMillis();
        this.grace = grace.toMillis();
    }

    /** Windows of one size, aligned with the epoch. */
    public static EventWindows tumbling(Duration size, Duration grace) {
        return new Tumbling(size, grace);
    }

    /** Days of the calendar in a zone, from midnight (or the first time that exists on that day) to the next. */
    public static EventWindows days(ZoneId zone, Duration grace) {
        return new Days(zone, grace);
    }

    /** Start of the last window that the time belongs to. */
    public abstract long lastStartOf(long time);

    /** Starts of all windows that the time belongs to, earliest first. */
    public long[] startsOf(long time) {
        return new long[] {lastStartOf(time)};
    }

    /** End of the window with that start. */
    public abstract long endOf(long start);

    /** Start of the last window whose end is not after the watermark. */
    public abstract long lastClosed(long watermark);

    /** The operators' time at which exactly the windows up to the one with this start are closed for them. */
    public long tickFor(long lastClosed) {
        return lastClosed + size + grace;
    }

    @Override
    public Map<Long, TimeWindow> windowsFor(long time) {
        long start = lastStartOf(time);
        return Map.of(start, new TimeWindow(start, start + size));
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public long gracePeriodMs() {
        return grace;
    }

    private static final class Tumbling extends EventWindows {

        Tumbling(Duration size, Duration grace) {
            super(size, grace);
        }

        @Override
        public long lastStartOf(long time) {
            return Math.floorDiv(time, size()) * size();
        }

        @Override
        public long endOf(long start) {
            return start + size();
        }

        @Override
        public long lastClosed(long watermark) {
            return lastStartOf(watermark - size());
        }
    }

    private static final class Days extends EventWindows {

        /** Zones have skipped and repeated up to a day when they changed sides of the date line. */
        private static final Duration LONGEST = Duration.ofHours(48);

        private final ZoneId zone;
        /** The day asked for last; a race between threads only costs a computation. */
        private volatile Day last = new Day(0, 0);

        Days(ZoneId zone, Duration grace) {
            super(LONGEST, grace);
            this.zone = zone;
        }

        @Override
        public long lastStartOf(long time) {
            return Math.max(0, dayOf(time).start); // Kafka has no time before the epoch.
        }

        @Override
        public long endOf(long start) {
            return dayOf(start).end;
        }

        @Override
        public long lastClosed(long watermark) {
            Day before = dayOf(dayOf(watermark).start - 1);
            return before.end > 0 ? lastStartOf(before.start) : before.start;
        }

        private Day dayOf(long time) {
            Day day = last;
            if (time < day.start || time >= day.end) {
                LocalDate date = Instant.ofEpochMilli(time).atZone(zone).toLocalDate();
                // Where clocks go back over midnight, the date repeats; the later part belongs to the new day.
                day = time < midnight(date.plusDays(1)) ? day(date) : day(date.plusDays(1));
                last = day;
            }
            return day;
        }

        private Day day(LocalDate date) {
            return new Day(midnight(date), midnight(date.plusDays(1)));
        }

        private long midnight(LocalDate date) {
            return date.atStartOfDay(zone).toInstant().toEpochMilli();
        }

        private record Day(long start, long end) {}
    }
}
