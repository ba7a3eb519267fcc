package dev.tidemark.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a grace would have meant, and which one to take, by the counts in the table of lateness. */
class LatenessIT {

    private static final int ON_TIME = -1;
    private static final int HOUR = 3600;
    private static final int DAY = 24 * HOUR;
    private static final int LONGEST = 366 * DAY;

    @TempDir
    private static Path directory;

    private static EmbeddedDatabase database;
    private static Sql sql;

    @BeforeAll
    static void start() {
        database = EmbeddedDatabase.start(directory, 0);
        database.migrate();
        sql = new Sql(database.dataSource());
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void empty() {
        sql.execute("truncate lateness");
    }

    @Test
    void everyBinBeginsWhereTheOneBeforeEnds() {
        assertThat(sql.rows("select from_seconds, to_seconds from (select *, lead(from_seconds) over"
                        + " (order by from_seconds) as next from lateness_bins) as bins"
                        + " where to_seconds is distinct from next"))
                .isEmpty();
        assertThat(sql.rows("select to_seconds - from_seconds, min(from_seconds), max(to_seconds), count(*)"
                        + " from lateness_bins group by 1 order by 1"))
                .containsExactly(
                        "1|-1|3600|3601", "60|3600|86400|1380", "3600|86400|31622400|8760", "null|31622400|null|1");
    }

    @Test
    void aGraceIsWorthWhatRequiredLess() {
        count(ON_TIME, 95, "950.00", "950.00");
        count(0, 1, "10.00", "10.00");
        count(5, 2, "-4.00", "16.00");
        count(HOUR, 1, "7.50", "7.50");
        count(DAY, 1, "0.50", "0.50");

        assertThat(whatIf("'0 s', '1 s', '5 s', '6 s', '1 h', '61 min', '1 day', '25 h', '366 days'"))
                .containsExactly(
                        "00:00:00|100|5|0.05|14.00|34.00|0.00",
                        "00:00:01|100|4|0.04|4.00|24.00|0.02",
                        "00:00:05|100|4|0.04|4.00|24.00|0.08",
                        "00:00:06|100|2|0.02|8.00|8.00|0.10",
                        "01:00:00|100|2|0.02|8.00|8.00|60.00",
                        "01:01:00|100|1|0.01|0.50|0.50|61.00",
                        "24:00:00|100|1|0.01|0.50|0.50|1440.00",
                        "25:00:00|100|0|0|0.00|0.00|1500.00",
                        "8784:00:00|100|0|0|0.00|0.00|527040.00");
    }

    @Test
    void everyGraceThatHasAnExactAnswerIsThereOnce() {
        count(ON_TIME, 1, "1.00", "1.00");

        assertThat(sql.value("select count(*), count(distinct grace), min(grace), max(grace),"
                        + " count(*) filter (where grace <= '1 h'), count(*) filter (where grace <= '1 day')"
                        + " from grace_what_if"))
                .isEqualTo("13741|13741|00:00:00|8784:00:00|3601|4981");
    }

    @Test
    void whatCameAfterTheEndOfTheInputIsLateWithEveryGrace() {
        count(ON_TIME, 2, "2.00", "2.00");
        count(LONGEST, 1, "1.00", "1.00");

        assertThat(sql.rows("select distinct events, late_events, late_amount from grace_what_if"))
                .containsExactly("3|1|1.00");
    }

    @Test
    void partitionsAndDaysAddUpAndPipelinesDoNot() {
        count("sales", "2026-07-01", 0, ON_TIME, 3, "3.00", "3.00");
        count("sales", "2026-07-01", 1, 10, 1, "1.00", "1.00");
        count("sales", "2026-07-02", 0, 10, 1, "2.00", "2.00");
        count("sales", "2026-07-03", 1, 20, 1, "4.00", "4.00");
        count("other", "2026-07-01", 0, 10, 1, "8.00", "8.00");

        assertThat(sql.rows("select pipeline, events, late_events, late_amount from grace_what_if"
                        + " where grace = '10 s' order by pipeline"))
                .containsExactly("other|1|1|8.00", "sales|6|3|7.00");
        assertThat(sql.rows("select events, late_events, late_amount"
                        + " from grace_what_if('sales', '2026-07-02', '2026-07-03') where grace = '10 s'"))
                .containsExactly("2|2|6.00");
        assertThat(sql.value("select recommended_grace('sales', 1), recommended_grace('sales', 1, '2026-07-01',"
                        + " '2026-07-02'), recommended_grace('other', 1)"))
                .isEqualTo("00:00:21|00:00:11|00:00:11");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 00:00:00",
        "0.95, 00:00:00", // exactly what is on time without any grace
        "0.950001, 00:00:06",
        "0.97, 00:00:06",
        "0.99, 00:00:06", // two bins end where the share is reached; the shorter grace is enough
        "0.990001, 01:31:00",
        "1, 01:31:00",
        "1.000001, null",
        "99, null",
    })
    void theRecommendedGraceIsTheSmallestThatIsEnough(String share, String grace) {
        count(ON_TIME, 95, "95.00", "95.00");
        count(5, 4, "4.00", "4.00");
        count(7, 0, "0.00", "0.00");
        count(HOUR + 30 * 60, 1, "1.00", "1.00");

        assertThat(sql.value("select recommended_grace('sales', " + share + ")"))
                .isEqualTo(grace);
    }

    @Test
    void whereNoGraceIsEnoughNoneIsRecommended() {
        count(ON_TIME, 98, "98.00", "98.00");
        count(LONGEST, 2, "2.00", "2.00");

        assertThat(sql.value("select recommended_grace('sales', 0.98), recommended_grace('sales', 0.99)"))
                .isEqualTo("00:00:00|null");
    }

    @Test
    void whereNothingIsOnTimeThereIsAnAnswerToo() {
        count(3, 1, "1.00", "1.00");

        assertThat(whatIf("'0 s', '3 s', '4 s'"))
                .containsExactly(
                        "00:00:00|1|1|1|1.00|1.00|0.00",
                        "00:00:03|1|1|1|1.00|1.00|0.05",
                        "00:00:04|1|0|0|0.00|0.00|0.07");
        assertThat(sql.value("select recommended_grace('sales', 0), recommended_grace('sales', 0.5)"))
                .isEqualTo("00:00:00|00:00:04");
    }

    @Test
    void withoutEventsThereIsNoAnswer() {
        assertThat(sql.rows("select * from grace_what_if")).isEmpty();
        assertThat(sql.rows("select * from grace_what_if('sales')")).isEmpty();
        assertThat(sql.rows("select * from arrival_lateness")).isEmpty();
        assertThat(sql.value("select recommended_grace('sales', 0.99)")).isEqualTo("null");
        count(ON_TIME, 1, "1.00", "1.00");
        assertThat(sql.rows("select * from grace_what_if('sales', '2026-08-01', '2026-08-31')"))
                .isEmpty();
    }

    @Test
    void aPercentileOfArrivalIsTheBinThatHoldsIt() {
        arrive("2026-07-01", 0, ON_TIME, 10); // before their event time
        arrive("2026-07-01", 0, 2, 40);
        arrive("2026-07-02", 1, 59, 40);
        arrive("2026-07-02", 1, HOUR, 9);
        arrive("2026-07-02", 1, LONGEST, 1);

        assertThat(sql.rows("select * from arrival_lateness order by percentile"))
                .containsExactly(
                        "sales|50|00:00:02|00:00:03",
                        "sales|90|00:00:59|00:01:00",
                        "sales|95|01:00:00|01:01:00",
                        "sales|99|01:00:00|01:01:00",
                        "sales|99.9|8784:00:00|null",
                        "sales|100|8784:00:00|null");
        assertThat(sql.rows("select * from arrival_lateness('sales', to_day => '2026-07-01') order by percentile"
                        + " limit 2"))
                .containsExactly("50|00:00:02|00:00:03", "90|00:00:02|00:00:03");
    }

    @Test
    void anArrivalBeforeItsEventHasNoLowerBound() {
        arrive("2026-07-01", 0, ON_TIME, 1);

        assertThat(sql.rows("select * from arrival_lateness('sales')"))
                .hasSize(6)
                .allMatch(row -> row.endsWith("|null|00:00:00"));
    }

    @Test
    void countsOnlyMoveForward() {
        count(5, 1, "1.00", "1.00");
        count(5, 3, "3.00", "3.00");
        String newest = sql.value("select *, xmin, ctid from lateness");

        count(5, 1, "1.00", "1.00");
        count(5, 3, "3.00", "3.00");

        assertThat(sql.value("select *, xmin, ctid from lateness")).isEqualTo(newest);
        assertThat(sql.value("select events, amount, arrivals from lateness")).isEqualTo("3|3.00|0");
        sql.execute("update lateness set arrivals = 1");
        assertThat(sql.value("select events, amount, arrivals from lateness")).isEqualTo("3|3.00|1");
    }

    private static List<String> whatIf(String graces) {
        return sql.rows("select grace, events, late_events, late_share, late_amount, late_absolute_amount,"
                + " finals_later_minutes from grace_what_if where pipeline = 'sales' and grace in (" + graces
                + ") order by grace");
    }

    private static void count(int fromSeconds, int events, String amount, String absoluteAmount) {
        count("sales", "2026-07-01", 0, fromSeconds, events, amount, absoluteAmount);
    }

    private static void count(
            String pipeline,
            String day,
            int partition,
            int fromSeconds,
            int events,
            String amount,
            String absoluteAmount) {
        sql.execute("insert into lateness (pipeline, day, partition, from_seconds, events, amount, absolute_amount,"
                + " arrivals) values ('" + pipeline + "', '" + day + "', " + partition + ", " + fromSeconds + ", "
                + events + ", " + amount + ", " + absoluteAmount + ", 0) on conflict (pipeline, day, partition,"
                + " from_seconds) do update set events = excluded.events, amount = excluded.amount, absolute_amount ="
                + " excluded.absolute_amount, arrivals = excluded.arrivals");
    }

    private static void arrive(String day, int partition, int fromSeconds, int arrivals) {
        sql.execute("insert into lateness (pipeline, day, partition, from_seconds, events, amount, absolute_amount,"
                + " arrivals) values ('sales', '" + day + "', " + partition + ", " + fromSeconds + ", 0, 0, 0, "
                + arrivals + ")");
    }
}
