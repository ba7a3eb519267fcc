package dev.tidemark.reconcile;

import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes recounts and what they found into their tables. */
final class RunStore {

    private static final int ROWS_AT_ONCE = 500;
    private static final JsonFactory JSON = new JsonFactory();

    private static final String RUN = """
            insert into reconciliation_runs (run_id, pipeline, subject, from_time, to_time, started_at, outcome, reason,
                compared, equal, explained, different, missing, unexpected, undecided, records, duplicate, conflicting,
                refused, ledger_received, ledger_accounted, settings)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""";

    private static final String BREAK = """
            insert into reconciliation_breaks (run_id, number, kind, key, window_start, left_id, right_id,
                published_version, published_total, published_count, recounted_total, recounted_count, explanation,
                event_ids, correction)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?)""";

    /** A break without a window is one of the ledger. */
    private static final String UNRESOLVED = """
            select brk.run_id, number, key, window_start, left_id, right_id
            from reconciliation_breaks as brk join reconciliation_runs as run on run.run_id = brk.run_id
            where resolved_by is null and pipeline = ? and subject = ?
              and (window_start is null or window_start >= ? and window_start < ?)""";

    /** The ledger has to know all records that it did not know when it was found to be wrong. */
    private static final String RESOLVE = """
            update reconciliation_breaks set resolved_by = ?
            where run_id = ? and number = ? and resolved_by is null and (kind <> 'ledger' or recounted_count <= ?)""";

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;

    RunStore(JdbcTemplate jdbc, TransactionTemplate transactions) {
        this.jdbc = jdbc;
        this.transactions = transactions;
    }

    /** What earlier recounts found in the span and in the ledger, and none has judged since. */
    List<EarlierBreak> unresolved(Target target, Span span) {
        return jdbc.query(
                UNRESOLVED,
                (row, index) -> {
                    OffsetDateTime start = row.getObject("window_start", OffsetDateTime.class);
                    return new EarlierBreak(
                            row.getObject("run_id", UUID.class),
                            row.getInt("number"),
                            new Break.Subject(
                                    row.getString("key"),
                                    start == null ? null : start.toInstant().toEpochMilli(),
                                    row.getString("left_id"),
                                    row.getString("right_id")));
                },
                target.pipeline(),
                target.subject(),
                PublishedTotals.first(span),
                PublishedTotals.end(span));
    }

    void write(Run run) {
        transactions.executeWithoutResult(status -> {
            writeRun(run);
            if (run.unknown() == null) {
                resolve(run);
                writeBreaks(run.id(), run.tally().breaks());
            }
        });
    }

    private void resolve(Run run) {
        jdbc.batchUpdate(RESOLVE, run.judged(), ROWS_AT_ONCE, (row, earlier) -> {
            row.setObject(1, run.id());
            row.setObject(2, earlier.run());
            row.setInt(3, earlier.number());
            row.setLong(4, run.ledger().received());
        });
    }

    private void writeRun(Run run) {
        Tally tally = run.tally() == null ? new Tally(0, Set.of()) : run.tally();
        LogCounts log = run.log();
        jdbc.update(
                RUN,
                run.id(),
                run.pipeline(),
                run.subject(),
                run.span().hasStart() ? PublishedTotals.time(run.span().from()) : null,
                run.span().hasEnd() ? PublishedTotals.time(run.span().to()) : null,
                Timestamp.from(run.started()),
                run.outcome(),
                run.unknown(),
                tally.compared(),
                tally.equal,
                tally.explained,
                tally.different(),
                tally.missing(),
                tally.unexpected(),
                tally.undecided(),
                log.records(),
                log.duplicates(),
                log.conflicting(),
                log.refused(),
                run.ledger() == null ? null : run.ledger().received(),
                run.ledger() == null ? null : run.ledger().accounted(),
                run.settings());
    }

    private void writeBreaks(UUID run, List<Break> breaks) {
        int[] number = {0};
        jdbc.batchUpdate(BREAK, breaks, ROWS_AT_ONCE, (row, found) -> set(row, run, ++number[0], found));
    }

    private static void set(PreparedStatement row, UUID run, int number, Break found) throws SQLException {
        Break.Subject subject = found.subject();
        row.setObject(1, run);
        row.setInt(2, number);
        row.setString(3, found.kind().label());
        row.setString(4, subject.key());
        row.setObject(5, subject.time() == null ? null : PublishedTotals.time(subject.time()));
        row.setString(6, subject.leftId());
        row.setString(7, subject.rightId());
        Break.Numbers published = found.published();
        row.setObject(8, published == null ? null : published.version(), Types.INTEGER);
        set(row, 9, published);
        set(row, 11, found.recounted());
        row.setString(13, found.explanation().isEmpty() ? null : found.explanation());
        row.setString(14, array(found.eventIds()));
        row.setString(15, found.corrected() ? "requested" : null);
    }

    private static void set(PreparedStatement row, int first, Break.Numbers numbers) throws SQLException {
        BigDecimal total = numbers == null ? null : numbers.total();
        row.setBigDecimal(first, total);
        row.setObject(first + 1, numbers == null ? null : numbers.count(), Types.BIGINT);
    }

    private static String array(List<String> texts) {
        StringWriter array = new StringWriter();
        try (JsonGenerator items = JSON.createGenerator(ObjectWriteContext.empty(), array)) {
            items.writeStartArray();
            texts.forEach(items::writeString);
            items.writeEndArray();
        }
        return array.toString();
    }
}
