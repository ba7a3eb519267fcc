package dev.tidemark.totals;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.LongStream;

/** A kind of windows as its definition says it, with {@code java.time} alone. All times are epoch milliseconds. */
sealed interface Windowing {

    /** Every kind that is tested, each with some windows in a row that are worth it. */
    List<Windowing> ALL = List.of(
            new Tumbling("10m", Duration.ofMinutes(10), Instant.parse("2026-07-01T10:00:00Z")),
            new Tumbling("7m", Duration.ofMinutes(7), Instant.parse("2026-07-01T23:48:00Z")),
            // 25 hours, 23 hours, no midnight, and a minute of the next day before the clocks go back.
            new Days(ZoneId.of("Europe/Berlin"), LocalDate.parse("2025-10-25")),
            new Days(ZoneId.of("Europe/Berlin"), LocalDate.parse("2026-03-28")),
            new Days(ZoneId.of("America/Sao_Paulo"), LocalDate.parse("2018-11-03")),
            new Days(ZoneId.of("America/St_Johns"), LocalDate.parse("2010-11-06")));

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
     * Windows of one size, aligned with the epoch.
     *
     * @param setting the size as a user writes it
     * @param size the size
     * @param first a time in the first window that is worth testing
     */
    record Tumbling(String setting, Duration size, Instant first) implements Windowing {

        @Override
        public List<String> settings() {
            return List.of("window.size=" + setting);
        }

        @Override
        public List<Span> of(long time) {
            long start = lastEnd(time);
            return List.of(new Span(start, start + size.toMillis()));
        }

        @Override
        public long lastEnd(long time) {
            return time - time % size.toMillis();
        }

        @Override
        public Span sample(int index) {
            return of(first.toEpochMilli() + index * size.toMillis()).get(0);
        }
    }

    /**
     * Days of the calendar.
     *
     * @param zone the calendar's zone
     * @param first the first day that is worth testing
     */
    record Days(ZoneId zone, LocalDate first) implements Windowing {

        @Override
        public List<String> settings() {
            return List.of("window.size=", "window.calendar=day", "window.zone=" + zone);
        }

        /** The local date of a time can be off by one where clocks go back over midnight. */
        @Override
        public List<Span> of(long time) {
            LocalDate date = Instant.ofEpochMilli(time).atZone(zone).toLocalDate();
            return LongStream.rangeClosed(-1, 1)
                    .mapToObj(date::plusDays)
                    .map(this::day)
                    .filter(day -> day.contains(time))
                    .toList();
        }

        @Override
        public long lastEnd(long time) {
            return of(time).get(0).start();
        }

        @Override
        public Span sample(int index) {
            return day(first.plusDays(index));
        }

        private Span day(LocalDate date) {
            return new Span(midnight(date), midnight(date.plusDays(1)));
        }

        private long midnight(LocalDate date) {
            return date.atStartOfDay(zone).toInstant().toEpochMilli();
        }
    }
}
