package dev.tidemark.common;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * A source partition, of which an account is kept.
 *
 * @param topic the input topic
 * @param partition its partition
 */
public record LedgerSource(String topic, int partition) implements Comparable<LedgerSource> {

    /** No topic has a slash in its name. */
    private static final char SEPARATOR = '/';

    static Serde<LedgerSource> serde() {
        return Serdes.serdeFrom(
                (topic, source) -> (source.topic + SEPARATOR + source.partition).getBytes(StandardCharsets.UTF_8),
                (topic, bytes) -> parse(new String(bytes, StandardCharsets.UTF_8)));
    }

    private static LedgerSource parse(String text) {
        int separator = text.indexOf(SEPARATOR);
        return new LedgerSource(text.substring(0, separator), Integer.parseInt(text.substring(separator + 1)));
    }

    @Override
    public int compareTo(LedgerSource other) {
        int byTopic = topic.compareTo(other.topic);
        return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
    }
}
