package dev.tidemark.console;

import java.util.List;
import java.util.stream.Stream;

/** One of several, as a form asks for it. */
final class Choice {

    private Choice() {}

    /**
     * What was asked for if it is there, else the first of the usual ones that is there, else the first one, or null if
     * there are none.
     */
    static String of(String asked, List<String> choices, List<String> usual) {
        return Stream.of(Stream.ofNullable(asked), usual.stream())
                .flatMap(wanted -> wanted)
                .filter(choices::contains)
                .findFirst()
                .orElse(choices.isEmpty() ? null : choices.get(0));
    }
}
