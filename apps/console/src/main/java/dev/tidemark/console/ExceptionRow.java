package dev.tidemark.console;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;

/** An event that was not simply counted, a row of {@code exceptions}; see the comments of that table. */
record ExceptionRow(
        String pipeline,
        String topic,
        int partition,
        long offset,
        String eventId,
        String key,
        Instant eventTime,
        Instant arrivalTime,
        BigDecimal amount,
        String disposition,
        String reason,
        Instant windowStart,
        Integer version,
        String payload) {

    static ExceptionRow of(ResultSet row, int number) throws SQLException {
        return new ExceptionRow(
                row.getString("pipeline"),
                row.getString("source_topic"),
                row.getInt("source_partition"),
                row.getLong("source_offset"),
                row.getString("event_id"),
                row.getString("key"),
                Rows.instant(row, "event_time"),
                Rows.instant(row, "arrival_time"),
                row.getBigDecimal("amount"),
                row.getString("disposition"),
                row.getString("reason"),
                Rows.instant(row, "window_start"),
                row.getObject("version", Integer.class),
                row.getString("payload"));
    }
}
