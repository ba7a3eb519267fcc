package dev.tidemark.common;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Finds windows slowly and simply: by looking at the clock on the wall of a zone at every step of time, and noting when
 * something new begins. It knows no rule about gaps and overlaps.
 *
 * @param zone where the clock hangs
 * @param from the first look
 * @param to the last look
 * @param step time between looks; every change of the clock has to fall on one
 */
record WallClock(ZoneId zone, Instant from, Instant to, Duration step) {

    /** Starts of hours: looks that find a full hour, or a clock that did not just go on. */
    List<Long> hours() {
        List<Long> starts = new ArrayList<>();
        LocalDateTime before = at(from);
        for (Instant now = from.plus(step); !now.isAfter(to); now = now.plus(step)) {
            LocalDateTime local = at(now);
            boolean full = local.toLocalTime().toSecondOfDay() % 3600 == 0;
            if (full || !local.equals(before.plus(step))) {
                starts.add(now.toEpochMilli());
            }
            before = local;
        }
        return starts;
    }

    /**
     * Starts of days, weeks or months: looks that find a later one than all looks before.
     *
     * @param timeOfDay when it begins
     * @param toFirst from a date to the first of its day, week or month
     */
    List<Long> dates(LocalTime timeOfDay, UnaryOperator<LocalDate> toFirst) {
        List<Long> starts = new ArrayList<>();
        LocalDate latest = toFirst.apply(businessDate(from, timeOfDay));
        for (Instant now = from.plus(step); !now.isAfter(to); now = now.plus(step)) {
            LocalDate first = toFirst.apply(businessDate(now, timeOfDay));
            if (first.isAfter(latest)) {
                starts.add(now.toEpochMilli());
                latest = first;
            }
        }
        return starts;
    }

    private LocalDate businessDate(Instant now, LocalTime timeOfDay) {
        LocalDateTime local = at(now);
        return local.toLocalTime().isBefore(timeOfDay) ? local.toLocalDate().minusDays(1) : local.toLocalDate();
    }

    private LocalDateTime at(Instant now) {
        return LocalDateTime.ofInstant(now, zone);
    }
}
