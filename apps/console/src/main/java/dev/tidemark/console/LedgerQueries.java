package dev.tidemark.console;

import dev.tidemark.common.Disposition;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What the tables {@code ledger} and {@code refused_changes} say. */
@Component
class LedgerQueries {

    private static final String SUMS = Stream.concat(
                    Stream.of("received", "received_amount", "held", "held_amount"),
                    Stream.of(Disposition.values()).flatMap(LedgerQueries::columns))
            .map(column -> "sum(" + column + ") as " + column)
            .collect(Collectors.joining(", "));

    private final JdbcClient database;

    LedgerQueries(JdbcClient database) {
        this.database = database;
    }

    /** An attempt to change a published row. */
    record RefusedChange(String table, String key, String oldRow, String newRow, Instant recordedAt) {}

    /** All pipelines, of whatever app. */
    List<String> pipelines() {
        return database.sql("select distinct pipeline from ledger order by pipeline")
                .query(String.class)
                .list();
    }

    /** All pipelines, those that have read most first: a page that is opened without a question shows the first one. */
    List<String> busiest() {
        return database.sql("select pipeline from ledger group by pipeline order by sum(received) desc, pipeline")
                .query(String.class)
                .list();
    }

    /** Both sides of each pipeline. */
    List<Dispositions> byPipeline() {
        return database.sql("select pipeline, null as source_topic, null::integer as source_partition, " + SUMS
                        + ", min(stream_time) as stream_time, max(recorded_at) as recorded_at"
                        + " from ledger group by pipeline order by pipeline")
                .query(Dispositions::of)
                .list();
    }

    /** Both sides of each source partition of a pipeline. */
    List<Dispositions> byPartition(String pipeline) {
        return database.sql("select * from ledger where pipeline = :pipeline order by source_topic, source_partition")
                .param("pipeline", pipeline)
                .query(Dispositions::of)
                .list();
    }

    /** The newest attempts to change what a pipeline has published. */
    List<RefusedChange> refusedChanges(String pipeline, int limit) {
        return database.sql("select table_name, key::text, old_row::text, new_row::text, recorded_at"
                        + " from refused_changes where key ->> 'pipeline' = :pipeline"
                        + " order by recorded_at desc limit :limit")
                .param("pipeline", pipeline)
                .param("limit", limit)
                .query((row, number) -> new RefusedChange(
                        row.getString("table_name"),
                        row.getString("key"),
                        row.getString("old_row"),
                        row.getString("new_row"),
                        Rows.instant(row, "recorded_at")))
                .list();
    }

    private static Stream<String> columns(Disposition disposition) {
        String column = disposition.label().replace('-', '_');
        return disposition == Disposition.MALFORMED || disposition == Disposition.OUT_OF_RANGE
                ? Stream.of(column)
                : Stream.of(column, column + "_amount");
    }
}
