package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.common.WindowSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which windows can be set, and what state remembers of them. Settings are written as in YAML, without the braces. */
class WindowSettingsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "size: 10m                                             | 10m",
                "calendar: day, zone: Europe/Berlin                    | day in Europe/Berlin",
                "size: 1h, advance: 10m                                | 1h advance 10m",
                "size: 1d, offset: 4h                                  | 1d offset 4h",
                "size: 1h, advance: 10m, offset: 5m                    | 1h advance 10m offset 5m",
                "calendar: hour, zone: Asia/Kolkata                    | hour in Asia/Kolkata",
                "calendar: day, zone: Asia/Tokyo, offset: 4h           | day in Asia/Tokyo offset 4h",
                "calendar: week, zone: UTC                             | week in UTC",
                "calendar: week, zone: UTC, week-starts: sunday        | week in UTC week-starts sunday",
                "calendar: week, zone: UTC, week-starts: sunday, offset: 90m"
                        + "                                            | week in UTC week-starts sunday offset 90m",
                "calendar: month, zone: UTC                            | month in UTC",
                "calendar: month, zone: UTC, offset: 4h                | month in UTC offset 4h",
            })
    void stateRemembersWhatIsSet(String window, String text) {
        assertThat(settings(window)).hasToString(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "size: 10m, advance: 10m, offset: 0s                   | size: 10m",
                "size: 60m                                             | size: 1h",
                "calendar: day, zone: UTC, offset: 0s                  | calendar: day, zone: UTC",
                "calendar: week, zone: UTC, week-starts: monday        | calendar: week, zone: UTC",
            })
    void whatIsSetToItsDefaultIsNotRemembered(String window, String same) {
        assertThat(settings(window))
                .isEqualTo(settings(same))
                .hasToString(settings(same).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"size: 1d, advance: 1m", "size: 1m, advance: 1s", "size: 366d", "size: 1s"})
    void theLimitsThemselvesAreAllowed(String window) {
        assertThat(settings(window)).isNotNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "size: 10m, calendar: day, zone: UTC"
                        + "|window needs either a size, such as 10m, or calendar: day with a zone",
                "zone: UTC|window needs either a size, such as 10m, or calendar: day with a zone",
                "size: 367d|window.size is 367d, but 1s to 366d is allowed",
                "size: 10m, zone: UTC|window.zone is set, but windows of a size are aligned with UTC; use calendar: day or"
                        + " remove the zone",
                "size: 10m, week-starts: sunday|window.week-starts is set, but only weeks have a first day; use calendar:"
                        + " week or remove it",
                "calendar: day, zone: UTC, week-starts: sunday|window.week-starts is set, but only weeks have a first day;"
                        + " use calendar: week or remove it",
                "size: 10m, advance: 11m|window.advance is 11m, but 1s to 10m is allowed: at most the size, and at"
                        + " most 1440 windows for an event",
                "size: 10m, advance: 0s|window.advance is 0s, but 1s to 10m is allowed: at most the size, and at"
                        + " most 1440 windows for an event",
                "size: 2d, advance: 119s|window.advance is 119s, but 2m to 2d is allowed: at most the size, and at"
                        + " most 1440 windows for an event",
                "size: 10m, offset: 10m|window.offset is 10m, but 0s to less than 10m, the size, is allowed",
                "size: 1h, advance: 10m, offset: 10m|window.offset is 10m, but 0s to less than 10m, the advance, is allowed",
                "size: 10m, offset: -1s|window.offset is -1s, but 0s to less than 10m, the size, is allowed",
                "calendar: day|window.zone is missing; a calendar needs one, such as UTC or Asia/Tokyo",
                "calendar: day, zone: UTC, advance: 1h|window.advance is set, but only windows of a size overlap; use a"
                        + " size or remove the advance",
                "calendar: day, zone: UTC, offset: 24h|window.offset is 1d, but 0s to less than 1d is allowed",
                "calendar: month, zone: UTC, offset: -4h|window.offset is -4h, but 0s to less than 1d is allowed",
                "calendar: hour, zone: UTC, offset: 30m|window.offset is set, but hours begin when the clock shows a full"
                        + " hour; use a size or remove the offset",
            })
    void aCombinationThatCannotBeIsRefusedInOneSentence(String window, String sentence) {
        assertThatThrownBy(() -> settings(window)).rootCause().hasMessage("tidemark.totals." + sentence);
    }

    @Test
    void theTextOfPipelinesThatExistDoesNotChange() {
        assertThat(Totals.settings().meaning())
                .hasToString(
                        "{window=10m, grace=5m, correct-until=7d, amount-scale=2, key=[/store_id], amount=[/amount],"
                                + " event-id=/event_id, event-time=/event_time as iso-8601}");
    }

    private static WindowSettings settings(String window) {
        String[] settings = ("size:, " + window).split(", ");
        for (int i = 0; i < settings.length; i++) {
            settings[i] = "window." + settings[i].replaceFirst(": ?", "=");
        }
        return Totals.settings(settings).window();
    }
}
