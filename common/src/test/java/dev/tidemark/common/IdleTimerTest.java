package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class IdleTimerTest {

    private final IdleTimer timer = new IdleTimer(30_000);

    @Test
    void itTellsTheTimeSinceTheLastEventOnceTheInputIsIdle() {
        timer.start(0);
        assertThat(timer.interval()).isEqualTo(Duration.ofSeconds(1));
        for (int second = 1; second < 30; second++) {
            assertThat(timer.check(second * 1000L)).isZero();
        }
        assertThat(timer.check(30_000)).isEqualTo(30_000);
        assertThat(timer.check(31_000)).isEqualTo(31_000);
    }

    @Test
    void anEventStartsItAnew() {
        timer.start(0);
        timer.check(1_000);
        timer.sawEvent(1_500);
        for (int second = 2; second <= 31; second++) {
            assertThat(timer.check(second * 1000L)).isZero();
        }
        assertThat(timer.check(32_000)).isEqualTo(30_500);
    }

    @Test
    void aGapBetweenChecksDoesNotCount() {
        timer.start(0);
        assertThat(timer.check(3_600_000)).isZero();
        for (int second = 1; second < 29; second++) {
            assertThat(timer.check(3_600_000 + second * 1000L)).isZero();
        }
        assertThat(timer.check(3_600_000 + 29_000)).isEqualTo(30_000);
    }
}
