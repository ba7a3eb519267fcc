package dev.tidemark.console;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What the tables say about the windows of one day. */
@Component
class DayQueries {

    /** Windows are asked for by their start, so one that began before the day is found by how long windows are. */
    private static final String OF_DAY =
            "pipeline = :pipeline and window_start > :earliest and window_start < :end" + " and window_end > :start";

    private final JdbcClient database;

    DayQueries(JdbcClient database) {
        this.database = database;
    }

    /** How a pipeline's windows lie: in which zone, and how long one is. */
    record Windows(ZoneId zone, Duration length) {}

    /**
     * A day of a pipeline, as instants.
     *
     * @param length of the newest window
     * @param longest no less than the length of any window
     */
    record Day(String pipeline, Instant start, Instant end, Duration length, Duration longest) {}

    /**
     * @param open windows without a final
     * @param provisional windows that were provisional before; where none is, open windows have no row
     * @param delay the least time by which stream time was past the end of a window when that closed it, so no less than the
     *     grace; null if none was closed so
     */
    record Counts(long windows, long open, long provisional, Duration delay) {}

    /** A window without a final. */
    record Open(String key, Instant start) {}

    /** @param amount what they add up to, each without its sign */
    record Late(long events, BigDecimal amount) {}

    /** From the newest window; empty if the pipeline has none. */
    Optional<Windows> windows(String pipeline) {
        return database.sql("select zone, window_start, window_end from totals where pipeline = :pipeline"
                        + " order by window_start desc limit 1")
                .param("pipeline", pipeline)
                .query((row, number) -> new Windows(
                        row.getString("zone") == null ? ZoneOffset.UTC : ZoneId.of(row.getString("zone")),
                        Duration.between(Rows.instant(row, "window_start"), Rows.instant(row, "window_end"))))
                .optional();
    }

    Counts counts(Day day) {
        return sql(
                        day,
                        "select count(*) as windows, count(*) filter (where highest = 0) as open,"
                                + " count(*) filter (where lowest = 0) as provisional,"
                                + " ceil(extract(epoch from min(delay)))::bigint as delay from (select"
                                + " max(version) as highest, min(version) as lowest, min(stream_time - window_end)"
                                + " filter (where version = 1 and closed_by = 'watermark') as delay from totals where "
                                + OF_DAY + " group by window_start, key) as latest")
                .query((row, number) -> new Counts(
                        row.getLong("windows"),
                        row.getLong("open"),
                        row.getLong("provisional"),
                        Rows.number(row, "delay") == null ? null : Duration.ofSeconds(row.getLong("delay"))))
                .single();
    }

    List<Open> open(Day day, int limit) {
        return sql(
                        day,
                        "select window_start, key from totals where " + OF_DAY
                                + " group by window_start, key having max(version) = 0 order by window_start, key"
                                + " limit :limit")
                .param("limit", limit)
                .query((row, number) -> new Open(row.getString("key"), Rows.instant(row, "window_start")))
                .list();
    }

    /** What late events have changed. */
    Late corrections(Day day) {
        return sql(
                        day,
                        "select count(*) as events, coalesce(sum(abs(delta)), 0) as amount from totals where " + OF_DAY
                                + " and version >= 2 and reason is distinct from 'recount'")
                .query((row, number) -> new Late(row.getLong("events"), row.getBigDecimal("amount")))
                .single();
    }

    /** What came too late even for a correction. */
    Late tooLate(Day day) {
        return sql(
                        day,
                        "select count(*) as events, coalesce(sum(abs(amount)), 0) as amount from exceptions"
                                + " where pipeline = :pipeline and disposition = 'too-late'"
                                + " and event_time >= :start and event_time < :end")
                .query((row, number) -> new Late(row.getLong("events"), row.getBigDecimal("amount")))
                .single();
    }

    private JdbcClient.StatementSpec sql(Day day, String sql) {
        return database.sql(sql)
                .param("pipeline", day.pipeline())
                .param("start", Rows.parameter(day.start()))
                .param("end", Rows.parameter(day.end()))
                .param("earliest", Rows.parameter(day.start().minus(day.longest())));
    }
}
