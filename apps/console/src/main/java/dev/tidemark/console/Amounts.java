package dev.tidemark.console;

import dev.tidemark.common.Disposition;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Whether the events of a pipeline have amounts, or are only counted. Apps write 0 for what has no amount, which is not to
 * be shown as if money had been looked for and none been found.
 *
 * <p>Amounts of a currency with decimal places are written with them, 0.00, too, while a 0 of what has no amount has none.
 * So a pipeline has amounts if its ledger or its newest totals have decimal places, or anything but 0 where amounts are.
 */
@Component
class Amounts {

    private static final String IN_LEDGER = Stream.concat(
                    Stream.of("received", "held"),
                    Stream.of(Disposition.values())
                            .filter(disposition ->
                                    disposition != Disposition.MALFORMED && disposition != Disposition.OUT_OF_RANGE)
                            .map(disposition -> disposition.label().replace('-', '_')))
            .map(column -> "scale(" + column + "_amount) > 0 or " + column + "_amount <> 0")
            .collect(Collectors.joining(" or "));

    private final JdbcClient database;

    Amounts(JdbcClient database) {
        this.database = database;
    }

    /** False for a pipeline that nothing is known of. */
    boolean has(String pipeline) {
        return database.sql("select exists (select from ledger where pipeline = :pipeline and (" + IN_LEDGER + """
                        )) or exists (
                            select
                            from (
                                select total, minimum, maximum from totals where pipeline = :pipeline
                                order by window_start desc, key, version desc limit 100) as newest
                            where scale(total) > 0 or total <> 0 or minimum <> 0 or maximum <> 0)""")
                .param("pipeline", pipeline)
                .query(Boolean.class)
                .single();
    }
}
