package dev.tidemark.common;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.streams.kstream.Windows;
import org.apache.kafka.streams.kstream.internals.TimeWindow;

/**
 * The windows of a pipeline: which windows an event time belongs to, and when a window is over. All times are epoch
 * milliseconds; windows are half-open. A later start never means an earlier end. Kafka has no time before the epoch, so a
 * window that reaches over it begins there; of several such windows, only the last one exists. Safe for use by many
 * threads.
 *
 * <p>The DSL operators want windows of one size, but calendar days last 23 to 25 hours. So the operators see each window
 * as if it had the size of the longest one. They only need the order of the starts, because {@link EventClock} decides
 * which windows are closed and tells the operators with ticks ({@link #tickFor}); the real end is {@link #endOf}.
 */
public abstract class EventWindows extends Windows<TimeWindow> {

    private final long size;
    private final long grace;

    EventWindows(Duration size, Duration grace) {
        this.size = size.toMillis();
        this.grace = grace.toMillis();
    }

    /** Windows of one size, aligned with the epoch. */
    public static EventWindows tumbling(Duration size, Duration grace) {
        return hopping(size, size, Duration.ZERO, grace);
    }

    /**
     * Windows of one size that overlap, or follow one another when the advance is the size.
     *
     * @param advance time from one start to the next; positive, and at most the size
     * @param offset time from the epoch to a start; from zero to less than the advance
     */
    public static EventWindows hopping(Duration size, Duration advance, Duration offset, Duration grace) {
        return new SizedWindows(size, advance, offset, grace);
    }

    /**
     * Hours of the clock in a zone, from full hour to full hour. A change of the clock ends an hour and begins another:
     * where an hour is repeated, each time is a window of its own, and where the clocks change by half an hour, windows
     * of half an hour result.
     */
    public static EventWindows hours(ZoneId zone, Duration grace) {
        return new CalendarWindows.Hours(zone, grace);
    }

    /** Days of the calendar in a zone, from midnight to midnight; see {@link #days(ZoneId, LocalTime, Duration)}. */
    public static EventWindows days(ZoneId zone, Duration grace) {
        return days(zone, LocalTime.MIDNIGHT, grace);
    }

    /**
     * Days of the calendar in a zone. Each begins when the clock first shows that time of the date or, where it jumps
     * over that time, a later one.
     *
     * @param from the time of day at which a day begins
     */
    public static EventWindows days(ZoneId zone, LocalTime from, Duration grace) {
        return new CalendarWindows.Dates(zone, from, date -> date, Period.ofDays(1), 1, grace);
    }

    /**
     * Weeks of the calendar in a zone.
     *
     * @param first the day with which a week begins
     * @param from the time of that day, as in {@link #days(ZoneId, LocalTime, Duration)}
     */
    public static EventWindows weeks(ZoneId zone, DayOfWeek first, LocalTime from, Duration grace) {
        return new CalendarWindows.Dates(
                zone, from, TemporalAdjusters.previousOrSame(first), Period.ofWeeks(1), 7, grace);
    }

    /**
     * Months of the calendar in a zone.
     *
     * @param from the time of the first day, as in {@link #days(ZoneId, LocalTime, Duration)}
     */
    public static EventWindows months(ZoneId zone, LocalTime from, Duration grace) {
        return new CalendarWindows.Dates(
                zone, from, TemporalAdjusters.firstDayOfMonth(), Period.ofMonths(1), 31, grace);
    }

    /** Start of the last window that the time belongs to. */
    public abstract long lastStartOf(long time);

    /** Starts of all windows that the time belongs to, earliest first. */
    public long[] startsOf(long time) {
        return new long[] {lastStartOf(time)};
    }

    /** End of the window with that start. */
    public abstract long endOf(long start);

    /** Start of the last window whose end is not after the watermark; negative while there is none. */
    public abstract long lastClosed(long watermark);

    /** The operators' time at which exactly the windows up to the one with this start are closed for them. */
    public long tickFor(long lastClosed) {
        return lastClosed + size + grace;
    }

    @Override
    public Map<Long, TimeWindow> windowsFor(long time) {
        Map<Long, TimeWindow> windows = new LinkedHashMap<>();
        for (long start : startsOf(time)) {
            windows.put(start, new TimeWindow(start, start + size));
        }
        return windows;
    }

    /** Size of the longest window. */
    @Override
    public long size() {
        return size;
    }

    @Override
    public long gracePeriodMs() {
        return grace;
    }
}
