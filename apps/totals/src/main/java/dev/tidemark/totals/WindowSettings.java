package dev.tidemark.totals;

import dev.tidemark.common.EventWindows;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Locale;

/**
 * The windows of a pipeline: {@code tidemark.totals.window}. Either a size, or a calendar unit with a zone.
 *
 * @param size length of tumbling windows aligned with the epoch; null with a calendar
 * @param calendar calendar unit; null with a size
 * @param zone zone of the calendar; null with a size
 */
record WindowSettings(Duration size, Calendar calendar, ZoneId zone) {

    /** Calendar units. */
    enum Calendar {
        DAY
    }

    WindowSettings {
        if ((size == null) == (calendar == null)) {
            throw new IllegalArgumentException("window needs either a size, such as 10m, or calendar: day with a zone");
        }
        if (size != null && (size.compareTo(Duration.ofSeconds(1)) < 0 || size.compareTo(Duration.ofDays(366)) > 0)) {
            throw new IllegalArgumentException(
                    "window.size is " + TotalsProperties.show(size) + ", but 1s to 366d is allowed");
        }
        if (size != null && zone != null) {
            throw new IllegalArgumentException(
                    "window.zone is set, but windows of a size are aligned with UTC; use calendar: day or remove the zone");
        }
        if (calendar != null && zone == null) {
            throw new IllegalArgumentException(
                    "window.zone is missing; a calendar needs one, such as UTC or Asia/Tokyo");
        }
    }

    EventWindows windows(Duration grace) {
        return size != null ? EventWindows.tumbling(size, grace) : EventWindows.days(zone, grace);
    }

    @Override
    public String toString() {
        return size != null ? TotalsProperties.show(size) : calendar.name().toLowerCase(Locale.ROOT) + " in " + zone;
    }
}
