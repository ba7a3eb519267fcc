package dev.tidemark.console;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What the table {@code pairs} says about a span of event time. */
@Component
class PairsQueries implements DisposableBean {

    private static final String PIPELINES = """
            with recursive found as (
                (select pipeline from pairs order by pipeline limit 1)
                union all
                select (select pipeline from pairs where pipeline > found.pipeline order by pipeline limit 1)
                from found where found.pipeline is not null
            )
            select pipeline from found where pipeline is not null""";

    /** Rows are counted step by step from the indexes of times, which is faster than to group them. */
    private static final String MATCHED = """
            select start,
                (select count(*) from pairs where pipeline = :pipeline
                    and event_time >= start and event_time < start + :step::interval)
                - (select count(*) from pairs where pipeline = :pipeline and status <> 'matched'
                    and event_time >= start and event_time < start + :step::interval) as matched,
                0 as lefts, 0 as rights
            from generate_series(:from::timestamptz, :to::timestamptz - :step::interval, :step::interval) as start
            order by start""";

    /**
     * Of the rows that are not matched, the ones are left out that a late match has made obsolete, as in {@code
     * pairs_current}; those matches have a version above 1, and the times of both.
     */
    private static final String ALONE = """
            with alone as (
                select event_time, status from pairs
                where pipeline = :pipeline and status <> 'matched' and status = 'left-unmatched'
                    and event_time >= :from and event_time < :to
                    and not exists (
                        select from pairs match
                        where match.pipeline = :pipeline and match.version > 1
                            and match.event_time >= :from and match.event_time < :to
                            and (match.key, match.left_id) = (pairs.key, pairs.left_id))
                union all
                select event_time, status from pairs
                where pipeline = :pipeline and status <> 'matched' and status = 'right-unmatched'
                    and event_time >= :from and event_time < :to
                    and not exists (
                        select from pairs match
                        where match.pipeline = :pipeline and match.version > 1
                            and match.right_time >= :from and match.right_time < :to
                            and (match.key, match.right_id) = (pairs.key, pairs.right_id))
            )
            select date_bin(:step::interval, event_time, :from) as start, 0 as matched,
                count(*) filter (where status = 'left-unmatched') as lefts,
                count(*) filter (where status = 'right-unmatched') as rights
            from alone group by 1""";

    private static final int AT_ONCE = 4;

    private final JdbcClient database;
    private final ExecutorService counting = Executors.newFixedThreadPool(AT_ONCE, task -> {
        Thread thread = new Thread(task, "count-pairs");
        thread.setDaemon(true);
        return thread;
    });

    PairsQueries(JdbcClient database) {
        this.database = database;
    }

    /** How many pairs, and how many events without one, began in a span of event time. */
    record Share(Instant start, long matched, long left, long right) {

        static final Share NONE = new Share(null, 0, 0, 0);

        /** Both together, from the start of this one. */
        Share plus(Share other) {
            return new Share(start, matched + other.matched, left + other.left, right + other.right);
        }

        public long all() {
            return matched + left + right;
        }
    }

    /** An event that has no partner. */
    record Alone(String key, String eventId, String status, String reason, Instant time, Instant recordedAt) {}

    List<String> pipelines() {
        return database.sql(PIPELINES).query(String.class).list();
    }

    /** The greatest event time of a pipeline; empty if it has no rows. */
    Optional<Instant> newest(String pipeline) {
        return database.sql("select event_time from pairs where pipeline = :pipeline order by event_time desc limit 1")
                .param("pipeline", pipeline)
                .query((row, number) -> Rows.instant(row, "event_time"))
                .optional();
    }

    /**
     * The shares of all steps from one time to another, also of those in which nothing happened. Those with a partner, of
     * which there may be hundreds of thousands, are counted at the same time as those without, but each as of its own moment:
     * a late match that is written just then may be in one count only, until the page asks again.
     */
    List<Share> shares(String pipeline, Instant from, Instant to, Duration step) {
        CompletableFuture<List<Share>> matched =
                CompletableFuture.supplyAsync(() -> counted(MATCHED, pipeline, from, to, step), counting);
        Map<Instant, Share> alone = counted(ALONE, pipeline, from, to, step).stream()
                .collect(Collectors.toMap(Share::start, share -> share));
        return matched.join().stream()
                .map(share -> share.plus(alone.getOrDefault(share.start(), Share.NONE)))
                .toList();
    }

    private List<Share> counted(String query, String pipeline, Instant from, Instant to, Duration step) {
        return database.sql(query)
                .param("pipeline", pipeline)
                .param("from", Rows.parameter(from))
                .param("to", Rows.parameter(to))
                .param("step", step.toSeconds() + " seconds")
                .query((row, number) -> new Share(
                        Rows.instant(row, "start"),
                        row.getLong("matched"),
                        row.getLong("lefts"),
                        row.getLong("rights")))
                .list();
    }

    /** The newest events that stayed alone. */
    List<Alone> alone(String pipeline, Instant from, Instant to, int limit) {
        return database.sql("""
                        select key, left_id || right_id as event_id, status, reason, event_time, recorded_at
                        from pairs_current
                        where pipeline = :pipeline and status <> 'matched' and event_time >= :from and event_time < :to
                        order by event_time desc limit :limit""")
                .param("pipeline", pipeline)
                .param("from", Rows.parameter(from))
                .param("to", Rows.parameter(to))
                .param("limit", limit)
                .query((row, number) -> new Alone(
                        row.getString("key"),
                        row.getString("event_id"),
                        row.getString("status"),
                        row.getString("reason"),
                        Rows.instant(row, "event_time"),
                        Rows.instant(row, "recorded_at")))
                .list();
    }

    @Override
    public void destroy() {
        counting.shutdownNow();
    }
}
