package dev.tidemark.common;

import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;

/**
 * Words for what is wrong with a record. They go to logs, headers and PostgreSQL text: whatever comes from the record
 * is shortened, and characters that are no visible text are replaced.
 */
final class Reasons {

    private static final int MAX_QUOTE = 60;
    private static final int MAX_DETAIL = 160;
    private static final char REPLACEMENT = '\uFFFD';
    /** Where a message of the parser begins to speak of its own settings and of places in its own words. */
    private static final Pattern PARSER_INTERNALS = Pattern.compile(
            "[ :,(]*(start marker|starting at|consider|for (Object|Array|Root)|maybe a|enable|\\[Source).*",
            Pattern.DOTALL);

    private static final Pattern SETTING = Pattern.compile(", from `[^`]*`");

    private Reasons() {}

    /** A text from the record as it may be shown: at most 60 characters. */
    static String show(CharSequence text) {
        return show(text, MAX_QUOTE);
    }

    private static String show(CharSequence text, int limit) {
        StringBuilder shown = new StringBuilder();
        int i = 0;
        while (i < text.length()) {
            int character = Character.codePointAt(text, i);
            if (shown.length() + Character.charCount(character) > limit) {
                return shown.append('…').toString();
            }
            shown.appendCodePoint(isVisible(character) ? character : REPLACEMENT);
            i += Character.charCount(character);
        }
        return shown.toString();
    }

    private static boolean isVisible(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /** What the parser found wrong, and where. */
    static String of(JacksonException fault, JsonParser parser) {
        String field = parser.streamReadContext().pathAsPointer().toString();
        String message = SETTING.matcher(fault.getOriginalMessage()).replaceAll("");
        if (fault instanceof UnexpectedEndOfInputException || message.startsWith("Unexpected end-of-input")) {
            return "the JSON object is cut off" + (field.isEmpty() ? "" : " at " + show(field));
        }
        if (message.startsWith("Duplicate")) {
            return show(field) + " occurs twice in its object";
        }
        String detail = show(PARSER_INTERNALS.matcher(message).replaceFirst(""), MAX_DETAIL);
        if (fault instanceof StreamConstraintsException) {
            return (field.isEmpty() ? "the value" : show(field)) + " goes beyond a limit: " + detail;
        }
        return "the value is not JSON at byte " + fault.getLocation().getByteOffset()
                + (field.isEmpty() ? "" : ", in " + show(field)) + ": " + detail;
    }
}
