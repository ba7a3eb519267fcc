package dev.tidemark.totals;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;

/** A kind of windows as its definition says it, with {@code java.time} alone. All times are epoch milliseconds. */
sealed interface Windowing {

    /** Every kind that is tested, each beginning with windows that are worth it. */
    List<Windowing> ALL = List.of(
            new Sized("10m", "10m", "0m", Instant.parse("2026-07-01T10:00:00Z")),
            new Sized("7m", "7m", "2m", Instant.parse("2026-07-01T23:48:00Z")),
            new Sized("10m", "5m", "0m", Instant.parse("2026-07-01T10:00:00Z")),
            new Sized("10m", "4m", "1m", Instant.parse("2026-07-01T10:00:00Z")),
            // An hour that comes twice, and one that is half as long.
            new Hours(ZoneId.of("Europe/Berlin"), Instant.parse("2025-10-25T22:30:00Z")),
            new Hours(ZoneId.of("Australia/Lord_Howe"), Instant.parse("2026-04-04T12:30:00Z")),
            // Days of 25 and 23 hours, one without a midnight, and one that had begun when the clocks went back.
            Dates.days("Europe/Berlin", "0h", "2025-10-25"),
            Dates.days("Europe/Berlin", "0h", "2026-03-28"),
            Dates.days("Europe/Berlin", "2h", "2026-03-27"),
            Dates.days("America/Sao_Paulo", "0h", "2018-11-03"),
            Dates.days("America/St_Johns", "0h", "2010-11-06"),
            new Dates("week", "Asia/Tokyo", "4h", LocalDate.parse("2025-12-22"), Period.ofWeeks(1)),
            new Dates("month", "Europe/Berlin", "0h", LocalDate.parse("2025-09-01"), Period.ofMonths(1)));

    /** The settings of the app that ask for these windows. */
    List<String> settings();

    /** The windows that a time belongs to, earliest first. */
    List<Span> of(long time);

    /** The last end of a window that is not after a time. */
    long lastEnd(long time);

    /** One of the windows in a row that are worth testing, from 0. */
    Span sample(int index);

    /**
     * A window.
     *
     * @param start its first millisecond
     * @param end the first millisecond after it
     */
    record Span(long start, long end) implements Comparable<Span> {

        boolean contains(long time) {
            return start <= time && time < end;
        }

        @Override
        public int compareTo(Span other) {
            return start != other.start ? Long.compare(start, other.start) : Long.compare(end, other.end);
        }

        @Override
        public String toString() {
            return Instant.ofEpochMilli(start) + " to " + Instant.ofEpochMilli(end);
        }
    }

    /**
     * Windows of one size, one at every advance.
     *
     * @param size in minutes, as a user writes it
     * @param advance from one start to the next, likewise
     * @param offset from the epoch to a start, likewise
     * @param first a time in the first window that is worth testing
     */
    record Sized(String size, String advance, String offset, Instant first) implements Windowing {

        @Override
        public List<String> settings() {
            return List.of("window.size=" + size, "window.advance=" + advance, "window.offset=" + offset);
        }

        @Override
        public List<Span> of(long time) {
            List<Span> windows = new ArrayList<>();
            for (long start = lastStart(time); start + millis(size) > time; start -= millis(advance)) {
                windows.add(0, new Span(start, start + millis(size)));
            }
            return windows;
        }

        @Override
        public long lastEnd(long time) {
            return lastStart(time - millis(size)) + millis(size);
        }

        @Override
        public Span sample(int index) {
            List<Span> windows = of(first.toEpochMilli() + index * millis(advance));
            return windows.get(windows.size() - 1);
        }

        private long lastStart(long time) {
            return time - (time - millis(offset)) % millis(advance);
        }

        private static long millis(String minutes) {
            return Duration.parse("PT" + minutes).toMillis();
        }
    }

    /** Windows that follow one another without a gap. */
    sealed interface Sequence extends Windowing permits Hours, Dates {

        /** A time in the first window that is worth testing. */
        long first();

        @Override
        default long lastEnd(long time) {
            return of(time).get(0).start();
        }

        @Override
        default Span sample(int index) {
            Span window = of(first()).get(0);
            for (int i = 0; i < index; i++) {
                window = of(window.end()).get(0);
            }
            return window;
        }
    }

    /**
     * Hours of the clock, which end when it shows a full hour or is changed.
     *
     * @param zone the clock's zone
     * @param begin a time in the first hour that is worth testing
     */
    record Hours(ZoneId zone, Instant begin) implements Sequence {

        @Override
        public List<String> settings() {
            return List.of("window.size=", "window.calendar=hour", "window.zone=" + zone);
        }

        @Override
        public long first() {
            return begin.toEpochMilli();
        }

        /** From the time outwards, minute by minute, to the edges: all clocks are changed at full minutes. */
        @Override
        public List<Span> of(long time) {
            long minute = Duration.ofMinutes(1).toMillis();
            long start = time - time % minute;
            while (!isEdge(start)) {
                start -= minute;
            }
            long end = time - time % minute + minute;
            while (!isEdge(end)) {
                end += minute;
            }
            return List.of(new Span(start, end));
        }

        private boolean isEdge(long time) {
            Instant instant = Instant.ofEpochMilli(time);
            boolean fullHour = instant.atZone(zone).getMinute() == 0;
            return fullHour || !offset(instant).equals(offset(instant.minusMillis(1)));
        }

        private ZoneOffset offset(Instant time) {
            return zone.getRules().getOffset(time);
        }
    }

    /**
     * Days, weeks or months of the calendar.
     *
     * @param calendar the setting
     * @param zoneName the calendar's zone
     * @param offset the time of day at which they begin, in hours, as a user writes it
     * @param date the first date of the first window that is worth testing
     * @param length the length of a window
     */
    record Dates(String calendar, String zoneName, String offset, LocalDate date, Period length) implements Sequence {

        static Dates days(String zone, String offset, String date) {
            return new Dates("day", zone, offset, LocalDate.parse(date), Period.ofDays(1));
        }

        @Override
        public List<String> settings() {
            return List.of(
                    "window.size=",
                    "window.calendar=" + calendar,
                    "window.zone=" + zoneName,
                    "window.offset=" + offset);
        }

        @Override
        public long first() {
            return start(date);
        }

        /** Counted on, or back, from the first date. */
        @Override
        public List<Span> of(long time) {
            LocalDate from = date;
            while (start(from) > time) {
                from = from.minus(length);
            }
            while (start(from.plus(length)) <= time) {
                from = from.plus(length);
            }
            return List.of(new Span(start(from), start(from.plus(length))));
        }

        /** When the clock first shows the time of day at which the date begins, or a later one if it jumps over it. */
        private long start(LocalDate of) {
            LocalTime from = LocalTime.MIDNIGHT.plus(Duration.parse("PT" + offset));
            LocalDateTime local = of.atTime(from);
            ZoneOffsetTransition change = ZoneId.of(zoneName).getRules().getTransition(local);
            return change != null && change.isGap()
                    ? change.getInstant().toEpochMilli()
                    : local.atZone(ZoneId.of(zoneName)).toInstant().toEpochMilli();
        }
    }
}
