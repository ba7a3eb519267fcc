package dev.tidemark.pairs;

import java.nio.charset.StandardCharsets;

/**
 * An event's JSON as PostgreSQL can store it in a jsonb column. Nearly every event is handed on as it came. What JSON
 * allows and jsonb does not is replaced: the character NUL and halves of surrogate pairs, which can only be written as
 * escapes, by U+FFFD, and numbers with an exponent of more than three digits by their text.
 */
final class StorableJson {

    private static final int LONGEST_EXPONENT = 3;
    private static final int ESCAPE = 6;
    private static final String REPLACEMENT = "\\ufffd";

    private final String json;
    private final StringBuilder stored;
    private int at;

    private StorableJson(String json) {
        this.json = json;
        this.stored = new StringBuilder(json.length());
    }

    /** @param payload a JSON object in UTF-8 */
    static String of(byte[] payload) {
        String json = new String(payload, StandardCharsets.UTF_8);
        return json.contains("\\u") || mayHaveExponents(json) ? new StorableJson(json).rewrite() : json;
    }

    private static boolean mayHaveExponents(String json) {
        for (int i = 1; i < json.length(); i++) {
            if ((json.charAt(i) == 'e' || json.charAt(i) == 'E') && isDigit(json.charAt(i - 1))) {
                return true;
            }
        }
        return false;
    }

    private String rewrite() {
        while (at < json.length()) {
            char c = json.charAt(at);
            if (c == '"') {
                copyText();
            } else if (c == '-' || isDigit(c)) {
                copyNumber();
            } else {
                copy(1);
            }
        }
        return stored.toString();
    }

    private void copyText() {
        copy(1);
        while (json.charAt(at) != '"') {
            if (json.charAt(at) != '\\') {
                copy(1);
            } else if (json.charAt(at + 1) == 'u') {
                copyEscape();
            } else {
                copy(2);
            }
        }
        copy(1);
    }

    private void copyEscape() {
        char c = escaped(at);
        boolean isPair = Character.isHighSurrogate(c)
                && json.startsWith("\\u", at + ESCAPE)
                && Character.isLowSurrogate(escaped(at + ESCAPE));
        if (isPair) {
            copy(2 * ESCAPE);
        } else if (c == 0 || Character.isSurrogate(c)) {
            stored.append(REPLACEMENT);
            at += ESCAPE;
        } else {
            copy(ESCAPE);
        }
    }

    private char escaped(int from) {
        return (char) Integer.parseInt(json.substring(from + 2, from + ESCAPE), 16);
    }

    private void copyNumber() {
        int end = at;
        int exponent = -1;
        while (end < json.length() && "+-.eE0123456789".indexOf(json.charAt(end)) >= 0) {
            exponent = json.charAt(end) == 'e' || json.charAt(end) == 'E' ? end : exponent;
            end++;
        }
        boolean isHuge = exponent >= 0
                && json.substring(exponent + 1, end)
                                .replaceFirst("^[+-]?0*", "")
                                .length()
                        > LONGEST_EXPONENT;
        if (isHuge) {
            stored.append('"').append(json, at, end).append('"');
            at = end;
        } else {
            copy(end - at);
        }
    }

    private void copy(int count) {
        stored.append(json, at, at + count);
        at += count;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
