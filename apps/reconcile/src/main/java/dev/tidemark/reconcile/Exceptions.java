package dev.tidemark.reconcile;

import org.springframework.jdbc.core.simple.JdbcClient;

/** What a pipeline says of single events that it has not simply counted. */
record Exceptions(JdbcClient jdbc, String pipeline) {

    private static final String CONFLICTING = """
            select exists (
                select from exceptions
                where pipeline = :pipeline and source_topic = :topic and source_partition = :partition
                  and source_offset = :offset and disposition = 'conflicting')""";

    /** A late event that has led to a version 2 has not missed all of its partners, so one of them is there. */
    private static final String MISSED = """
            select exists (
                select from exceptions as event
                where pipeline = :pipeline and event_id in (:one, :other) and key = :key
                  and (disposition = 'too-late'
                       or disposition = 'late' and (event.version = 1 or exists (
                           select from pairs
                           where (pairs.pipeline, pairs.key, pairs.status) = (event.pipeline, event.key, 'matched')
                             and event.event_id in (pairs.left_id, pairs.right_id)))))""";

    /** Adds how many events of a span were late, and what they add up to. */
    void count(Span span, ReplayCounts counts) {
        jdbc.sql("""
                        select disposition = 'too-late' as too_late, count(*) as events,
                               coalesce(sum(amount), 0) as amount
                        from exceptions
                        where pipeline = :pipeline and disposition in ('late', 'partly-late', 'too-late')
                          and event_time >= :from and event_time < :to
                        group by 1""")
                .param("pipeline", pipeline)
                .param("from", PublishedTotals.first(span))
                .param("to", PublishedTotals.end(span))
                .query((row, number) -> {
                    if (row.getBoolean("too_late")) {
                        counts.tooLate = row.getLong("events");
                        counts.tooLateAmount = row.getBigDecimal("amount");
                    } else {
                        counts.late = row.getLong("events");
                        counts.lateAmount = row.getBigDecimal("amount");
                    }
                    return counts;
                })
                .list();
    }

    /** Which records of a topic were published as conflicting. */
    DistinctEvents.Judgement conflicting(String topic) {
        return (id, partition, offset) -> jdbc.sql(CONFLICTING)
                .param("pipeline", pipeline)
                .param("topic", topic)
                .param("partition", partition)
                .param("offset", offset)
                .query(Boolean.class)
                .single();
    }

    /** Whether one of two events came so late that it may have missed the other. */
    boolean mayHaveMissed(Pair pair) {
        return jdbc.sql(MISSED)
                .param("pipeline", pipeline)
                .param("key", pair.key())
                .param("one", pair.leftId())
                .param("other", pair.rightId())
                .query(Boolean.class)
                .single();
    }
}
