package dev.tidemark.console;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;

/** One version of one window, a row of {@code totals}; see the comments of that table. */
record Total(
        String pipeline,
        String key,
        Instant start,
        Instant end,
        int version,
        String status,
        BigDecimal total,
        long count,
        BigDecimal minimum,
        BigDecimal maximum,
        BigDecimal previousTotal,
        BigDecimal delta,
        String reason,
        String causeEventId,
        Long causeCount,
        Instant streamTime,
        String closedBy,
        Instant recordedAt) {

    static final String COLUMNS =
            "pipeline, key, window_start, window_end, version, status, total, count, minimum, maximum, previous_total,"
                    + " delta, reason, cause_event_id, cause_count, stream_time, closed_by, recorded_at";

    static Total of(ResultSet row, int number) throws SQLException {
        return new Total(
                row.getString("pipeline"),
                row.getString("key"),
                Rows.instant(row, "window_start"),
                Rows.instant(row, "window_end"),
                row.getInt("version"),
                row.getString("status"),
                row.getBigDecimal("total"),
                row.getLong("count"),
                row.getBigDecimal("minimum"),
                row.getBigDecimal("maximum"),
                row.getBigDecimal("previous_total"),
                row.getBigDecimal("delta"),
                row.getString("reason"),
                row.getString("cause_event_id"),
                Rows.number(row, "cause_count"),
                Rows.instant(row, "stream_time"),
                row.getString("closed_by"),
                Rows.instant(row, "recorded_at"));
    }
}
