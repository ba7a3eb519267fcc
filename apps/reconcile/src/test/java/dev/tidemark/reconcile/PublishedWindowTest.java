package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.reconcile.PublishedWindow.Version;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;

/** Versions of a window follow one another. */
class PublishedWindowTest {

    @Test
    void eachGoesOnFromTheOneBefore() {
        assertThat(flaw(version(0, "9", null, 9), version(1, "3", null, 2), version(2, "4", "3", 3)))
                .isNull();
        assertThat(flaw(version(1, "3", null, 2), version(3, "5", "4", 4))).isEqualTo("version 2 is not there");
        assertThat(flaw(version(1, "3", null, 2), version(2, "4", "3.5", 3)))
                .isEqualTo("version 2 does not go on from version 1");
        assertThat(flaw(version(1, "3", null, 2), version(3, "5", "4", 4), version(4, "6", "5", 5)))
                .isEqualTo("version 2 is not there");
    }

    @Test
    void onlyAWindowWhoseEventsWereAllLateStartsWithVersionTwo() {
        assertThat(flaw(version(2, "4", "0", 3, 3L))).isNull();
        assertThat(flaw(version(2, "4", "0", 3, 1L))).isEqualTo("version 1 is not there");
        assertThat(flaw(version(2, "4", "3", 3, 3L))).isEqualTo("version 1 is not there");
        assertThat(flaw(version(3, "4", "0", 3, 3L))).isEqualTo("version 2 is not there");
    }

    @Test
    void aRecountThatHasChangedNothingAnswersForWhatIsWrongBeforeIt() {
        Version first = version(1, "3", null, 2);
        Version third = version(3, "5", "4", 4);
        assertThat(flaw(first, recounted(3, "4", "4"))).isNull();
        assertThat(flaw(version(1, "9", null, 2), recounted(2, "3", "3"))).isNull();
        assertThat(flaw(recounted(2, "3", "3"))).isNull();
        assertThat(flaw(first, third, recounted(4, "5", "5"), version(5, "6", "5", 5)))
                .isNull();
        assertThat(flaw(first, recounted(2, "3", "3"), version(4, "5", "4", 4))).isEqualTo("version 3 is not there");
        assertThat(flaw(first, recounted(3, "4", "5"))).isEqualTo("version 2 is not there");
        assertThat(flaw(first, recounted(2, "4", "5"))).isEqualTo("version 2 does not go on from version 1");
    }

    private static String flaw(Version... versions) {
        PublishedWindow window = PublishedWindow.of(versions[0]);
        for (int i = 1; i < versions.length; i++) {
            window = window.then(versions[i]);
        }
        assertThat(window.version()).isEqualTo(versions[versions.length - 1].version());
        return window.flaw();
    }

    private static Version version(int number, String total, String previous, long count) {
        return version(number, total, previous, count, number < 2 ? null : 1L);
    }

    private static Version version(int number, String total, String previous, long count, Long causes) {
        return version(number, total, previous, count, causes, number < 2 ? null : "late");
    }

    private static Version recounted(int number, String total, String previous) {
        return version(number, total, previous, 3, null, "recount");
    }

    private static Version version(int number, String total, String previous, long count, Long causes, String reason) {
        return new Version(
                new WindowKey("A", 0),
                10,
                number,
                new BigDecimal(total),
                count,
                BigDecimal.ONE,
                BigDecimal.ONE,
                "s",
                previous == null ? null : new BigDecimal(previous),
                causes,
                reason);
    }
}
