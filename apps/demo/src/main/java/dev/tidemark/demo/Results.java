package dev.tidemark.demo;

import dev.tidemark.common.Disposition;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what the sinks have written for one pipeline. It keeps one connection and makes a new one after a failure. Not
 * thread-safe.
 */
final class Results implements AutoCloseable {

    /**
     * What there is at the end.
     *
     * @param windows number of windows
     * @param total sum of their current totals
     */
    record Summary(long windows, BigDecimal total) {}

    private static final Logger LOG = LoggerFactory.getLogger(Results.class);
    /** What becomes of records, and {@code held} for those of which that is open. */
    private static final List<String> DISPOSITIONS = Stream.concat(
                    Stream.of(Disposition.values()).map(Disposition::label), Stream.of("held"))
            .toList();

    private static final Duration SHORTEST_LOOK_BACK = Duration.ofDays(1);
    private static final int WINDOWS_TO_LOOK_BACK = 60;
    private static final String COLUMNS =
            "key, window_start, window_end, version, status, total, delta, reason, cause_event_id";

    private final DataSource database;
    private final String pipeline;
    private Connection connection;

    Results(DataSource database, String pipeline) {
        this.database = database;
        this.pipeline = pipeline;
    }

    /** Per key, the newest of the recent windows in each status. */
    List<WindowResult> latest() throws SQLException {
        Instant since = recent();
        return since == null
                ? List.of()
                : windows(
                        "select distinct on (key, status) " + COLUMNS + " from totals_current"
                                + " where pipeline = ? and window_start >= ? order by key, status, window_start desc",
                        since);
    }

    /** All finals and corrections that were recorded at that moment or later, oldest first. */
    List<WindowResult> published(Instant since) throws SQLException {
        return windows(
                "select " + COLUMNS + " from totals where pipeline = ? and recorded_at >= ? and version >= 1"
                        + " order by recorded_at, key, window_start, version",
                since);
    }

    /** The time of the database, by which rows are recorded. */
    Instant now() throws SQLException {
        try (PreparedStatement statement = prepare("select now()");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getTimestamp(1).toInstant();
        }
    }

    /** The sums over all source partitions. */
    Ledger ledger() throws SQLException {
        StringBuilder sums = new StringBuilder();
        DISPOSITIONS.forEach(disposition -> sums.append(", coalesce(sum(")
                .append(disposition.replace('-', '_'))
                .append("), 0)"));
        try (PreparedStatement statement = prepare("""
                select coalesce(sum(ledger.received), 0), coalesce(sum(abs(difference)), 0),
                       coalesce(sum(ledger.received_amount), 0), coalesce(sum(accounted_amount), 0),
                       coalesce(sum(abs(difference_amount)), 0)""" + sums + """
                 from ledger join ledger_balance using (pipeline, source_topic, source_partition)
                where pipeline = ?""")) {
            statement.setString(1, pipeline);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                Map<String, Long> dispositions = new LinkedHashMap<>();
                for (int i = 0; i < DISPOSITIONS.size(); i++) {
                    dispositions.put(DISPOSITIONS.get(i), row.getLong(6 + i));
                }
                return new Ledger(
                        row.getLong(1),
                        dispositions,
                        row.getLong(2),
                        row.getBigDecimal(3),
                        row.getBigDecimal(4),
                        row.getBigDecimal(5));
            }
        }
    }

    /** What has found its partner and what has not, of the last day of event time of each of these pipelines. */
    List<PairCounts> pairs(List<String> pipelines) throws SQLException {
        List<PairCounts> counts = new ArrayList<>();
        for (String name : pipelines) {
            counts.add(pairs(name));
        }
        return counts;
    }

    private PairCounts pairs(String name) throws SQLException {
        try (PreparedStatement statement = prepare("""
                select count(*) filter (where status = 'matched'), count(*) filter (where version > 1),
                       count(*) filter (where status = 'left-unmatched'),
                       count(*) filter (where status = 'right-unmatched')
                from pairs_current
                where pipeline = ? and event_time > (select max(event_time) - interval '1 day' from pairs where pipeline = ?)""")) {
            statement.setString(1, name);
            statement.setString(2, name);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new PairCounts(name, row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
            }
        }
    }

    /** Number and sum of the current totals. */
    Summary summary() throws SQLException {
        try (PreparedStatement statement =
                prepare("select count(*), coalesce(sum(total), 0) from totals_current where pipeline = ?")) {
            statement.setString(1, pipeline);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Summary(row.getLong(1), row.getBigDecimal(2));
            }
        }
    }

    /** Gives up the connection; the next call makes a new one. */
    @Override
    public void close() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            LOG.warn("The connection could not be closed", e);
        } finally {
            connection = null;
        }
    }

    /** How far back windows are looked for, so that it takes no longer when there are many; null if there are none. */
    private Instant recent() throws SQLException {
        try (PreparedStatement statement = prepare(
                "select window_start, window_end from totals where pipeline = ? order by window_start desc limit 1")) {
            statement.setString(1, pipeline);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                Instant start = row.getTimestamp(1).toInstant();
                Duration length = Duration.between(start, row.getTimestamp(2).toInstant());
                Duration lookBack = length.multipliedBy(WINDOWS_TO_LOOK_BACK);
                return start.minus(lookBack.compareTo(SHORTEST_LOOK_BACK) < 0 ? SHORTEST_LOOK_BACK : lookBack);
            }
        }
    }

    private List<WindowResult> windows(String query, Instant since) throws SQLException {
        try (PreparedStatement statement = prepare(query)) {
            statement.setString(1, pipeline);
            statement.setTimestamp(2, Timestamp.from(since));
            List<WindowResult> windows = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    windows.add(new WindowResult(
                            row.getString("key"),
                            row.getTimestamp("window_start").toInstant(),
                            row.getTimestamp("window_end").toInstant(),
                            row.getInt("version"),
                            row.getString("status"),
                            row.getBigDecimal("total"),
                            row.getBigDecimal("delta"),
                            row.getString("reason"),
                            row.getString("cause_event_id")));
                }
            }
            return windows;
        }
    }

    private PreparedStatement prepare(String query) throws SQLException {
        if (connection == null || !connection.isValid(1)) {
            connection = database.getConnection();
        }
        return connection.prepareStatement(query);
    }
}
