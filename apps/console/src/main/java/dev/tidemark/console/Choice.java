package dev.tidemark.console;

import java.util.List;

/** One of several, as a form asks for it. */
final class Choice {

    private Choice() {}

    /** What was asked for if it is there, else the first one, or null if there are none. */
    static String of(String asked, List<String> choices) {
        return choices.contains(asked) ? asked : choices.stream().findFirst().orElse(null);
    }
}
