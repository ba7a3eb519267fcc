package dev.tidemark.common;

/**
 * What became of one input record that was not simply counted. The fields of the event are null where the reader could not tell them.
 *
 * @param origin where the record lies in the log
 * @param eventId the event id, or null
 * @param key the key, or null
 * @param eventTime event time in epoch milliseconds, or null
 * @param arrival timestamp of the Kafka record in epoch milliseconds
 * @param amount in units of the last decimal place of the configured scale, or null
 * @param disposition what became of it
 * @param reason why, in words
 * @param windowStart start of the window that it corrected in epoch milliseconds, or null
 * @param version the version that it produced there, or null
 * @param payload the record's value as it came, or null; not to be modified
 */
public record Outcome(
        Origin origin,
        String eventId,
        String key,
        Long eventTime,
        long arrival,
        Long amount,
        Disposition disposition,
        String reason,
        Long windowStart,
        Integer version,
        byte[] payload)
        implements Item {

    /** The outcome of an event that was read. */
    public static Outcome of(Event event, Disposition disposition, String reason) {
        return new Outcome(
                event.origin(),
                event.id(),
                event.key(),
                event.time(),
                event.arrival(),
                event.amount(),
                disposition,
                reason,
                null,
                null,
                event.payload());
    }

    /** This outcome with the version of a row that the event led to. */
    public Outcome producing(int rowVersion) {
        return new Outcome(
                origin,
                eventId,
                key,
                eventTime,
                arrival,
                amount,
                disposition,
                reason,
                windowStart,
                rowVersion,
                payload);
    }

    /** This outcome with another reason. */
    public Outcome because(String other) {
        return new Outcome(
                origin, eventId, key, eventTime, arrival, amount, disposition, other, windowStart, version, payload);
    }

    /** This outcome with the correction that the event led to. */
    public Outcome correcting(long windowStart, int version) {
        return new Outcome(
                origin, eventId, key, eventTime, arrival, amount, disposition, reason, windowStart, version, payload);
    }
}
