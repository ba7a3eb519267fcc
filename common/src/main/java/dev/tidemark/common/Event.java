package dev.tidemark.common;

/**
 * One input record that could be read.
 *
 * @param origin where it lies in the log
 * @param via partition of the last task that passed it on; the source partition if there is none
 * @param id the event id, never blank
 * @param key what it is grouped by, never blank
 * @param time event time in epoch milliseconds, never negative
 * @param arrival timestamp of the Kafka record in epoch milliseconds
 * @param amount in units of the last decimal place of the configured scale; 0 where no amount is mapped
 * @param payload the record's value as it came; not to be modified
 */
public record Event(Origin origin, int via, String id, String key, long time, long arrival, long amount, byte[] payload)
        implements Item {

    /** An event as it was read from its source partition. */
    public Event(Origin origin, String id, String key, long time, long arrival, long amount, byte[] payload) {
        this(origin, origin.partition(), id, key, time, arrival, amount, payload);
    }

    Event via(int partition) {
        return new Event(origin, partition, id, key, time, arrival, amount, payload);
    }
}
