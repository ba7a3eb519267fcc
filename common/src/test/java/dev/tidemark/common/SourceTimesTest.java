package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class SourceTimesTest {

    private static final long UNKNOWN = SourceTimes.UNKNOWN;

    private final SourceTimes sources = new SourceTimes(2, true);
    private long clock = UNKNOWN;

    @Test
    void theClockIsUnknownUntilEverySourcePartitionHasBeenHeardOf() {
        assertThat(event(0, 500)).isEqualTo(UNKNOWN);
        assertThat(event(0, 900)).isEqualTo(UNKNOWN);
        assertThat(event(1, 700)).isEqualTo(700);
    }

    @Test
    void theClockIsTheLeastOfTheSourcePartitions() {
        event(0, 500);
        event(1, 700);

        assertThat(event(0, 600)).isEqualTo(600);
        assertThat(event(0, 800)).isEqualTo(700);
        assertThat(event(1, 650)).isEqualTo(700);
        assertThat(event(1, 750)).isEqualTo(750);
    }

    @Test
    void progressMovesTheClockWithoutAnEvent() {
        event(0, 500);
        event(1, 700);

        assertThat(progress(0, 650, 0, false)).isEqualTo(650);
        assertThat(progress(0, 600, 0, false)).isEqualTo(650);
    }

    @Test
    void anIdleSourcePartitionIsNotWaitedForUntilItHasAnEvent() {
        event(0, 500);
        event(1, 700);

        assertThat(progress(0, 500, 100, false)).isEqualTo(700);
        assertThat(event(1, 900)).isEqualTo(900);
        assertThat(event(0, 550)).isEqualTo(900);
        assertThat(event(1, 1_000)).isEqualTo(900); // held by the first again
        assertThat(event(0, 950)).isEqualTo(950);
    }

    @Test
    void aSourcePartitionThatNeverHadAnEventIsWaitedForUntilItIsIdle() {
        event(0, 500);

        assertThat(progress(1, UNKNOWN, 100, false)).isEqualTo(500);
    }

    @Test
    void whenAllAreIdleTheClockGoesOnFromTheGreatestWithTheTimeOfTheLeastIdle() {
        event(0, 500);
        event(1, 700);

        progress(0, 500, 300, false);
        assertThat(progress(1, 700, 100, false)).isEqualTo(800);
        assertThat(progress(0, 500, 400, false)).isEqualTo(800);
        assertThat(progress(1, 700, 200, false)).isEqualTo(900);
    }

    @Test
    void wallTimeCountsFromTheLastEventAndOnce() {
        event(0, 500);
        progress(1, UNKNOWN, 100, false);
        progress(0, 500, 100, false); // 600

        assertThat(event(0, 510)).isEqualTo(600);
        assertThat(progress(0, 510, 100, false)).isEqualTo(610);
    }

    @Test
    void idlenessThatIsNotRenewedIsDoubtedAndTheWallTimeIsStillCountedOnce() {
        event(0, 500);
        progress(1, UNKNOWN, 1_000, false);
        progress(0, 500, 1_000, false); // 1500

        sources.doubtIdleness(1);
        assertThat(event(1, 800)).isEqualTo(1_500);
        assertThat(progress(1, 800, 100, false)).isEqualTo(1_500); // held by the first
        assertThat(progress(0, 500, 2_000, false)).isEqualTo(1_500); // 800 + 100
        assertThat(progress(1, 800, 900, false)).isEqualTo(1_700);
    }

    @Test
    void whereWallTimeDoesNotCountItStaysAtTheGreatest() {
        SourceTimes stays = new SourceTimes(1, false);
        stays.saw(new Event(new Origin("sales", 0, 0), "e", "A", 500, 0, 0, new byte[0]));
        assertThat(stays.advance(UNKNOWN)).isEqualTo(500);
        stays.saw(new Progress(new Route("sales", 0, 0), UNKNOWN, 1_000, false, 0), 0);
        assertThat(stays.advance(500)).isEqualTo(500);
        stays.saw(new Progress(new Route("sales", 0, 0), UNKNOWN, 0, true, 0), 0);
        stays.saw(new Event(new Origin("sales", 0, 1), "e", "A", 700, 0, 0, new byte[0]));
        assertThat(stays.advance(500)).isEqualTo(700);
    }

    @Test
    void aCompleteSourcePartitionIsNotWaitedFor() {
        event(0, 500);
        event(1, 700);

        assertThat(progress(0, 500, 0, true)).isEqualTo(700);
        assertThat(sources.ended()).isFalse();
        progress(1, 700, 0, true);
        assertThat(sources.ended()).isTrue();
    }

    @Test
    void whatIsCompleteStaysSoWithWallTime() {
        progress(0, 500, 0, true);
        progress(1, 700, 0, true);

        assertThat(progress(0, 500, 100, false)).isEqualTo(700);
        assertThat(sources.ended()).isTrue();
    }

    @Test
    void whatWasStoredHoldsTheClockUntilItIsHeardOfAgain() {
        sources.restore(new Route("sales", 0, 0), 500, false);
        sources.restore(new Route("sales", 1, 1), 700, false);

        assertThat(event(1, 900)).isEqualTo(500);
        assertThat(progress(0, UNKNOWN, 100, false)).isEqualTo(900);
    }

    /** A quiet table says so again and again, and the last of it lies there when the app is started anew. */
    @Test
    void whatWasSaidBeforeTheStartDoesNotSayThatATableHasBeenRead() {
        Route activities = new Route("activities", 0, 0);
        Route table = new Route("customers", 0, 0);
        SourceTimes times = new SourceTimes(2, true, Set.of("customers"), 1_000);
        times.restore(activities, 50, false);
        times.restore(table, 40, false);
        times.saw(new Progress(activities, 90, 0, false, 1_001), 1_001);
        assertThat(times.advance(40)).isEqualTo(40);

        times.saw(new Progress(table, 40, 60_000, false, 999), 1_001);
        assertThat(times.behind()).isTrue();
        assertThat(times.advance(40)).isEqualTo(40);

        times.saw(new Progress(table, 80, 0, false, 1_002), 1_002);
        assertThat(times.behind()).isFalse();
        assertThat(times.advance(40)).isEqualTo(80);
    }

    private long event(int partition, long time) {
        sources.saw(new Event(new Origin("sales", partition, 0), "e", "A", time, 0, 0, new byte[0]));
        clock = sources.advance(clock);
        return clock;
    }

    private long progress(int partition, long streamTime, long idleMillis, boolean ended) {
        sources.saw(new Progress(new Route("sales", partition, partition), streamTime, idleMillis, ended, 0), 0);
        clock = sources.advance(clock);
        return clock;
    }
}
