package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which bin an event falls into, to the millisecond, and what a bin adds up to. */
class LatenessCountsTest {

    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final long SECOND = 1000;
    private static final long WINDOW_END = 20_000 * DAY;

    private final LatenessCounts counts = LatenessCounts.builder().build();

    @ParameterizedTest
    @CsvSource({
        "-1, -1",
        "0, 0",
        "999, 0",
        "1000, 1",
        "3599999, 3599",
        "3600000, 3600",
        "3659999, 3600",
        "3660000, 3660",
        "86399999, 86340",
        "86400000, 86400",
        "89999999, 86400",
        "90000000, 90000",
        "31622399999, 31618800",
        "31622400000, 31622400",
        "31626000000, 31622400",
    })
    void anEventIsInTheBinOfTheTimeBetweenTheEndOfItsWindowAndTheStreamTime(long required, int fromSeconds) {
        note(WINDOW_END - 1, 1, WINDOW_END + required);

        assertThat(required()).containsExactly("19999 " + fromSeconds + ": 1 × 1");
    }

    @Test
    void anEventIsLateForAGraceIfAndOnlyIfItsBinDoesNotBeginBeforeIt() {
        Random random = new Random(7);
        for (int i = 0; i < 100_000; i++) {
            long required = random.nextLong(400 * DAY) >> random.nextInt(36);
            long grace = anyBoundary(random);

            boolean late = required >= grace;
            assertThat(LatenessBin.of(0, required).fromSeconds() * SECOND >= grace)
                    .as("required %d ms, grace %d ms", required, grace)
                    .isEqualTo(late);
        }
    }

    /** A whole second up to an hour, a whole minute up to a day or a whole hour up to 366 days, in milliseconds. */
    private static long anyBoundary(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> random.nextLong(3601) * SECOND;
            case 1 -> random.nextLong(1441) * 60 * SECOND;
            default -> random.nextLong(366 * 24 + 1) * 3600 * SECOND;
        };
    }

    @Test
    void theFirstEventIsOnTime() {
        note(0, 1, -1);

        assertThat(required()).containsExactly("0 -1: 1 × 1");
    }

    @Test
    void afterTheEndOfTheInputNoGraceIsEnough() {
        note(WINDOW_END - 1, 1, Long.MAX_VALUE);

        assertThat(required()).containsExactly("19999 31622400: 1 × 1");
    }

    @ParameterizedTest
    @CsvSource({"-1, -1", "0, 0", "999, 0", "1000, 1", "5000, 5"})
    void anArrivalIsInTheBinOfTheTimeSinceTheEvent(long delay, int fromSeconds) {
        counts.note(event(WINDOW_END - 1, WINDOW_END - 1 + delay, 1), -1, WINDOW_END);

        List<String> arrivals = new ArrayList<>();
        counts.drain((bin, row) -> {
            if (row.arrivals() > 0) {
                arrivals.add(bin.fromSeconds() + ": " + row.arrivals());
            }
        });
        assertThat(arrivals).containsExactly(fromSeconds + ": 1");
    }

    @Test
    void theDayIsThatOfTheEventInUtc() {
        note(WINDOW_END - DAY, 1, WINDOW_END);
        note(WINDOW_END - DAY - 1, 2, WINDOW_END);

        assertThat(required()).containsExactly("19998 0: 1 × 2", "19999 0: 1 × 1");
    }

    @Test
    void amountsAddUpExactlyWithAndWithoutTheirSigns() {
        note(WINDOW_END - 1, Long.MIN_VALUE, WINDOW_END);
        note(WINDOW_END - 2, Long.MIN_VALUE, WINDOW_END);
        note(WINDOW_END - 3, 7, WINDOW_END);

        List<BigDecimal> amounts = new ArrayList<>();
        counts.drain((bin, row) -> {
            amounts.add(row.amount().toDecimal(0));
            amounts.add(row.absoluteAmount().toDecimal(0));
        });
        assertThat(amounts)
                .containsExactly(new BigDecimal("-18446744073709551609"), new BigDecimal("18446744073709551623"));
    }

    @Test
    void whatWasHandedOverIsForgotten() {
        note(WINDOW_END - 1, 1, WINDOW_END);

        assertThat(required()).hasSize(1);
        assertThat(required()).isEmpty();
    }

    private void note(long time, long amount, long streamTime) {
        counts.note(event(time, time, amount), streamTime, WINDOW_END);
    }

    private static Event event(long time, long arrival, long amount) {
        return new Event(new Origin("sales", 0, 0), "e1", "A", time, arrival, amount, new byte[0]);
    }

    /** What is handed over about required grace, in the order in which it is. */
    private List<String> required() {
        List<String> rows = new ArrayList<>();
        counts.drain((bin, row) -> {
            if (row.events() > 0) {
                rows.add("%d %d: %d × %s"
                        .formatted(
                                bin.day(),
                                bin.fromSeconds(),
                                row.events(),
                                row.amount().toDecimal(0)));
            }
        });
        return rows;
    }
}
