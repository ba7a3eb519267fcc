package dev.tidemark.reconcile;

import dev.tidemark.reconcile.Pair.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.function.Function;
import java.util.stream.Stream;

/** What PostgreSQL has of a pairs pipeline: the current rows of a span, read as a stream. */
final class PublishedPairs {

    private static final int ROWS_AT_ONCE = 2_000;

    private static final String CURRENT = """
            select key, left_id, right_id, version,
                   (extract(epoch from left_time) * 1000)::bigint as left_time,
                   (extract(epoch from right_time) * 1000)::bigint as right_time
            from pairs_current
            where pipeline = :pipeline and event_time >= :from and event_time < :to
            order by key collate "C", left_id collate "C", right_id collate "C\"""";

    private final Surroundings surroundings;
    private final String pipeline;

    PublishedPairs(Surroundings surroundings, String pipeline) {
        this.surroundings = surroundings;
        this.pipeline = pipeline;
    }

    /** A current row. */
    record Row(Pair pair, Times times, int version) {}

    /** Hands over the rows of the span, in the order of {@link Pair}. */
    <T> T rows(Span span, Function<Iterator<Row>, T> reader) {
        // PostgreSQL hands out rows bit by bit only within a transaction.
        return surroundings.transactions().execute(status -> {
            try (Stream<Row> rows = surroundings
                    .jdbc()
                    .sql(CURRENT)
                    .withFetchSize(ROWS_AT_ONCE)
                    .param("pipeline", pipeline)
                    .param("from", PublishedTotals.first(span))
                    .param("to", PublishedTotals.end(span))
                    .query((row, number) -> read(row))
                    .stream()) {
                return reader.apply(rows.iterator());
            }
        });
    }

    private static Row read(ResultSet row) throws SQLException {
        return new Row(
                new Pair(row.getString("key"), row.getString("left_id"), row.getString("right_id")),
                new Times(time(row, "left_time"), time(row, "right_time"), -1),
                row.getInt("version"));
    }

    private static long time(ResultSet row, String column) throws SQLException {
        Long time = row.getObject(column, Long.class);
        return time == null ? Times.NONE : time;
    }
}
