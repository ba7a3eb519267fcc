package dev.tidemark.profiles;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.io.JsonStringEncoder;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;

/** The fields of a profile as jsonb can hold them. */
final class ProfileFields {

    /** For values that have been read before. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .recyclerPool(JsonRecyclerPools.threadLocalPool())
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(64)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private static final int MAX_EXPONENT = 1000;
    /** More digits than an exponent that fits has. */
    private static final int MANY_DIGITS = 6;

    private ProfileFields() {}

    /**
     * The fields as one JSON object, with those that jsonb refuses as a text in which they are written: NUL, half of a
     * surrogate pair, and numbers with an exponent beyond {@value #MAX_EXPONENT}. Where that makes it too long, they are
     * null.
     *
     * @param taken fields by name, as the JSON that each is written in
     * @param most how many bytes the object may have
     */
    static String fitting(Map<String, String> taken, int most) {
        Map<String, String> fields = new LinkedHashMap<>();
        taken.forEach((name, json) -> fields.put(name, fits(json) ? json : quoted(json)));
        String object = toJson(fields);
        if (fields.equals(taken) || object.getBytes(StandardCharsets.UTF_8).length <= most) {
            return object;
        }
        fields.replaceAll((name, json) -> json.equals(taken.get(name)) ? json : "null");
        return toJson(fields);
    }

    private static String toJson(Map<String, String> fields) {
        return fields.entrySet().stream()
                .map(field -> quoted(field.getKey()) + ":" + field.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        JsonStringEncoder.getInstance().quoteAsString(text, quoted);
        return quoted.append('"').toString();
    }

    private static boolean fits(String json) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                boolean fits =
                        switch (token) {
                            case PROPERTY_NAME, VALUE_STRING -> isText(parser.getString());
                            case VALUE_NUMBER_FLOAT, VALUE_NUMBER_INT -> isNumber(parser.getString());
                            default -> true;
                        };
                if (!fits) {
                    return false;
                }
            }
            return true;
        }
    }

    private static boolean isText(String text) {
        return text.indexOf('\0') < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    /** The scale of the number, from its text alone: to make a number of it may take all memory, or not be possible. */
    private static boolean isNumber(String text) {
        int e = Math.max(text.indexOf('e'), text.indexOf('E'));
        String mantissa = e < 0 ? text : text.substring(0, e);
        String exponent = e < 0 ? "0" : text.substring(e + 1).replaceFirst("^([+-]?)0+(?=.)", "$1");
        if (exponent.length() > MANY_DIGITS) {
            return false;
        }
        int point = mantissa.indexOf('.');
        int places = point < 0 ? 0 : mantissa.length() - point - 1;
        return Math.abs(places - Integer.parseInt(exponent.replace("+", ""))) <= MAX_EXPONENT;
    }
}
