package dev.tidemark.common;

/**
 * Says that a source partition is complete: a record with the header {@value #HEADER} of the value {@value #VALUE}.
 *
 * @param origin where the control record lies
 */
public record EndOfInput(Origin origin) implements Item {

    public static final String HEADER = "tidemark-control";
    public static final String VALUE = "end-of-input";
}
