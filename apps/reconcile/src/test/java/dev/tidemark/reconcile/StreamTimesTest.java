package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Late events wait for ten units of time to become a version together. */
class StreamTimesTest {

    private static final Duration INTERVAL = Duration.ofMillis(10);

    @Test
    void aLateEventMayWaitAsLongAsTheIntervalInWhichItCameIsNotOver() {
        StreamTimes times = new StreamTimes(2, false, INTERVAL);
        times.saw(0, 105, 0);
        times.saw(0, 95, 1); // late, in the interval from 100
        times.saw(0, 112, 2);
        times.saw(0, 90, 3); // late, in the one from 110

        assertThat(times.mayWait(0, 1)).isFalse();
        assertThat(times.mayWait(0, 3)).isTrue();
        times.saw(0, 120, 4);
        assertThat(times.mayWait(0, 3)).isFalse();
        assertThat(times.mayWait(1, 0)).as("nothing is known of this partition").isTrue();
    }

    @Test
    void whereOneClockServesAllPartitionsTheSlowestOneDecides() {
        StreamTimes times = new StreamTimes(2, true, INTERVAL);
        times.saw(0, 105, 0);
        times.saw(0, 125, 1);
        times.saw(0, 95, 2);
        times.saw(1, 115, 0);

        assertThat(times.mayWait(0, 0)).as("before its partition came to 110").isFalse();
        assertThat(times.mayWait(0, 2)).isTrue();
        times.saw(1, 131, 1);
        times.saw(0, 131, 3);
        assertThat(times.mayWait(0, 2)).isFalse();
    }

    @Test
    void nothingWaitsWhereEachLateEventIsAVersionOrTheInputHasEnded() {
        StreamTimes each = new StreamTimes(1, false, Duration.ZERO);
        each.saw(0, 105, 0);
        assertThat(each.mayWait(0, 0)).isFalse();

        StreamTimes ended = new StreamTimes(1, false, INTERVAL);
        ended.saw(0, 105, 0);
        ended.end(0);
        assertThat(ended.mayWait(0, 0)).isFalse();
    }
}
