package dev.tidemark.console;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** What JDBC has no method for. */
final class Rows {

    private Rows() {}

    /** The time of a column, or null. */
    static Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** The whole number of a column, or null. */
    static Long number(ResultSet row, String column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }

    /** A time as a parameter of a query; null stays null. */
    static OffsetDateTime parameter(Instant time) {
        return time == null ? null : time.atOffset(ZoneOffset.UTC);
    }
}
