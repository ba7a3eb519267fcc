package dev.tidemark.common;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.TemporalAdjuster;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;

/** Windows that follow one another as the clocks and calendars of a zone say. */
abstract class CalendarWindows extends EventWindows {

    /** Milliseconds of time that share a place among the recent windows, as a power of two: about 17 minutes. */
    private static final int BLOCK = 20;

    private static final int BLOCKS = 64;

    final ZoneRules rules;
    /**
     * The window asked for last in each block of time. Events ask for their own window, for that of the watermark and for
     * the one before. A race between threads only costs a computation.
     */
    private final Span[] recent = new Span[BLOCKS];

    private CalendarWindows(ZoneId zone, Duration longest, Duration grace) {
        super(longest, grace);
        this.rules = zone.getRules();
    }

    @Override
    public long lastStartOf(long time) {
        return Math.max(0, spanOf(time).start);
    }

    @Override
    public long endOf(long start) {
        return spanOf(start).end;
    }

    @Override
    public long lastClosed(long watermark) {
        Span before = spanOf(spanOf(watermark).start - 1);
        return before.end > 0 ? Math.max(0, before.start) : before.start;
    }

    private Span spanOf(long time) {
        int place = (int) (time >> BLOCK) & BLOCKS - 1;
        Span span = recent[place];
        if (span == null || time < span.start || time >= span.end) {
            span = find(time);
            recent[place] = span;
        }
        return span;
    }

    /** The window that the time belongs to, without regard to the epoch. */
    abstract Span find(long time);

    record Span(long start, long end) {}

    static final class Hours extends CalendarWindows {

        private static final Duration HOUR = Duration.ofHours(1);

        Hours(ZoneId zone, Duration grace) {
            super(zone, HOUR, grace);
        }

        @Override
        Span find(long time) {
            Instant instant = Instant.ofEpochMilli(time);
            long offset = rules.getOffset(instant).getTotalSeconds() * 1000L;
            long start = Math.floorDiv(time + offset, size()) * size() - offset;
            long end = start + size();
            ZoneOffsetTransition before = rules.previousTransition(instant.plusMillis(1));
            ZoneOffsetTransition after = rules.nextTransition(instant);
            return new Span(
                    before == null ? start : Math.max(start, before.getInstant().toEpochMilli()),
                    after == null ? end : Math.min(end, after.getInstant().toEpochMilli()));
        }
    }

    static final class Dates extends CalendarWindows {

        private final ZoneId zone;
        private final LocalTime from;
        private final TemporalAdjuster toFirst;
        private final Period length;

        /**
         * @param toFirst from a date to the first of its window
         * @param length from the first date of a window to the first of the next
         * @param days how many dates a window has at most
         */
        Dates(ZoneId zone, LocalTime from, TemporalAdjuster toFirst, Period length, int days, Duration grace) {
            super(zone, Duration.ofDays(days + 1), grace); // A zone may repeat a day to change sides of the date line.
            this.zone = zone;
            this.from = from;
            this.toFirst = toFirst;
            this.length = length;
        }

        @Override
        Span find(long time) {
            LocalDateTime local = LocalDateTime.ofInstant(Instant.ofEpochMilli(time), zone);
            LocalDate first = local.minusNanos(from.toNanoOfDay()).toLocalDate().with(toFirst);
            long start = startOf(first);
            long end = startOf(first.plus(length));
            // Where clocks go back over the start of a window, that window goes on.
            while (end <= time) {
                first = first.plus(length);
                start = end;
                end = startOf(first.plus(length));
            }
            return new Span(start, end);
        }

        private long startOf(LocalDate first) {
            LocalDateTime local = first.atTime(from);
            ZoneOffsetTransition change = rules.getTransition(local);
            Instant start = change != null && change.isGap()
                    ? change.getInstant()
                    : ZonedDateTime.of(local, zone).toInstant();
            return start.toEpochMilli();
        }
    }
}
