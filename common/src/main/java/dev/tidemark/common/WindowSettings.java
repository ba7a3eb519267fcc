package dev.tidemark.common;

import static dev.tidemark.common.SettingRules.show;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Locale;

/**
 * The windows of a pipeline: {@code tidemark.totals.window}. Either a size, or a calendar unit with a zone.
 *
 * @param size length of the windows; null with a calendar
 * @param advance time from one start to the next, by default the size; null with a calendar
 * @param calendar calendar unit; null with a size
 * @param weekStarts first day of a week, by default Monday; null without weeks
 * @param zone zone of the calendar; null with a size
 * @param offset by default zero; with a size, from the epoch to a start, else the time of day at which the unit begins
 */
public record WindowSettings(
        Duration size, Duration advance, Calendar calendar, DayOfWeek weekStarts, ZoneId zone, Duration offset) {

    /** Each window of an event costs as much as an event of its own; a day that moves on by the minute is affordable. */
    private static final int MOST_WINDOWS_OF_AN_EVENT = 1440;

    /** Calendar units. */
    public enum Calendar {
        HOUR,
        DAY,
        WEEK,
        MONTH
    }

    public WindowSettings {
        require(
                (size == null) != (calendar == null),
                "window needs either a size, such as 10m, or calendar: day with a zone");
        require(
                weekStarts == null || calendar == Calendar.WEEK,
                "window.week-starts is set, but only weeks have a first day; use calendar: week or remove it");
        if (size != null) {
            advance = advance == null ? size : advance;
            offset = offset == null ? Duration.ZERO : offset;
            checkSize(size, advance, zone, offset);
        } else {
            checkCalendar(calendar, advance, zone, offset);
            weekStarts = calendar == Calendar.WEEK && weekStarts == null ? DayOfWeek.MONDAY : weekStarts;
            offset = offset == null ? Duration.ZERO : offset;
        }
    }

    private static void checkSize(Duration size, Duration advance, ZoneId zone, Duration offset) {
        require(
                size.compareTo(Duration.ofSeconds(1)) >= 0 && size.compareTo(Duration.ofDays(366)) <= 0,
                "window.size is " + show(size) + ", but 1s to 366d is allowed");
        require(
                zone == null,
                "window.zone is set, but windows of a size are aligned with UTC; use calendar: day or remove the zone");
        Duration least = size.compareTo(Duration.ofSeconds(MOST_WINDOWS_OF_AN_EVENT)) > 0
                ? Duration.ofMillis((size.toMillis() - 1) / MOST_WINDOWS_OF_AN_EVENT + 1)
                : Duration.ofSeconds(1);
        require(
                advance.compareTo(least) >= 0 && advance.compareTo(size) <= 0,
                "window.advance is " + show(advance) + ", but " + show(least) + " to " + show(size)
                        + " is allowed: at most the size, and at most " + MOST_WINDOWS_OF_AN_EVENT
                        + " windows for an event");
        requireOffset(offset, advance, advance.equals(size) ? ", the size," : ", the advance,");
    }

    private static void checkCalendar(Calendar calendar, Duration advance, ZoneId zone, Duration offset) {
        require(zone != null, "window.zone is missing; a calendar needs one, such as UTC or Asia/Tokyo");
        require(
                advance == null,
                "window.advance is set, but only windows of a size overlap; use a size or remove the advance");
        if (offset != null) {
            require(
                    calendar != Calendar.HOUR,
                    "window.offset is set, but hours begin when the clock shows a full hour; use a size or remove the"
                            + " offset");
            requireOffset(offset, Duration.ofDays(1), "");
        }
    }

    private static void requireOffset(Duration offset, Duration end, String meaning) {
        require(
                !offset.isNegative() && offset.compareTo(end) < 0,
                "window.offset is " + show(offset) + ", but 0s to less than " + show(end) + meaning + " is allowed");
    }

    private static void require(boolean allowed, String sentence) {
        if (!allowed) {
            throw new IllegalArgumentException("tidemark.totals." + sentence);
        }
    }

    /** The windows, as the operators are to see them. */
    public EventWindows windows(Duration grace) {
        if (size != null) {
            return EventWindows.hopping(size, advance, offset, grace);
        }
        LocalTime from = LocalTime.MIDNIGHT.plus(offset);
        return switch (calendar) {
            case HOUR -> EventWindows.hours(zone, grace);
            case DAY -> EventWindows.days(zone, from, grace);
            case WEEK -> EventWindows.weeks(zone, weekStarts, from, grace);
            case MONTH -> EventWindows.months(zone, from, grace);
        };
    }

    /** The zone that starts and ends follow: that of the calendar; UTC with a size, as the epoch is a time of UTC. */
    public String zoneName() {
        return size != null ? "UTC" : zone.getId();
    }

    /** The settings for people. State remembers this text, so what is not set must leave no trace in it. */
    @Override
    public String toString() {
        return (size != null ? show(size) : lower(calendar) + " in " + zone)
                + (size == null || advance.equals(size) ? "" : " advance " + show(advance))
                + (weekStarts == null || weekStarts == DayOfWeek.MONDAY ? "" : " week-starts " + lower(weekStarts))
                + (offset.isZero() ? "" : " offset " + show(offset));
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
