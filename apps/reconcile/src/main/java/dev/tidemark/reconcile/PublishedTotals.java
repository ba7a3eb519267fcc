package dev.tidemark.reconcile;

import dev.tidemark.reconcile.PublishedWindow.Version;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** What PostgreSQL has of a totals pipeline: the windows of a span, read as a stream, and what their events became. */
final class PublishedTotals {

    private static final int ROWS_AT_ONCE = 2_000;
    static final long LATEST = Instant.parse("9999-12-31T23:59:59Z").toEpochMilli();

    private static final String VERSIONS = """
            select key, %s as start, %s as "end", version, total, count, minimum, maximum, settings, previous_total,
                   cause_count, reason
            from totals
            where pipeline = :pipeline and window_start >= :from and window_start < :to
            order by key collate "C", window_start, version""".formatted(millis("window_start"), millis("window_end"));

    private static final String EXCUSED = """
            select key, %s as time, %s as start, amount, disposition = 'too-late' as too_late, source_partition,
                   source_offset,
                   coalesce(event.version > latest.version, false) as pending
            from exceptions as event
            left join lateral (
                select coalesce(max(version), 0) as version
                from totals
                where :gathering
                  and (totals.pipeline, totals.key, totals.window_start) = (event.pipeline, event.key, event.window_start)
            ) as latest on :gathering and event.disposition <> 'too-late'
            where pipeline = :pipeline and event_time >= :from
              and (disposition = 'too-late'
                   or (:overlapping or event.version > latest.version) and disposition in ('late', 'partly-late'))
            """.formatted(millis("event_time"), millis("window_start"));

    private final JdbcClient jdbc;
    private final TransactionTemplate transactions;
    private final String pipeline;

    PublishedTotals(Surroundings surroundings, String pipeline) {
        this.jdbc = surroundings.jdbc();
        this.transactions = surroundings.transactions();
        this.pipeline = pipeline;
    }

    /**
     * Hands over the windows that start in the span, in the order of {@link WindowKey}.
     *
     * @param settings fingerprint of the settings that all of them have to have been published with
     * @throws CouldNotTellException if one of them was published with others
     */
    <T> T windows(Span span, String settings, Function<Iterator<PublishedWindow>, T> reader) {
        JdbcClient.StatementSpec query =
                jdbc.sql(VERSIONS).param("from", first(span)).param("to", end(span));
        return stream(query, PublishedTotals::version, rows -> reader.apply(new Windows(rows, settings)));
    }

    /**
     * An event that the pipeline says that it has not counted in all of its windows, or not yet.
     *
     * @param time event time in epoch milliseconds
     * @param firstCorrected start of the first window that it corrects; null if it corrects none
     * @param amount its amount
     * @param tooLate whether it has changed nothing and never will
     * @param pending whether its correction waits to be published
     * @param partition its source partition
     * @param offset its place there
     */
    record Excuse(
            String key,
            long time,
            Long firstCorrected,
            BigDecimal amount,
            boolean tooLate,
            boolean pending,
            int partition,
            long offset) {}

    /**
     * Hands over the excuses for windows that start in the span.
     *
     * @param overlapping whether windows overlap, so that a late event may be too late for some of them
     * @param gathering whether late events are gathered into versions
     */
    void excuses(Span span, boolean overlapping, boolean gathering, Consumer<Excuse> receiver) {
        JdbcClient.StatementSpec query = jdbc.sql(EXCUSED)
                .param("from", first(span))
                .param("overlapping", overlapping)
                .param("gathering", gathering);
        stream(query, PublishedTotals::excuse, rows -> {
            rows.forEachRemaining(receiver);
            return null;
        });
    }

    /** How many versions of which kind the windows of a span have, and how long their finals took. */
    ReplayCounts versions(Span span) {
        return jdbc.sql("""
                        select count(*) filter (where version = 1) as finals,
                               count(*) filter (where version > 1) as corrections,
                               count(distinct (key, window_start)) filter (where version <= 1)
                                   - count(*) filter (where version = 1) as open,
                               coalesce(avg(extract(epoch from stream_time - window_end) * 1000) filter (
                                   where version = 1 and closed_by <> 'end-of-input'), 0)::double precision as mean,
                               coalesce(max(extract(epoch from stream_time - window_end) * 1000) filter (
                                   where version = 1 and closed_by <> 'end-of-input'), 0)::bigint as longest
                        from totals
                        where pipeline = :pipeline and window_start >= :from and window_start < :to""")
                .param("pipeline", pipeline)
                .param("from", first(span))
                .param("to", end(span))
                .query((row, number) -> {
                    ReplayCounts counts = new ReplayCounts();
                    counts.finals = row.getLong("finals");
                    counts.corrections = row.getLong("corrections");
                    counts.open = row.getLong("open");
                    counts.meanDelay = row.getDouble("mean");
                    counts.maxDelay = row.getLong("longest");
                    return counts;
                })
                .single();
    }

    private <R, T> T stream(JdbcClient.StatementSpec query, Reader<R> reader, Function<Iterator<R>, T> receiver) {
        // PostgreSQL hands out rows bit by bit only within a transaction.
        return transactions.execute(status -> {
            try (Stream<R> rows = query
                    .withFetchSize(ROWS_AT_ONCE)
                    .param("pipeline", pipeline)
                    .query((row, number) -> reader.read(row))
                    .stream()) {
                return receiver.apply(rows.iterator());
            }
        });
    }

    private interface Reader<R> {
        R read(ResultSet row) throws SQLException;
    }

    private static Version version(ResultSet row) throws SQLException {
        return new Version(
                new WindowKey(row.getString("key"), row.getLong("start")),
                row.getLong("end"),
                row.getInt("version"),
                row.getBigDecimal("total"),
                row.getLong("count"),
                row.getBigDecimal("minimum"),
                row.getBigDecimal("maximum"),
                row.getString("settings"),
                row.getBigDecimal("previous_total"),
                row.getObject("cause_count", Long.class),
                row.getString("reason"));
    }

    private static Excuse excuse(ResultSet row) throws SQLException {
        return new Excuse(
                row.getString("key"),
                row.getLong("time"),
                row.getObject("start", Long.class),
                row.getBigDecimal("amount"),
                row.getBoolean("too_late"),
                row.getBoolean("pending"),
                row.getInt("source_partition"),
                row.getLong("source_offset"));
    }

    private static String millis(String column) {
        return "(extract(epoch from " + column + ") * 1000)::bigint";
    }

    /** The first time of a span that a table may hold. */
    static OffsetDateTime first(Span span) {
        return time(Math.max(0, span.from()));
    }

    /** The end of a span, as far as a table may hold times. */
    static OffsetDateTime end(Span span) {
        return time(Math.min(LATEST, span.to()));
    }

    static OffsetDateTime time(long epochMillis) {
        return Instant.ofEpochMilli(epochMillis).atOffset(ZoneOffset.UTC);
    }

    /** Rows, gathered by window. */
    private final class Windows implements Iterator<PublishedWindow> {

        private final Iterator<Version> rows;
        private final String settings;
        private Version next;

        Windows(Iterator<Version> rows, String settings) {
            this.rows = rows;
            this.settings = settings;
            this.next = advance();
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public PublishedWindow next() {
            if (next == null) {
                throw new NoSuchElementException();
            }
            PublishedWindow window = PublishedWindow.of(next);
            for (next = advance(); next != null && next.window().equals(window.window()); next = advance()) {
                window = window.then(next);
            }
            return window;
        }

        private Version advance() {
            Version row = rows.hasNext() ? rows.next() : null;
            if (row != null && !row.settings().equals(settings)) {
                throw new CouldNotTellException("Totals of " + pipeline + " were published with other settings ("
                        + row.settings() + ") than those of this recount (" + settings
                        + "), so that their numbers mean something else; recount with the settings that the app has, or"
                        + " windows since it has them.");
            }
            return row;
        }
    }
}
