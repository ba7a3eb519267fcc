package dev.tidemark.common;

/**
 * Moves the time of the operators forward and carries nothing else. Its record's timestamp is the time meant for them.
 *
 * @param streamTime the clock's time, in epoch milliseconds; the greatest possible when the input has ended
 */
public record Tick(long streamTime) implements Item {

    /** What the key of every tick begins with; no event has it, because the reader refuses keys with a NUL character. */
    public static final String KEY = "\0tick";
}
