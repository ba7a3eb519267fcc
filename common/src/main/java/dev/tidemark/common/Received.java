package dev.tidemark.common;

/**
 * Says that a record was read from the input, whatever becomes of it.
 *
 * @param origin where it lies in the log
 * @param amount in units of the last decimal place of the configured scale; null where it could not be read
 */
public record Received(Origin origin, Long amount) implements Item {

    /** Of an event or a refusal, as the reader gives them; null for what is not a business record. */
    public static Received of(Item item) {
        if (item instanceof Event event) {
            return new Received(event.origin(), event.amount());
        }
        if (item instanceof Outcome refusal) {
            return new Received(refusal.origin(), refusal.amount());
        }
        return null;
    }
}
