package dev.tidemark.console;

import dev.tidemark.console.DayQueries.Day;
import dev.tidemark.console.Publishable.Check;
import dev.tidemark.console.Publishable.Example;
import dev.tidemark.console.Publishable.Kind;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What the reconcile app has found; nothing where its tables are not installed. */
@Component
class ReconciliationQueries {

    private static final int EXAMPLES = 10;
    /** Of more differences than that a recount writes down some only. */
    private static final int MOST_WRITTEN = 10_000;

    private final JdbcClient database;

    ReconciliationQueries(JdbcClient database) {
        this.database = database;
    }

    /** A recount of a pipeline; see the comments of {@code reconciliation_runs}. */
    record Run(
            String pipeline,
            String subject,
            String outcome,
            String reason,
            Instant fromTime,
            Instant toTime,
            Instant finishedAt,
            long compared,
            long equal,
            long explained,
            long different,
            long missing,
            long unexpected,
            long undecided) {

        /** That nothing differs says nothing where nothing was compared. */
        public boolean isOfNothing() {
            return compared == 0 && outcome.equals("equal");
        }
    }

    /**
     * What a recount says of a day.
     *
     * @param undecided how many of all windows that it looked at were still open
     * @param complete whether all differences that it found are written down
     */
    record Coverage(long undecided, boolean complete) {}

    /** A difference that no later recount has looked at again; see the comments of {@code reconciliation_breaks}. */
    record Break(
            String kind,
            String key,
            Instant windowStart,
            String leftId,
            String rightId,
            Integer publishedVersion,
            BigDecimal publishedTotal,
            Long publishedCount,
            BigDecimal recountedTotal,
            Long recountedCount,
            String explanation,
            Instant foundAt) {}

    /** Whether its tables are there. */
    boolean isInstalled() {
        return Boolean.TRUE.equals(database.sql("select to_regclass('unresolved_breaks') is not null")
                .query(Boolean.class)
                .single());
    }

    /** The newest recount of a pipeline. */
    Optional<Run> lastRun(String pipeline) {
        return database.sql("select * from reconciliation_runs where pipeline = :pipeline"
                        + " order by finished_at desc limit 1")
                .param("pipeline", pipeline)
                .query((row, number) -> new Run(
                        row.getString("pipeline"),
                        row.getString("subject"),
                        row.getString("outcome"),
                        row.getString("reason"),
                        Rows.instant(row, "from_time"),
                        Rows.instant(row, "to_time"),
                        Rows.instant(row, "finished_at"),
                        row.getLong("compared"),
                        row.getLong("equal"),
                        row.getLong("explained"),
                        row.getLong("different"),
                        row.getLong("missing"),
                        row.getLong("unexpected"),
                        row.getLong("undecided")))
                .optional();
    }

    /**
     * Unresolved breaks, the newest first.
     *
     * @param from breaks of windows from then on, and those without a window; null: all
     * @param to breaks of windows before then, and those without a window; null: all
     */
    List<Break> breaks(String pipeline, Instant from, Instant to, int limit) {
        return database.sql("""
                        select * from unresolved_breaks where pipeline = :pipeline
                            and (window_start is null or window_start >= coalesce(:from::timestamptz, '-infinity')
                                and window_start < coalesce(:to::timestamptz, 'infinity'))
                        order by found_at desc, number limit :limit""")
                .param("pipeline", pipeline)
                .param("from", Rows.parameter(from))
                .param("to", Rows.parameter(to))
                .param("limit", limit)
                .query((row, number) -> new Break(
                        row.getString("kind"),
                        row.getString("key"),
                        Rows.instant(row, "window_start"),
                        row.getString("left_id"),
                        row.getString("right_id"),
                        row.getObject("published_version", Integer.class),
                        row.getBigDecimal("published_total"),
                        Rows.number(row, "published_count"),
                        row.getBigDecimal("recounted_total"),
                        Rows.number(row, "recounted_count"),
                        row.getString("explanation"),
                        Rows.instant(row, "found_at")))
                .list();
    }

    /** The newest recount that began after a day was over and looked at all of its windows. */
    Optional<Coverage> coverage(Day day) {
        if (!isInstalled()) {
            return Optional.empty();
        }
        return database.sql("""
                        select undecided, different + missing + unexpected < :most as complete from reconciliation_runs
                        where pipeline = :pipeline and subject = 'totals' and outcome <> 'unknown' and started_at >= :end
                            and (from_time is null or from_time <= :start) and (to_time is null or to_time >= :end)
                        order by finished_at desc limit 1""")
                .param("pipeline", day.pipeline())
                .param("start", Rows.parameter(day.start().minus(day.length())))
                .param("end", Rows.parameter(day.end()))
                .param("most", MOST_WRITTEN)
                .query((row, number) -> new Coverage(row.getLong("undecided"), row.getBoolean("complete")))
                .optional();
    }

    /** Whether nothing unresolved is known of a day. A window that began before it and reaches into it counts, too. */
    Check noBreak(Day day, Optional<Coverage> coverage) {
        if (!isInstalled()) {
            return Check.unknown(Kind.NO_BREAK);
        }
        List<Example> breaks = breaks(day.pipeline(), day.start().minus(day.longest()), day.end(), EXAMPLES).stream()
                .map(found -> new Example(found.kind(), found.key(), found.windowStart()))
                .toList();
        if (breaks.isEmpty() && coverage.isEmpty()) {
            return Check.unknown(Kind.NO_BREAK);
        }
        boolean none = breaks.isEmpty() && coverage.map(Coverage::complete).orElse(true);
        return Check.of(Kind.NO_BREAK, none, breaks.size()).with(breaks);
    }
}
