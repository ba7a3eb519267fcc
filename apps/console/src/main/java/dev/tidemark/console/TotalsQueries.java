package dev.tidemark.console;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What the table {@code totals} says; each query follows an index, whatever the table's size. */
@Component
class TotalsQueries {

    /** The distinct pipelines, one probe of the primary key for each. */
    private static final String PIPELINES = """
            with recursive found as (
                (select pipeline from totals order by pipeline limit 1)
                union all
                select (select pipeline from totals where pipeline > found.pipeline order by pipeline limit 1)
                from found where found.pipeline is not null
            )
            select pipeline from found where pipeline is not null""";

    /** What came after that moment is passed over in an index, and is not read. */
    private static final String NEWEST_THEN = "window_start <= (select window_start from totals"
            + " where pipeline = :pipeline and recorded_at <= :asOf order by window_start desc limit 1)";

    private static final String STARTS = """
            with recursive starts as (
                (select window_start, 1 as number from totals
                 where pipeline = :pipeline order by window_start desc limit 1)
                union all
                select (select window_start from totals
                        where pipeline = :pipeline and window_start < starts.window_start
                        order by window_start desc limit 1), number + 1
                from starts where starts.window_start is not null and number < :windows
            )""";

    private final JdbcClient database;

    TotalsQueries(JdbcClient database) {
        this.database = database;
    }

    /**
     * Which windows are asked for; all but the pipeline and the limit may be null.
     *
     * @param key windows of this key only
     * @param asOf as they were known then
     * @param until windows that start then or earlier
     * @param after with {@code until}: of the windows that start then, those with a greater key
     * @param corrected corrected windows only
     */
    record Question(
            String pipeline, String key, Instant asOf, Instant until, String after, boolean corrected, int limit) {}

    /** What all keys of a window add up to, over all windows with one start. */
    record Sum(Instant start, Instant end, BigDecimal total, long count, long keys, long open) {

        /** A window is final here when none of its keys is open. */
        public boolean isFinal() {
            return open == 0;
        }

        public String status() {
            return isFinal() ? "final" : "provisional";
        }
    }

    List<String> pipelines() {
        return database.sql(PIPELINES).query(String.class).list();
    }

    /** The highest version of each window, newest windows first. */
    List<Total> windows(Question question) {
        List<String> conditions = new ArrayList<>(List.of("pipeline = :pipeline"));
        if (question.key() != null) {
            conditions.add("key = :key");
        }
        if (question.asOf() != null) {
            conditions.add("recorded_at <= :asOf");
            conditions.add(NEWEST_THEN);
        }
        if (question.until() != null) {
            conditions.add("window_start <= :until");
        }
        if (question.after() != null) {
            conditions.add("(window_start < :until or key > :after)");
        }
        if (question.corrected()) {
            conditions.add("version >= 2");
        }
        return database.sql("select distinct on (window_start, key) " + Total.COLUMNS + " from totals where "
                        + String.join(" and ", conditions)
                        + " order by window_start desc, key, version desc limit :limit")
                .param("pipeline", question.pipeline())
                .param("key", question.key())
                .param("asOf", Rows.parameter(question.asOf()))
                .param("until", Rows.parameter(question.until()))
                .param("after", question.after())
                .param("limit", question.limit())
                .query(Total::of)
                .list();
    }

    /** All versions of a window, the oldest first. */
    List<Total> versions(String pipeline, String key, Instant start) {
        return database.sql("select " + Total.COLUMNS + " from totals"
                        + " where pipeline = :pipeline and key = :key and window_start = :start order by version")
                .param("pipeline", pipeline)
                .param("key", key)
                .param("start", Rows.parameter(start))
                .query(Total::of)
                .list();
    }

    /** The late events that a window's corrections are made of, as far as it is their first window. */
    List<ExceptionRow> causes(String pipeline, String key, Instant start, int limit) {
        return database.sql("select * from exceptions where pipeline = :pipeline and key = :key"
                        + " and window_start = :start order by version, source_partition, source_offset limit :limit")
                .param("pipeline", pipeline)
                .param("key", key)
                .param("start", Rows.parameter(start))
                .param("limit", limit)
                .query(ExceptionRow::of)
                .list();
    }

    /** The sums over all keys of the newest windows, the oldest first. */
    List<Sum> newestSums(String pipeline, int windows) {
        List<Sum> sums = new ArrayList<>(database.sql(STARTS + """
                 select starts.window_start, max(window_end) as window_end, sum(total) as total, sum(count) as count, count(*) as keys,
                    count(*) filter (where version = 0) as open
                from starts
                cross join lateral (
                    select distinct on (key) total, count, version, window_end from totals
                    where pipeline = :pipeline and window_start = starts.window_start
                    order by key, version desc) as latest
                group by starts.window_start order by starts.window_start desc""")
                .param("pipeline", pipeline)
                .param("windows", windows)
                .query((row, number) -> new Sum(
                        Rows.instant(row, "window_start"),
                        Rows.instant(row, "window_end"),
                        row.getBigDecimal("total"),
                        row.getLong("count"),
                        row.getLong("keys"),
                        row.getLong("open")))
                .list());
        Collections.reverse(sums);
        return sums;
    }

    /** How many rows the newest windows have, at most so many. */
    int rowsOfNewest(String pipeline, int most) {
        return database.sql("""
                        select count(*) from (
                            select from totals
                            where pipeline = :pipeline and window_start = (
                                select window_start from totals where pipeline = :pipeline
                                order by window_start desc limit 1)
                            limit :most) as newest""")
                .param("pipeline", pipeline)
                .param("most", most)
                .query(Integer.class)
                .single();
    }

    /** When the window that began first was recorded; empty if there is none. */
    Optional<Instant> firstRecorded(String pipeline) {
        return database.sql("select recorded_at from totals where pipeline = :pipeline order by window_start limit 1")
                .param("pipeline", pipeline)
                .query((row, number) -> Rows.instant(row, "recorded_at"))
                .optional();
    }
}
