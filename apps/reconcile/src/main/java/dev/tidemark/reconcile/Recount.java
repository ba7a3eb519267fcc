package dev.tidemark.reconcile;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** A recount of a pipeline: reads its input, as often as there is more, and compares with what is published. */
interface Recount extends AutoCloseable {

    /** Where the input ends now. */
    Map<TopicPartition, Long> ends();

    /** Reads what comes before these offsets and has not been read yet. */
    void readTo(Map<TopicPartition, Long> ends, Progress progress);

    /**
     * Compares what should be published with what is published now.
     *
     * @param doubted what an earlier recount found to be broken
     */
    Tally compare(Set<Break.Subject> doubted, Progress progress);

    /**
     * Finds out more about breaks.
     *
     * @param correct whether the app is asked to publish what was recounted, where it is proved
     * @return the same breaks in the same order
     */
    List<Break> lookInto(List<Break> breaks, boolean correct);

    /** What the input has, as far as it was read. */
    LogCounts counts();

    @Override
    void close();
}
