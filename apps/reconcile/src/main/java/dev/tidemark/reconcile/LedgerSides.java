package dev.tidemark.reconcile;

import dev.tidemark.reconcile.Break.Kind;
import dev.tidemark.reconcile.Break.Numbers;
import dev.tidemark.reconcile.Break.Subject;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The two sides of a pipeline's ledger, over all source partitions.
 *
 * @param received records that came in
 * @param accounted records that have a disposition
 * @param receivedAmount what the former add up to
 * @param accountedAmount what the latter add up to
 */
record LedgerSides(long received, long accounted, BigDecimal receivedAmount, BigDecimal accountedAmount) {

    private static final Subject LEDGER = new Subject(null, null, null, null);

    static LedgerSides of(JdbcClient jdbc, String pipeline) {
        return jdbc.sql("""
                        select coalesce(sum(received), 0), coalesce(sum(accounted), 0),
                               coalesce(sum(received_amount), 0), coalesce(sum(accounted_amount), 0)
                        from ledger_balance where pipeline = :pipeline""")
                .param("pipeline", pipeline)
                .query((row, number) ->
                        new LedgerSides(row.getLong(1), row.getLong(2), row.getBigDecimal(3), row.getBigDecimal(4)))
                .single();
    }

    /** What is wrong with it, if it should know all of these records at least. */
    Optional<Break> compare(LogCounts log) {
        Break found = Break.of(
                Kind.LEDGER,
                LEDGER,
                new Numbers(null, accountedAmount, accounted),
                new Numbers(null, receivedAmount, Math.max(received, log.complete() ? log.records() : 0)));
        if (received != accounted || receivedAmount.compareTo(accountedAmount) != 0) {
            return Optional.of(found.explained("the ledger does not balance", List.of()));
        }
        if (log.complete() && received < log.records()) {
            return Optional.of(found.explained(
                    "the ledger knows " + received + " of the " + log.records() + " records of the input", List.of()));
        }
        return Optional.empty();
    }
}
