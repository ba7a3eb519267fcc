package dev.tidemark.console;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Where an event id is named. */
@Component
class EventQueries {

    private final JdbcClient database;
    private final LedgerQueries ledger;

    EventQueries(JdbcClient database, LedgerQueries ledger) {
        this.database = database;
        this.ledger = ledger;
    }

    /** A pair, or an event alone, that names an event. */
    record PairOfEvent(
            String pipeline, String key, String left, String right, int version, String status, String reason) {}

    /** What became of it in each pipeline that did not simply count it; one row per record that came. */
    List<ExceptionRow> exceptions(String eventId) {
        List<String> pipelines = ledger.pipelines();
        if (pipelines.isEmpty()) {
            return List.of();
        }
        return database.sql("select * from exceptions where pipeline in (:pipelines) and event_id = :event"
                        + " order by pipeline, arrival_time, source_partition, source_offset limit 100")
                .param("pipelines", pipelines)
                .param("event", eventId)
                .query(ExceptionRow::of)
                .list();
    }

    /** The pairs that it is part of. */
    List<PairOfEvent> pairs(String eventId) {
        List<String> pipelines = ledger.pipelines();
        if (pipelines.isEmpty()) {
            return List.of();
        }
        return database.sql("""
                select pipeline, key, left_id, right_id, version, status, reason from pairs_current
                where pipeline in (:pipelines) and left_id = :event
                union
                select pipeline, key, left_id, right_id, version, status, reason from pairs_current
                where pipeline in (:pipelines) and right_id = :event
                order by pipeline, key, left_id, right_id limit 100""")
                .param("pipelines", pipelines)
                .param("event", eventId)
                .query((row, number) -> new PairOfEvent(
                        row.getString("pipeline"),
                        row.getString("key"),
                        row.getString("left_id"),
                        row.getString("right_id"),
                        row.getInt("version"),
                        row.getString("status"),
                        row.getString("reason")))
                .list();
    }
}
