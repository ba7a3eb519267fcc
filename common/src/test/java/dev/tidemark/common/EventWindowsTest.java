package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventWindowsTest {

    @Test
    void tumblingWindowsAreHalfOpenAndAlignedWithTheEpoch() {
        EventWindows windows = EventWindows.tumbling(Duration.ofMinutes(10), Duration.ofMinutes(5));

        assertThat(windows.lastStartOf(600_000)).isEqualTo(600_000);
        assertThat(windows.lastStartOf(599_999)).isZero();
        assertThat(windows.endOf(600_000)).isEqualTo(1_200_000);
        assertThat(windows.lastClosed(1_199_999)).isZero();
        assertThat(windows.lastClosed(1_200_000)).isEqualTo(600_000);
        assertThat(windows.tickFor(600_000)).isEqualTo(1_200_000 + 300_000);
    }

    @ParameterizedTest
    @CsvSource({
        // 23 and 25 hours
        "Europe/Berlin, 2025-03-30T12:00:00Z, 2025-03-29T23:00:00Z, 2025-03-30T22:00:00Z",
        "Europe/Berlin, 2025-10-26T00:30:00Z, 2025-10-25T22:00:00Z, 2025-10-26T23:00:00Z",
        "Europe/Berlin, 2025-10-26T01:30:00Z, 2025-10-25T22:00:00Z, 2025-10-26T23:00:00Z",
        // half an hour
        "Asia/Kolkata, 2025-01-01T18:29:59.999Z, 2024-12-31T18:30:00Z, 2025-01-01T18:30:00Z",
        // midnight does not exist
        "America/Sao_Paulo, 2018-11-04T12:00:00Z, 2018-11-04T03:00:00Z, 2018-11-05T02:00:00Z",
        // midnight comes twice, and between them a minute of the new day
        "America/St_Johns, 2010-11-07T02:30:30Z, 2010-11-07T02:30:00Z, 2010-11-08T03:30:00Z",
        "America/St_Johns, 2010-11-07T02:45:00Z, 2010-11-07T02:30:00Z, 2010-11-08T03:30:00Z",
        "America/St_Johns, 2010-11-07T02:29:59Z, 2010-11-06T02:30:00Z, 2010-11-07T02:30:00Z",
        // the 30th was left out
        "Pacific/Apia, 2011-12-30T09:59:59Z, 2011-12-29T10:00:00Z, 2011-12-30T10:00:00Z",
        "Pacific/Apia, 2011-12-30T10:00:00Z, 2011-12-30T10:00:00Z, 2011-12-31T10:00:00Z",
    })
    void aDayGoesFromMidnightToMidnightInItsZone(String zone, Instant time, Instant start, Instant end) {
        EventWindows days = EventWindows.days(ZoneId.of(zone), Duration.ZERO);

        assertThat(Instant.ofEpochMilli(days.lastStartOf(time.toEpochMilli()))).isEqualTo(start);
        assertThat(Instant.ofEpochMilli(days.endOf(start.toEpochMilli()))).isEqualTo(end);
    }

    @ParameterizedTest
    @CsvSource({"Europe/Berlin", "America/St_Johns", "America/Sao_Paulo", "Pacific/Apia", "Asia/Kolkata", "UTC"})
    void daysFollowOneAnotherWithoutGapAndCloseInOrder(String zone) {
        EventWindows days = EventWindows.days(ZoneId.of(zone), Duration.ofMinutes(5));
        long start = days.lastStartOf(Instant.parse("2009-12-31T12:00:00Z").toEpochMilli());
        for (int day = 0; day < 4000; day++) {
            long end = days.endOf(start);
            assertThat(days.lastStartOf(end - 1)).isEqualTo(start);
            assertThat(days.lastStartOf(end)).isEqualTo(end);
            assertThat(end - start).isLessThanOrEqualTo(days.size());
            assertThat(days.lastClosed(end)).isEqualTo(start);
            assertThat(days.lastClosed(end - 1)).isLessThan(start);
            assertThat(days.tickFor(end)).isGreaterThan(days.tickFor(start));
            start = end;
        }
    }
}
