package dev.tidemark.common;

import dev.tidemark.common.InputMapping.TimeFormat;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;

/**
 * Reads event times of one format as epoch milliseconds from 1970 to 9999; anything finer is cut off towards the past.
 *
 * <p>ISO 8601 means {@code yyyy-MM-ddTHH:mm[:ss[.f]]} with one to nine digits of fraction, followed by Z or ±hh:mm up
 * to 18:00; T and Z may be in lower case, as RFC 3339 allows. There is no 24:00 and no leap second. A local time that
 * occurs twice, because clocks were put back, means the earlier instant; one that clocks skipped is a fault.
 * Immutable and thread-safe.
 */
final class EventTimes {

    static final long UNREADABLE = -1;
    static final long BEFORE_1970 = -2;
    static final long BEYOND_9999 = -3;
    static final long SKIPPED = -4;

    /** The last millisecond of the year 9999. */
    static final long LATEST = 253_402_300_799_999L;

    private static final int SHORTEST = "2026-07-01T10:02".length();
    private static final int NONE = Integer.MIN_VALUE;
    private static final int MINUTES_OF_DAY = 24 * 60;
    private static final int MAX_OFFSET_MINUTES = 18 * 60;
    private static final int[] DAYS_OF_MONTH = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    private static final int[] DAYS_BEFORE_MONTH = {0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    private static final long DAYS_BEFORE_1970 = daysBeforeYear(1970);

    private final TimeFormat format;
    private final ZoneId zone;
    private final ZoneRules rules;

    EventTimes(TimeFormat format, ZoneId zone) {
        this.format = format;
        this.zone = zone;
        this.rules = zone == null ? null : zone.getRules();
    }

    /** Whether a JSON number can be an event time, too. */
    boolean acceptsNumbers() {
        return format != TimeFormat.ISO_8601 && format != TimeFormat.ISO_8601_LOCAL;
    }

    /** Epoch milliseconds, or one of the faults, which are negative. */
    long read(char[] text, int from, int length) {
        long time =
                switch (format) {
                    case ISO_8601 -> iso(text, from, length, false);
                    case ISO_8601_LOCAL -> iso(text, from, length, true);
                    case EPOCH_SECONDS -> epoch(text, from, length, 1000, 1);
                    case EPOCH_MILLIS -> epoch(text, from, length, 1, 1);
                    case EPOCH_MICROS -> epoch(text, from, length, 1, 1000);
                };
        return time > LATEST ? BEYOND_9999 : time;
    }

    /** What a fault means, as the end of a sentence. */
    String explain(long fault) {
        if (fault == BEFORE_1970) {
            return "which is before 1970";
        }
        if (fault == BEYOND_9999) {
            return "which is beyond the year 9999";
        }
        if (fault == SKIPPED) {
            return "which did not exist in " + zone + " because clocks were put forward";
        }
        return switch (format) {
            case ISO_8601 -> "but a time with offset such as 2026-07-01T10:02:00Z is expected";
            case ISO_8601_LOCAL -> "but a time without offset such as 2026-07-01T10:02:00 is expected";
            case EPOCH_SECONDS -> "but a whole number of seconds since 1970 is expected";
            case EPOCH_MILLIS -> "but a whole number of milliseconds since 1970 is expected";
            case EPOCH_MICROS -> "but a whole number of microseconds since 1970 is expected";
        };
    }

    private long iso(char[] c, int from, int length, boolean local) {
        if (length < SHORTEST) {
            return UNREADABLE;
        }
        int end = from + length;
        int zoneStart = local ? end : isEither(c[end - 1], 'Z', 'z') ? end - 1 : end - "+hh:mm".length();
        long day = epochDay(c, from);
        boolean separated = isEither(c[from + 10], 'T', 't') || (local && c[from + 10] == ' ');
        int minute = minuteOfDay(c, from + 11);
        int millis = millisOfMinute(c, from + SHORTEST, zoneStart);
        int offset = local || zoneStart == end - 1 ? 0 : offsetMinutes(c, zoneStart);
        if (day == NONE || !separated || minute == NONE || millis == NONE || offset == NONE) {
            return UNREADABLE;
        }
        long seconds = (day * MINUTES_OF_DAY + minute - offset) * 60;
        return local ? atZone(seconds, millis) : sinceEpoch(seconds, millis);
    }

    private static long epochDay(char[] c, int i) {
        int year = twoDigits(c, i) * 100 + twoDigits(c, i + 2);
        int month = twoDigits(c, i + 5);
        int day = twoDigits(c, i + 8);
        if (year < 0 || c[i + 4] != '-' || month < 1 || month > 12 || c[i + 7] != '-' || day < 1) {
            return NONE;
        }
        if (day > DAYS_OF_MONTH[month] + (month == 2 && isLeap(year) ? 1 : 0)) {
            return NONE;
        }
        int leapDay = month > 2 && isLeap(year) ? 1 : 0;
        return daysBeforeYear(year) - DAYS_BEFORE_1970 + DAYS_BEFORE_MONTH[month] + leapDay + day - 1;
    }

    private static int minuteOfDay(char[] c, int i) {
        int hour = twoDigits(c, i);
        int minute = twoDigits(c, i + 3);
        boolean valid = hour >= 0 && hour <= 23 && c[i + 2] == ':' && minute >= 0 && minute <= 59;
        return valid ? hour * 60 + minute : NONE;
    }

    /** What lies between the minutes and the zone: nothing, seconds, or seconds with a fraction. */
    private static int millisOfMinute(char[] c, int i, int end) {
        if (i == end) {
            return 0;
        }
        if (end - i < 3 || c[i] != ':') {
            return NONE;
        }
        int second = twoDigits(c, i + 1);
        if (second < 0 || second > 59) {
            return NONE;
        }
        int millis = second * 1000;
        if (i + 3 == end) {
            return millis;
        }
        int digits = end - i - 4;
        if (c[i + 3] != '.' || digits < 1 || digits > 9) {
            return NONE;
        }
        int unit = 100;
        for (int k = i + 4; k < end; k++, unit /= 10) {
            if (c[k] < '0' || c[k] > '9') {
                return NONE;
            }
            millis += (c[k] - '0') * unit;
        }
        return millis;
    }

    private static int offsetMinutes(char[] c, int i) {
        int hours = twoDigits(c, i + 1);
        int minutes = twoDigits(c, i + 4);
        int offset = hours * 60 + minutes;
        boolean valid = isEither(c[i], '+', '-')
                && hours >= 0
                && c[i + 3] == ':'
                && minutes >= 0
                && minutes <= 59
                && offset <= MAX_OFFSET_MINUTES;
        return !valid ? NONE : c[i] == '+' ? offset : -offset;
    }

    private long atZone(long localSeconds, int millis) {
        LocalDateTime local = LocalDateTime.ofEpochSecond(localSeconds, 0, ZoneOffset.UTC);
        ZoneOffsetTransition transition = rules.getTransition(local);
        if (transition != null && transition.isGap()) {
            return SKIPPED;
        }
        ZoneOffset offset = transition != null ? transition.getOffsetBefore() : rules.getOffset(local);
        return sinceEpoch(localSeconds - offset.getTotalSeconds(), millis);
    }

    private static long sinceEpoch(long seconds, int millis) {
        return seconds < 0 ? BEFORE_1970 : seconds * 1000 + millis;
    }

    private static long epoch(char[] c, int from, int length, int multiplier, int divisor) {
        int end = from + length;
        boolean negative = length > 0 && c[from] == '-';
        int first = negative ? from + 1 : from;
        if (first == end || (c[first] == '0' && first + 1 < end)) {
            return UNREADABLE;
        }
        // Saturates far beyond the year 9999 in every unit, and far below an overflow.
        long number = 0;
        for (int i = first; i < end; i++) {
            if (c[i] < '0' || c[i] > '9') {
                return UNREADABLE;
            }
            number = Math.min(number * 10 + (c[i] - '0'), LATEST * 1001);
        }
        if (negative && number > 0) {
            return BEFORE_1970;
        }
        return number / divisor > LATEST / multiplier ? LATEST + 1 : number * multiplier / divisor;
    }

    private static boolean isEither(char c, char one, char other) {
        return c == one || c == other;
    }

    /** A number from 0 to 99, or one so far below zero that no sum with valid ones is above. */
    private static int twoDigits(char[] c, int i) {
        int tens = c[i] - '0';
        int ones = c[i + 1] - '0';
        return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -100_000;
    }

    private static boolean isLeap(int year) {
        return (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0);
    }

    private static long daysBeforeYear(int year) {
        int leapYears = (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
        return year * 365L + leapYears;
    }
}
