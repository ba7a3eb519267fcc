package dev.tidemark.reconcile;

import org.springframework.jdbc.core.simple.JdbcClient;

/** What a pipeline says of single events that it has not simply counted. */
record Exceptions(JdbcClient jdbc, String pipeline) {

    private static final String CONFLICTING = """
            select exists (
                select from exceptions
                where pipeline = :pipeline and source_topic = :topic and source_partition = :partition
                  and source_offset = :offset and disposition = 'conflicting')""";

    private static final String LATE = """
            select exists (
                select from exceptions
                where pipeline = :pipeline and event_id in (:one, :other) and key = :key
                  and disposition in ('late', 'too-late'))""";

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

    /** Whether one of two events was published as late or too late. */
    boolean isLate(String key, String one, String other) {
        return jdbc.sql(LATE)
                .param("pipeline", pipeline)
                .param("key", key)
                .param("one", one)
                .param("other", other)
                .query(Boolean.class)
                .single();
    }
}
