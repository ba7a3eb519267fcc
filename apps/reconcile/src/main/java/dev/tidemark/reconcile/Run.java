package dev.tidemark.reconcile;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * One recount and what it found.
 *
 * @param id identifies it
 * @param pipeline name of the pipeline
 * @param subject totals or pairs
 * @param span which windows were looked at
 * @param started when it began
 * @param settings fingerprint of the settings that it was made with
 * @param unknown why it could not tell; null if it could
 * @param tally what the comparison found; null if there was none
 * @param log what was read
 * @param ledger the pipeline's ledger; null if there was no comparison
 * @param judged what earlier recounts found and this one has looked at again
 */
record Run(
        UUID id,
        String pipeline,
        String subject,
        Span span,
        Instant started,
        String settings,
        String unknown,
        Tally tally,
        LogCounts log,
        LedgerSides ledger,
        List<EarlierBreak> judged) {

    /** Exit code of a recount that found no difference. */
    static final int EQUAL = 0;

    /** Exit code of a recount that found a difference. */
    static final int DIFFERENT = 1;

    /** Exit code of a recount that could not tell. */
    static final int UNKNOWN = 2;

    /** What a comparison found; that nothing differs is not said of nothing. */
    static Run of(
            Target target,
            Span span,
            Instant started,
            Tally tally,
            LogCounts log,
            LedgerSides ledger,
            List<EarlierBreak> judged) {
        boolean nothing = tally.compared() == 0 && tally.undecided() > 0 && !tally.hasBreaks();
        String unknown = nothing
                ? "all of the " + tally.undecided() + " "
                        + (target.subject().equals(Target.TOTALS) ? "windows" : "pairs")
                        + " may still change, so there is nothing to compare; recount an earlier time, or later."
                : null;
        return of(target, span, started, unknown, tally, log, ledger, judged);
    }

    static Run unknown(Target target, Span span, Instant started, String why) {
        return of(target, span, started, why, null, LogCounts.NONE, null, List.of());
    }

    private static Run of(
            Target target,
            Span span,
            Instant started,
            String unknown,
            Tally tally,
            LogCounts log,
            LedgerSides ledger,
            List<EarlierBreak> judged) {
        return new Run(
                UUID.randomUUID(),
                target.pipeline(),
                target.subject(),
                span,
                started,
                target.settings(),
                unknown,
                tally,
                log,
                ledger,
                judged);
    }

    /** The same, which could not be written down. */
    Run notWritten(String why) {
        return unknown != null
                ? this
                : new Run(id, pipeline, subject, span, started, settings, why, tally, log, ledger, List.of());
    }

    /** What the process exits with. */
    int exitCode() {
        if (unknown != null) {
            return UNKNOWN;
        }
        return tally.hasBreaks() ? DIFFERENT : EQUAL;
    }

    /** The word for it in the table. */
    String outcome() {
        return switch (exitCode()) {
            case EQUAL -> "equal";
            case DIFFERENT -> "different";
            default -> "unknown";
        };
    }
}
