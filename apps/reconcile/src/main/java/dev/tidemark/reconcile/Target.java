package dev.tidemark.reconcile;

import dev.tidemark.common.PairsProperties;
import dev.tidemark.common.Side;
import dev.tidemark.common.TotalsProperties;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A pipeline that can be recounted.
 *
 * @param pipeline its name
 * @param subject what is recounted of it: totals or pairs
 * @param settings fingerprint of its settings
 * @param group consumer group of its app
 * @param tables the tables that its result topics go to, by topic
 * @param zone the zone in which a date begins
 * @param longest how long after its start a window may be closed, in event time
 * @param scale decimal places of its amounts
 * @param inputs opens its inputs
 * @param opener begins a recount
 * @param totals its settings if it is one of totals, which can be replayed; else null
 */
record Target(
        String pipeline,
        String subject,
        String settings,
        String group,
        Map<String, String> tables,
        ZoneId zone,
        Duration longest,
        int scale,
        Inputs inputs,
        Opener opener,
        TotalsProperties totals) {

    static final String TOTALS = "totals";
    static final String PAIRS = "pairs";

    /** Opens the inputs of a pipeline. */
    interface Inputs {
        List<InputLog> open(Surroundings surroundings);
    }

    /** Begins a recount. */
    interface Opener {
        Recount open(Span span, Path directory, Surroundings surroundings);
    }

    static Target of(TotalsProperties settings) {
        ZoneId zone = settings.window().zone();
        return new Target(
                settings.pipeline(),
                TOTALS,
                settings.fingerprint(),
                settings.applicationId(),
                Map.of(
                        settings.totalsTopic(), TOTALS,
                        settings.exceptionsTopic(), "exceptions",
                        settings.ledgerTopic(), "ledger"),
                zone == null ? ZoneOffset.UTC : zone,
                settings.grace()
                        .plusMillis(settings.window().windows(settings.grace()).size()),
                settings.input().amountScale(),
                surroundings -> List.of(
                        InputLog.of(settings.input(), settings.maxFuture(), settings.acceptEndOfInput(), surroundings)),
                (span, directory, surroundings) -> new TotalsRecount(settings, span, directory, surroundings),
                settings);
    }

    static Target of(PairsProperties settings) {
        return new Target(
                settings.pipeline(),
                PAIRS,
                settings.fingerprint(),
                settings.applicationId(),
                Map.of(
                        settings.pairsTopic(), PAIRS,
                        settings.exceptionsTopic(), "exceptions",
                        settings.ledgerTopic(), "ledger"),
                ZoneOffset.UTC,
                settings.grace().plus(settings.within().span()),
                settings.amountScale(),
                surroundings -> Stream.of(Side.values())
                        .map(side -> InputLog.of(
                                settings.input(side), settings.maxFuture(), settings.acceptEndOfInput(), surroundings))
                        .toList(),
                (span, directory, surroundings) -> new PairsRecount(settings, span, directory, surroundings),
                null);
    }
}
