package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.InputMapping.TimeFormat;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventTimesTest {

    private final EventTimes iso = new EventTimes(TimeFormat.ISO_8601, null);
    private final EventTimes berlin = new EventTimes(TimeFormat.ISO_8601_LOCAL, ZoneId.of("Europe/Berlin"));

    @ParameterizedTest
    @CsvSource({
        "2026-07-01T10:02:00.000Z, 2026-07-01T10:02:00Z",
        "2026-07-01T10:02Z, 2026-07-01T10:02:00Z",
        "2026-07-01t10:02:00z, 2026-07-01T10:02:00Z",
        "2026-07-01T10:02:00+02:00, 2026-07-01T08:02:00Z",
        "2026-07-01T10:02-09:30, 2026-07-01T19:32:00Z",
        "2026-07-01T10:02:00-00:00, 2026-07-01T10:02:00Z",
        "2026-07-01T10:02:00+18:00, 2026-06-30T16:02:00Z",
        "2026-07-01T10:02:00.1Z, 2026-07-01T10:02:00.1Z",
        "2026-07-01T10:02:00.1239Z, 2026-07-01T10:02:00.123Z",
        "2026-07-01T10:02:00.999999999Z, 2026-07-01T10:02:00.999Z",
        "2024-02-29T00:00:00Z, 2024-02-29T00:00:00Z",
        "2000-02-29T00:00:00Z, 2000-02-29T00:00:00Z",
        "1970-01-01T00:00:00Z, 1970-01-01T00:00:00Z",
        "1969-12-31T23:00:00-01:00, 1970-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999Z, 9999-12-31T23:59:59.999Z"
    })
    void aTimeWithOffsetIsAnInstant(String text, Instant instant) {
        assertThat(read(iso, text)).isEqualTo(instant.toEpochMilli());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "yesterday",
                "2026-07-01",
                "2026-07-01T10:02:00",
                "2026-07-01 10:02:00Z",
                "2026-7-1T10:02:00Z",
                "2026-13-01T10:02:00Z",
                "2026-00-01T10:02:00Z",
                "2026-04-31T10:02:00Z",
                "2026-04-00T10:02:00Z",
                "2026-02-29T10:02:00Z",
                "1900-02-29T10:02:00Z",
                "2026-07-01T24:00:00Z",
                "2026-07-01T10:60:00Z",
                "2026-07-01T10:02:60Z",
                "2026-07-01T10:02:00.Z",
                "2026-07-01T10:02:00.1234567890Z",
                "2026-07-01T10:02:00,5Z",
                "2026-07-01T10:02:00+2:00",
                "2026-07-01T10:02:00+0200",
                "2026-07-01T10:02:00+02",
                "2026-07-01T10:02:00+18:01",
                "2026-07-01T10:02:00+10:60",
                "2026-07-01T10:02:00Z ",
                " 2026-07-01T10:02:00Z",
                "2026-07-01T10:02:00ZZ",
                "2026-07-01T10:02:00.1",
                "2026-07-01T10:02:Z",
                "2026-07-01T10:02:0Z",
                "2026-07-01T10:02:",
                "+2026-07-01T10:02:00Z",
                "-2026-07-01T10:02:00Z",
                "12026-07-01T10:02:00Z",
                "２０２６-07-01T10:02:00Z",
                "2026-W27-3T10:02:00Z",
                "2026-07-01T10:02:00[UTC]",
                "2026-07-01T10:02:00+02:00[Europe/Berlin]",
                "1782900120000"
            })
    void whatIsNoTimeWithOffsetIsUnreadable(String text) {
        assertThat(read(iso, text)).isEqualTo(EventTimes.UNREADABLE);
    }

    @ParameterizedTest
    @CsvSource({
        "1969-12-31T23:59:59.9999Z, -2",
        "1970-01-01T00:00:00+00:01, -2",
        "0000-01-01T00:00:00Z, -2",
        "9999-12-31T23:59:59.999-00:01, -3"
    })
    void timesBefore1970AndBeyond9999AreFaults(String text, long fault) {
        assertThat(read(iso, text)).isEqualTo(fault);
    }

    @ParameterizedTest
    @CsvSource({
        "2025-11-24T10:00:00, 2025-11-24T09:00:00Z",
        "2025-11-24 10:00, 2025-11-24T09:00:00Z",
        "2025-07-01 10:00:00.5, 2025-07-01T08:00:00.5Z",
        "2025-03-30T01:59:59.999, 2025-03-30T00:59:59.999Z",
        "2025-03-30T03:00:00, 2025-03-30T01:00:00Z",
        "2025-10-26T02:00:00, 2025-10-26T00:00:00Z",
        "2025-10-26T02:59:59.999, 2025-10-26T00:59:59.999Z",
        "2025-10-26T03:00:00, 2025-10-26T02:00:00Z",
        "1970-01-01T01:00:00, 1970-01-01T00:00:00Z"
    })
    void aLocalTimeIsReadInItsZoneAndTheEarlierOfTwoCounts(String text, Instant instant) {
        assertThat(read(berlin, text)).isEqualTo(instant.toEpochMilli());
    }

    @ParameterizedTest
    @CsvSource({
        "2025-03-30T02:00:00, -4",
        "2025-03-30 02:59:59.999, -4",
        "1970-01-01T00:59:59, -2",
        "2025-11-24T10:00:00Z, -1",
        "2025-11-24T10:00:00+01:00, -1",
        "2025-11-24  10:00:00, -1",
        "2025-11-24, -1"
    })
    void aLocalTimeThatClocksSkippedIsAFault(String text, long fault) {
        assertThat(read(berlin, text)).isEqualTo(fault);
    }

    @ParameterizedTest
    @CsvSource({
        "EPOCH_SECONDS, 0, 0",
        "EPOCH_SECONDS, -0, 0",
        "EPOCH_SECONDS, 1782900120, 1782900120000",
        "EPOCH_SECONDS, 253402300799, 253402300799000",
        "EPOCH_SECONDS, 253402300800, -3",
        "EPOCH_MILLIS, 1782900120001, 1782900120001",
        "EPOCH_MILLIS, 253402300799999, 253402300799999",
        "EPOCH_MILLIS, 253402300800000, -3",
        "EPOCH_MICROS, 1782900120000999, 1782900120000",
        "EPOCH_MICROS, 253402300799999999, 253402300799999",
        "EPOCH_MICROS, 253402300800000000, -3",
        "EPOCH_MICROS, -1, -2",
        "EPOCH_MILLIS, -1, -2",
        "EPOCH_SECONDS, 9223372036854775808, -3",
        "EPOCH_MILLIS, 18446744073709551617, -3",
        "EPOCH_MICROS, 99999999999999999999999999999999, -3",
        "EPOCH_MILLIS, -99999999999999999999999999999999, -2",
        "EPOCH_MILLIS, '', -1",
        "EPOCH_MILLIS, -, -1",
        "EPOCH_MILLIS, 01, -1",
        "EPOCH_MILLIS, -01, -1",
        "EPOCH_MILLIS, +1, -1",
        "EPOCH_MILLIS, 1.0, -1",
        "EPOCH_MILLIS, 1e3, -1",
        "EPOCH_MILLIS, ' 1', -1",
        "EPOCH_MILLIS, 99999999999999999999999999999999x, -1",
        "EPOCH_MILLIS, 2026-07-01T10:02:00Z, -1"
    })
    void epochTimesAreWholeNumbersCutOffAtMilliseconds(TimeFormat format, String text, long time) {
        assertThat(read(new EventTimes(format, null), text)).isEqualTo(time);
    }

    @Test
    void randomTimesAreReadAsJavaTimeDoes() {
        Random random = new Random(3);
        Integer[] seen = {0, 0};
        for (int i = 0; i < 100_000; i++) {
            String text = String.format(
                    Locale.ROOT,
                    "%04d-%02d-%02dT%02d:%02d:%02d.%03d%+03d:%02d",
                    random.nextInt(4) == 0 ? random.nextInt(10_000) : 1965 + random.nextInt(100),
                    random.nextInt(14),
                    random.nextInt(33),
                    random.nextInt(25),
                    random.nextInt(61),
                    random.nextInt(61),
                    random.nextInt(1000),
                    random.nextInt(39) - 19,
                    random.nextInt(60));
            long expected = withJavaTime(text);
            seen[expected >= 0 ? 1 : 0]++;
            assertThat(read(iso, text)).as(text).isEqualTo(expected);
        }
        assertThat(seen).allMatch(count -> count > 5_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Lord_Howe", "UTC"})
    void everyQuarterOfAnHourOfAYearIsReadAsJavaTimeDoes(String id) {
        ZoneId zone = ZoneId.of(id);
        EventTimes times = new EventTimes(TimeFormat.ISO_8601_LOCAL, zone);
        LocalDateTime local = LocalDateTime.of(2025, 1, 1, 0, 0);
        for (int i = 0; i < 366 * 96; i++, local = local.plusMinutes(15)) {
            boolean skipped = zone.getRules().getValidOffsets(local).isEmpty();
            long expected = skipped
                    ? EventTimes.SKIPPED
                    : local.atZone(zone)
                            .withEarlierOffsetAtOverlap()
                            .toInstant()
                            .toEpochMilli();
            assertThat(read(times, local.toString())).as(local.toString()).isEqualTo(expected);
        }
    }

    private static long withJavaTime(String text) {
        try {
            long time = OffsetDateTime.parse(text).toInstant().toEpochMilli();
            long latest = LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_000_000)
                    .toInstant(ZoneOffset.UTC)
                    .toEpochMilli();
            return time < 0 ? EventTimes.BEFORE_1970 : time > latest ? EventTimes.BEYOND_9999 : time;
        } catch (DateTimeException e) {
            return EventTimes.UNREADABLE;
        }
    }

    private static long read(EventTimes times, String text) {
        String padded = "0" + text + "0";
        return times.read(padded.toCharArray(), 1, text.length());
    }
}
