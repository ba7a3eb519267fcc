package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.streams.kstream.internals.TimeWindow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows of the calendar, by example and compared with {@link WallClock}. */
class CalendarWindowsTest {

    private static final Duration GRACE = Duration.ofMinutes(5);
    private static final LocalTime MIDNIGHT = LocalTime.MIDNIGHT;
    private static final LocalTime FOUR = LocalTime.of(4, 0);
    private static final LocalTime LATE = LocalTime.of(22, 0);

    @ParameterizedTest
    @CsvSource({
        "Asia/Kolkata,        2025-01-01T18:30:00Z, 2025-01-01T19:30:00Z",
        "Asia/Kathmandu,      2025-01-01T18:15:00Z, 2025-01-01T19:15:00Z",
        // from 02:00 to 03:00
        "Europe/Berlin,       2025-03-30T00:00:00Z, 2025-03-30T01:00:00Z",
        "Europe/Berlin,       2025-03-30T01:00:00Z, 2025-03-30T02:00:00Z",
        // from 03:00 back to 02:00
        "Europe/Berlin,       2025-10-26T00:00:00Z, 2025-10-26T01:00:00Z",
        "Europe/Berlin,       2025-10-26T01:00:00Z, 2025-10-26T02:00:00Z",
        // from 02:00 to 02:30, where half an hour is left
        "Australia/Lord_Howe, 2025-10-04T14:30:00Z, 2025-10-04T15:30:00Z",
        "Australia/Lord_Howe, 2025-10-04T15:30:00Z, 2025-10-04T16:00:00Z",
        "Australia/Lord_Howe, 2025-10-04T16:00:00Z, 2025-10-04T17:00:00Z",
        // from 02:00 back to 01:30, whose half hour comes twice
        "Australia/Lord_Howe, 2025-04-05T14:00:00Z, 2025-04-05T15:00:00Z",
        "Australia/Lord_Howe, 2025-04-05T15:00:00Z, 2025-04-05T15:30:00Z",
        "Australia/Lord_Howe, 2025-04-05T15:30:00Z, 2025-04-05T16:30:00Z",
        // from 00:01 back to 23:01
        "America/St_Johns,    2010-11-07T02:30:00Z, 2010-11-07T02:31:00Z",
        "America/St_Johns,    2010-11-07T02:31:00Z, 2010-11-07T03:30:00Z",
        "America/St_Johns,    2010-11-07T03:30:00Z, 2010-11-07T04:30:00Z",
        // from the end of the 29th to the start of the 31st
        "Pacific/Apia,        2011-12-30T09:00:00Z, 2011-12-30T10:00:00Z",
        "Pacific/Apia,        2011-12-30T10:00:00Z, 2011-12-30T11:00:00Z",
    })
    void anHourEndsWhenTheClockShowsAFullHourOrIsChanged(ZoneId zone, Instant start, Instant end) {
        assertWindow(EventWindows.hours(zone, GRACE), start, end);
    }

    @ParameterizedTest
    @CsvSource({
        // 23 and 25 hours
        "Europe/Berlin,       2025-03-29T23:00:00Z, 2025-03-30T22:00:00Z",
        "Europe/Berlin,       2025-10-25T22:00:00Z, 2025-10-26T23:00:00Z",
        // 23 and a half, and 24 and a half
        "Australia/Lord_Howe, 2025-10-04T13:30:00Z, 2025-10-05T13:00:00Z",
        "Australia/Lord_Howe, 2025-04-05T13:00:00Z, 2025-04-06T13:30:00Z",
        "Asia/Kolkata,        2024-12-31T18:30:00Z, 2025-01-01T18:30:00Z",
        // midnight does not exist
        "America/Sao_Paulo,   2018-11-04T03:00:00Z, 2018-11-05T02:00:00Z",
        "Africa/Cairo,        2023-04-27T22:00:00Z, 2023-04-28T21:00:00Z",
        "Asia/Beirut,         2025-03-29T22:00:00Z, 2025-03-30T21:00:00Z",
        // from midnight back to 23:00, so that midnight is an hour later
        "America/Sao_Paulo,   2019-02-16T02:00:00Z, 2019-02-17T03:00:00Z",
        "Africa/Cairo,        2023-10-25T21:00:00Z, 2023-10-26T22:00:00Z",
        "Asia/Beirut,         2025-10-24T21:00:00Z, 2025-10-25T22:00:00Z",
        // midnight comes twice, and between them a minute of the new day
        "America/St_Johns,    2010-11-06T02:30:00Z, 2010-11-07T02:30:00Z",
        "America/St_Johns,    2010-11-07T02:30:00Z, 2010-11-08T03:30:00Z",
        // the 30th was left out
        "Pacific/Apia,        2011-12-29T10:00:00Z, 2011-12-30T10:00:00Z",
        "Pacific/Apia,        2011-12-30T10:00:00Z, 2011-12-31T10:00:00Z",
    })
    void aDayGoesFromMidnightToMidnightInItsZone(ZoneId zone, Instant start, Instant end) {
        assertWindow(EventWindows.days(zone, GRACE), start, end);
    }

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin, 04:00, 2025-03-29T03:00:00Z, 2025-03-30T02:00:00Z",
        "Europe/Berlin, 04:00, 2025-03-30T02:00:00Z, 2025-03-31T02:00:00Z",
        "Europe/Berlin, 04:00, 2025-10-25T02:00:00Z, 2025-10-26T03:00:00Z",
        // 02:30 does not exist; the clock goes from 02:00 to 03:00
        "Europe/Berlin, 02:30, 2025-03-29T01:30:00Z, 2025-03-30T01:00:00Z",
        "Europe/Berlin, 02:30, 2025-03-30T01:00:00Z, 2025-03-31T00:30:00Z",
        // 02:30 comes twice
        "Europe/Berlin, 02:30, 2025-10-25T00:30:00Z, 2025-10-26T00:30:00Z",
        "Europe/Berlin, 02:30, 2025-10-26T00:30:00Z, 2025-10-27T01:30:00Z",
        // of the day that begins on the 30th only what lies on the 31st exists
        "Pacific/Apia,  04:00, 2011-12-29T14:00:00Z, 2011-12-30T10:00:00Z",
        "Pacific/Apia,  04:00, 2011-12-30T10:00:00Z, 2011-12-30T14:00:00Z",
        "Pacific/Apia,  04:00, 2011-12-30T14:00:00Z, 2011-12-31T14:00:00Z",
    })
    void aBusinessDayBeginsWhenTheClockFirstShowsItsTimeOrALaterOne(
            ZoneId zone, LocalTime from, Instant start, Instant end) {
        assertWindow(EventWindows.days(zone, from, GRACE), start, end);
    }

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin, MONDAY,   00:00, 2025-03-23T23:00:00Z, 2025-03-30T22:00:00Z",
        "Europe/Berlin, SUNDAY,   00:00, 2025-03-22T23:00:00Z, 2025-03-29T23:00:00Z",
        "Europe/Berlin, SUNDAY,   00:00, 2025-03-29T23:00:00Z, 2025-04-05T22:00:00Z",
        "Europe/Berlin, MONDAY,   04:00, 2025-10-20T02:00:00Z, 2025-10-27T03:00:00Z",
        "Asia/Beirut,   SUNDAY,   00:00, 2025-03-29T22:00:00Z, 2025-04-05T21:00:00Z",
        // over the end of a year
        "Asia/Tokyo,    MONDAY,   00:00, 2025-12-28T15:00:00Z, 2026-01-04T15:00:00Z",
        // a week without its Friday, and weeks whose first day was left out
        "Pacific/Apia,  MONDAY,   00:00, 2011-12-26T10:00:00Z, 2012-01-01T10:00:00Z",
        "Pacific/Apia,  FRIDAY,   00:00, 2011-12-23T10:00:00Z, 2011-12-30T10:00:00Z",
        "Pacific/Apia,  FRIDAY,   00:00, 2011-12-30T10:00:00Z, 2012-01-05T10:00:00Z",
    })
    void aWeekGoesFromItsFirstDayToTheNext(ZoneId zone, DayOfWeek first, LocalTime from, Instant start, Instant end) {
        assertWindow(EventWindows.weeks(zone, first, from, GRACE), start, end);
    }

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin, 00:00, 2024-01-31T23:00:00Z, 2024-02-29T23:00:00Z",
        "Europe/Berlin, 00:00, 2025-02-28T23:00:00Z, 2025-03-31T22:00:00Z",
        "Europe/Berlin, 04:00, 2025-10-01T02:00:00Z, 2025-11-01T03:00:00Z",
        "Pacific/Apia,  00:00, 2011-12-01T10:00:00Z, 2011-12-31T10:00:00Z",
        // 31 December was left out, and with it the end of the year
        "Pacific/Kiritimati, 00:00, 1994-12-01T10:00:00Z, 1994-12-31T10:00:00Z",
        "Pacific/Kiritimati, 00:00, 1994-12-31T10:00:00Z, 1995-01-31T10:00:00Z",
    })
    void aMonthGoesFromItsFirstDayToTheNext(ZoneId zone, LocalTime from, Instant start, Instant end) {
        assertWindow(EventWindows.months(zone, from, GRACE), start, end);
    }

    @ParameterizedTest
    @CsvSource({
        "UTC,                  2024, 2026, PT1H",
        "Europe/Berlin,        2024, 2028, PT1H",
        "Europe/Berlin,        2096, 2101, PT1H",
        // the offset is not of full hours
        "Asia/Kolkata,         2024, 2026, PT30M",
        "Asia/Kathmandu,       1984, 1988, PT15M",
        "Pacific/Chatham,      2023, 2026, PT15M",
        "Africa/Monrovia,      1972, 1973, PT30S",
        // the clock changes by half an hour, by two hours, by a quarter
        "Australia/Lord_Howe,  2023, 2028, PT30M",
        "Antarctica/Troll,     2022, 2026, PT1H",
        "America/Caracas,      2007, 2009, PT30M",
        "America/Caracas,      2015, 2017, PT30M",
        "Asia/Pyongyang,       2015, 2019, PT30M",
        "Asia/Tehran,          2019, 2023, PT30M",
        // the clock changes at midnight
        "America/Sao_Paulo,    2013, 2020, PT1H",
        "Africa/Cairo,         2007, 2015, PT1H",
        "Africa/Cairo,         2022, 2028, PT1H",
        "Asia/Beirut,          2021, 2028, PT1H",
        "America/Havana,       2023, 2028, PT1H",
        "Atlantic/Azores,      2023, 2027, PT1H",
        "America/Santiago,     2015, 2023, PT1H",
        // a minute after midnight
        "America/St_Johns,     2010, 2012, PT1M",
        "Asia/Gaza,            2011, 2013, PT1M",
        // twice within a few weeks, and for more than a summer
        "Africa/Casablanca,    2016, 2024, PT1H",
        "Antarctica/Vostok,    1993, 1996, PT1H",
        "Antarctica/Casey,     2009, 2013, PT1H",
        // a day is left out
        "Pacific/Apia,         2009, 2014, PT1H",
        "Pacific/Kwajalein,    1992, 1995, PT1H",
        "Pacific/Kiritimati,   1993, 1996, PT1H",
    })
    void windowsAreWhatTheClockOnTheWallShows(ZoneId zone, int fromYear, int toYear, Duration step) {
        WallClock clock = new WallClock(zone, newYear(fromYear), newYear(toYear), step);

        assertAgree(EventWindows.hours(zone, GRACE), clock.hours());
        for (LocalTime from : List.of(MIDNIGHT, LocalTime.of(1, 0), FOUR, LATE)) {
            assertAgree(EventWindows.days(zone, from, GRACE), clock.dates(from, date -> date));
        }
        assertAgree(
                EventWindows.weeks(zone, DayOfWeek.MONDAY, MIDNIGHT, GRACE),
                clock.dates(MIDNIGHT, date -> date.minusDays(date.getDayOfWeek().getValue() - 1)));
        assertAgree(
                EventWindows.weeks(zone, DayOfWeek.SUNDAY, FOUR, GRACE),
                clock.dates(FOUR, date -> date.minusDays(date.getDayOfWeek().getValue() % 7)));
        assertAgree(EventWindows.months(zone, MIDNIGHT, GRACE), clock.dates(MIDNIGHT, date -> date.withDayOfMonth(1)));
        assertAgree(EventWindows.months(zone, LATE, GRACE), clock.dates(LATE, date -> date.withDayOfMonth(1)));
    }

    private static Instant newYear(int year) {
        return Instant.parse(year + "-01-01T00:00:00Z");
    }

    private static void assertAgree(EventWindows windows, List<Long> starts) {
        List<String> wrong = new ArrayList<>();
        for (int i = 1; i < starts.size() - 1; i++) {
            long start = starts.get(i);
            Answer right = new Answer(start, starts.get(i + 1), starts.get(i - 1));
            long[] times = LongStream.concat(inSteps(start, right.end), LongStream.of(start + 1, right.end - 1))
                    .toArray();
            for (long time : times) {
                Answer answer = Answer.of(windows, time);
                if (!answer.equals(right)) {
                    wrong.add(Instant.ofEpochMilli(time) + ": " + answer + " instead of " + right);
                }
            }
        }
        assertThat(starts).hasSizeGreaterThan(10);
        assertThat(wrong).isEmpty();
        assertThat(windows.size()).isGreaterThanOrEqualTo(longest(starts));
    }

    /** Less than half an hour, so that what the clock repeats is met too. */
    private static LongStream inSteps(long start, long end) {
        return LongStream.iterate(
                start, time -> time < end, time -> time + Duration.ofMinutes(29).toMillis());
    }

    private static long longest(List<Long> starts) {
        return IntStream.range(1, starts.size())
                .mapToLong(i -> starts.get(i) - starts.get(i - 1))
                .max()
                .getAsLong();
    }

    /** What windows say about a time: the window that it belongs to, and the one that is closed by it as a watermark. */
    private record Answer(long start, long end, long lastClosed) {

        static Answer of(EventWindows windows, long time) {
            long start = windows.lastStartOf(time);
            return new Answer(start, windows.endOf(start), windows.lastClosed(time));
        }

        @Override
        public String toString() {
            return "from " + Instant.ofEpochMilli(start) + " to " + Instant.ofEpochMilli(end) + " after "
                    + Instant.ofEpochMilli(lastClosed);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Asia/Tokyo", "America/New_York", "Asia/Kolkata", "Africa/Monrovia", "UTC"})
    void theFirstWindowBeginsAtTheEpochAndNothingIsClosedBeforeItsEnd(ZoneId zone) {
        for (EventWindows windows : List.of(
                EventWindows.hours(zone, GRACE),
                EventWindows.days(zone, GRACE),
                EventWindows.weeks(zone, DayOfWeek.MONDAY, MIDNIGHT, GRACE),
                EventWindows.months(zone, MIDNIGHT, GRACE))) {
            long end = windows.endOf(0);

            assertThat(windows.lastStartOf(0)).isZero();
            assertThat(windows.lastStartOf(end - 1)).isZero();
            assertThat(windows.lastStartOf(end)).isEqualTo(end);
            assertThat(windows.lastClosed(end)).isZero();
            assertThat(windows.lastClosed(end - 1)).isNegative();
            assertThat(windows.lastClosed(0)).isNegative();
            assertThat(windows.lastClosed(-Duration.ofDays(400).toMillis())).isNegative();
        }
    }

    @Test
    void threadsThatAskForDifferentTimesGetTheirOwnAnswers() {
        ZoneId zone = ZoneId.of("Europe/Berlin");
        EventWindows shared = EventWindows.hours(zone, GRACE);
        long from = newYear(2025).toEpochMilli();

        assertThat(LongStream.range(0, 100_000)
                        .parallel()
                        .map(i -> from + i * 7_654_321 % Duration.ofDays(30).toMillis())
                        .filter(time -> shared.lastStartOf(time) > time || shared.endOf(time) <= time))
                .isEmpty();
    }

    @Test
    void theOperatorsSeeEveryWindowAsLongAsTheLongest() {
        EventWindows months = EventWindows.months(ZoneId.of("UTC"), MIDNIGHT, GRACE);
        long february = Instant.parse("2025-02-01T00:00:00Z").toEpochMilli();
        long size = Duration.ofDays(32).toMillis();

        assertThat(months.startsOf(february)).containsExactly(february);
        assertThat(months.windowsFor(february)).isEqualTo(Map.of(february, new TimeWindow(february, february + size)));
        assertThat(months.tickFor(february)).isEqualTo(february + size + GRACE.toMillis());
    }

    private static void assertWindow(EventWindows windows, Instant from, Instant to) {
        long start = from.toEpochMilli();
        long end = to.toEpochMilli();
        assertThat(Instant.ofEpochMilli(windows.lastStartOf(start))).isEqualTo(from);
        assertThat(Instant.ofEpochMilli(windows.lastStartOf(end - 1))).isEqualTo(from);
        assertThat(Instant.ofEpochMilli(windows.lastStartOf(end))).isEqualTo(to);
        assertThat(windows.lastStartOf(start - 1)).isLessThan(start);
        assertThat(Instant.ofEpochMilli(windows.endOf(start))).isEqualTo(to);
    }
}
