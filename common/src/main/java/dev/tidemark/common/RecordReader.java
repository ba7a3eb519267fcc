package dev.tidemark.common;

/** Reads the records of an input topic, and never throws. Shared by all stream threads. */
public interface RecordReader {

    /**
     * Reads one record.
     *
     * @param recordKey the Kafka record's key, or null
     * @param value the record's value, or null
     * @param arrival the record's timestamp in epoch milliseconds; 0 or less: it has none
     * @return an {@link Event}, or an {@link Outcome} that is a refusal and holds whatever could be read
     */
    Item read(Origin origin, byte[] recordKey, byte[] value, long arrival);
}
