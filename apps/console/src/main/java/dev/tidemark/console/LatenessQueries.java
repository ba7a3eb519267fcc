package dev.tidemark.console;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What the table {@code lateness} says about other graces. */
@Component
class LatenessQueries {

    private final JdbcClient database;

    LatenessQueries(JdbcClient database) {
        this.database = database;
    }

    /** What a grace would have meant; see the function {@code grace_what_if}. */
    record WhatIf(Duration grace, long events, long lateEvents, BigDecimal lateAmount, BigDecimal lateAbsoluteAmount) {}

    /** The days of event time that were counted. */
    record Days(LocalDate first, LocalDate last) {}

    /** Pipelines with lateness counts, one probe of the primary key for each. */
    List<String> pipelines() {
        return database.sql("""
                        with recursive found as (
                            (select pipeline from lateness order by pipeline limit 1)
                            union all
                            select (select pipeline from lateness where pipeline > found.pipeline order by pipeline limit 1)
                            from found where found.pipeline is not null
                        )
                        select pipeline from found where pipeline is not null""").query(String.class).list();
    }

    Optional<Days> days(String pipeline) {
        return database.sql("""
                        select (select day from lateness where pipeline = :pipeline order by day limit 1) as first,
                            (select day from lateness where pipeline = :pipeline order by day desc limit 1) as last""")
                .param("pipeline", pipeline)
                .query((row, number) ->
                        new Days(row.getObject("first", LocalDate.class), row.getObject("last", LocalDate.class)))
                .optional()
                .filter(days -> days.first() != null);
    }

    /**
     * What each grace would have meant for the events of some days, from 0 on, exactly; empty if there are no events.
     * Graces follow each other as the bins do: seconds, minutes, hours.
     */
    List<WhatIf> whatIf(String pipeline, Days days) {
        return new ArrayList<>(database.sql("""
                        select extract(epoch from grace)::bigint as seconds, events, late_events, late_amount,
                            late_absolute_amount
                        from grace_what_if(:pipeline, :first, :last) order by grace""")
                .param("pipeline", pipeline)
                .param("first", days.first())
                .param("last", days.last())
                .query((row, number) -> new WhatIf(
                        Duration.ofSeconds(row.getLong("seconds")),
                        row.getLong("events"),
                        row.getLong("late_events"),
                        row.getBigDecimal("late_amount"),
                        row.getBigDecimal("late_absolute_amount")))
                .list());
    }
}
