package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A setting that cannot be is refused in one sentence. */
class TotalsPropertiesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "pipeline=Sales Daily|tidemark.totals.pipeline is Sales Daily; it needs lower-case letters and digits with"
                        + " single hyphens between them, such as sales",
                "pipeline=|tidemark.totals.pipeline is missing; it needs lower-case letters and digits with single"
                        + " hyphens between them, such as sales",
                "window.size=|tidemark.totals.window is missing; it needs a size, such as 10m, or calendar: day with a zone",
                "window.size=10ms|window.size is 10ms, but 1s to 366d is allowed",
                "window.zone=Asia/Tokyo|window.zone is set, but windows of a size are aligned with UTC; use calendar: day"
                        + " or remove the zone",
                "grace=-1s|tidemark.totals.grace is -1s; it needs 0s to 366d",
                "correct-every=500ms|tidemark.totals.correct-every is 500ms; it needs 0s, or 1s to 366d",
                "deduplicate-for=0s|tidemark.totals.deduplicate-for is 0s; it needs 1s to 3660d",
                "slack=0s|tidemark.totals.slack is 0s; it needs 1s to 366d",
                "input.amount-scale=40|amount-scale is 40, but 0 to 18 is allowed",
                "input.topic=sales-dead-letters|tidemark.totals.input.topic is sales-dead-letters; it needs a topic that the"
                        + " pipeline does not write itself",
                "input.topic=sales-lateness|tidemark.totals.input.topic is sales-lateness; it needs a topic that the pipeline"
                        + " does not write itself",
                "topics.partitions=-1|partitions is -1; it needs 0 to 10000",
            })
    void aWrongSettingIsNamedWithWhatIsAllowed(String setting, String sentence) {
        assertThatThrownBy(() -> Totals.settings(setting)).rootCause().hasMessageContaining(sentence);
    }

    @Test
    void theFingerprintChangesWithWhatChangesTheMeaningAndWithNothingElse() {
        String fingerprint = Totals.settings().fingerprint();

        assertThat(fingerprint).matches("[0-9a-f]{8}");
        assertThat(Totals.settings("idle-after=1m", "deduplicate-for=2d", "correct-every=1h", "provisional=false")
                        .fingerprint())
                .isEqualTo(fingerprint);
        assertThat(Totals.settings("grace=6m").fingerprint()).isNotEqualTo(fingerprint);
        assertThat(Totals.settings("window.size=20m").fingerprint()).isNotEqualTo(fingerprint);
        assertThat(Totals.settings("correct-until=8d").fingerprint()).isNotEqualTo(fingerprint);
        assertThat(Totals.settings("input.amount-scale=3").fingerprint()).isNotEqualTo(fingerprint);
        assertThat(Totals.settings("window.size=", "window.calendar=day", "window.zone=UTC")
                        .fingerprint())
                .isNotEqualTo(Totals.settings("window.size=", "window.calendar=day", "window.zone=Asia/Tokyo")
                        .fingerprint());
    }
}
