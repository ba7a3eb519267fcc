package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Windows of a size. Where units do not matter, they are few milliseconds long, so that every case can be tried. */
class EventWindowsTest {

    private static final long FAR = 60;
    private static final long NONE = -1;

    @Test
    void tumblingWindowsAreHalfOpenAndAlignedWithTheEpoch() {
        EventWindows windows = EventWindows.tumbling(Duration.ofMinutes(10), Duration.ofMinutes(5));

        assertThat(windows.lastStartOf(600_000)).isEqualTo(600_000);
        assertThat(windows.lastStartOf(599_999)).isZero();
        assertThat(windows.startsOf(599_999)).containsExactly(0);
        assertThat(windows.endOf(600_000)).isEqualTo(1_200_000);
        assertThat(windows.lastClosed(1_199_999)).isZero();
        assertThat(windows.lastClosed(1_200_000)).isEqualTo(600_000);
        assertThat(windows.tickFor(600_000)).isEqualTo(1_200_000 + 300_000);
    }

    @Test
    void anEventIsInEachHoppingWindowThatReachesOverIt() {
        EventWindows windows = hopping(10, 3, 1);

        assertThat(windows.startsOf(30)).containsExactly(22, 25, 28);
        assertThat(windows.startsOf(31)).containsExactly(22, 25, 28, 31);
        assertThat(windows.startsOf(32)).containsExactly(25, 28, 31);
        assertThat(windows.endOf(22)).isEqualTo(32);
        assertThat(windows.lastClosed(31)).isEqualTo(19);
        assertThat(windows.lastClosed(32)).isEqualTo(22);
    }

    @Test
    void theLastWindowThatReachesOverTheEpochBeginsThereAndEarlierOnesDoNotExist() {
        EventWindows windows = hopping(10, 3, 1);

        assertThat(windows.startsOf(0)).containsExactly(0);
        assertThat(windows.startsOf(1)).containsExactly(0, 1);
        assertThat(windows.startsOf(7)).containsExactly(0, 1, 4, 7);
        assertThat(windows.startsOf(8)).containsExactly(1, 4, 7);
        assertThat(windows.endOf(0)).isEqualTo(8);
        assertThat(windows.lastClosed(7)).isNegative();
        assertThat(windows.lastClosed(8)).isZero();
        assertThat(windows.lastClosed(10)).isZero();
        assertThat(windows.lastClosed(11)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"600, 600", "600, 60", "600, 70", "600, 599", "300, 7"})
    void withoutOffsetTheWindowsAreThoseOfKafka(long size, long advance) {
        EventWindows windows = hopping(size, advance, 0);
        TimeWindows kafkas =
                TimeWindows.ofSizeWithNoGrace(Duration.ofMillis(size)).advanceBy(Duration.ofMillis(advance));
        for (long time = 0; time < 3 * size; time++) {
            assertThat(windows.windowsFor(time)).isEqualTo(kafkas.windowsFor(time));
        }
    }

    @Test
    void everySizeAdvanceAndOffsetAgreesWithAListOfAllWindows() {
        for (int size = 1; size <= 9; size++) {
            for (int advance = 1; advance <= size; advance++) {
                for (int offset = 0; offset < advance; offset++) {
                    EventWindows windows = hopping(size, advance, offset);
                    SortedMap<Long, Long> ends = ends(size, advance, offset);

                    assertThat(windowsOfEachTime(windows)).isEqualTo(windowsOfEachTime(ends));
                    assertThat(lastClosedAtEachTime(windows)).isEqualTo(lastClosedAtEachTime(ends));
                }
            }
        }
    }

    /** The real end of every window by its start, as far as times before {@link #FAR} are concerned. */
    private static SortedMap<Long, Long> ends(long size, long advance, long offset) {
        SortedMap<Long, Long> ends = new TreeMap<>();
        for (long start = offset - 10 * advance; start < FAR; start += advance) {
            ends.put(Math.max(0, start), start + size);
        }
        return ends;
    }

    private static List<String> windowsOfEachTime(EventWindows windows) {
        List<String> all = new ArrayList<>();
        for (long time = 0; time < FAR; time++) {
            String texts = "";
            for (long start : windows.startsOf(time)) {
                texts += start + " to " + windows.endOf(start) + ", ";
            }
            all.add(time + ": " + texts + "last " + windows.lastStartOf(time));
        }
        return all;
    }

    private static List<String> windowsOfEachTime(SortedMap<Long, Long> ends) {
        List<String> all = new ArrayList<>();
        for (long time = 0; time < FAR; time++) {
            String texts = "";
            long last = -1;
            for (long start : ends.keySet()) {
                if (start <= time && time < ends.get(start)) {
                    texts += start + " to " + ends.get(start) + ", ";
                    last = start;
                }
            }
            all.add(time + ": " + texts + "last " + last);
        }
        return all;
    }

    private static List<Long> lastClosedAtEachTime(EventWindows windows) {
        return LongStream.range(-FAR, FAR)
                .map(windows::lastClosed)
                .map(start -> Math.max(NONE, start))
                .boxed()
                .toList();
    }

    private static List<Long> lastClosedAtEachTime(SortedMap<Long, Long> ends) {
        List<Long> all = new ArrayList<>();
        for (long watermark = -FAR; watermark < FAR; watermark++) {
            long closed = NONE;
            for (long start : ends.keySet()) {
                closed = ends.get(start) <= watermark ? start : closed;
            }
            all.add(closed);
        }
        return all;
    }

    @Test
    void aTickClosesForTheOperatorsTheWindowsUpToTheLastClosedOne() {
        EventWindows windows = hopping(10, 3, 1);
        long tick = windows.tickFor(22);

        assertThat(windows.windowsFor(22).get(22L).end() + windows.gracePeriodMs())
                .isEqualTo(tick);
        assertThat(windows.windowsFor(25).get(25L).end() + windows.gracePeriodMs())
                .isGreaterThan(tick);
    }

    private static EventWindows hopping(long size, long advance, long offset) {
        return EventWindows.hopping(
                Duration.ofMillis(size), Duration.ofMillis(advance), Duration.ofMillis(offset), Duration.ofMillis(4));
    }
}
