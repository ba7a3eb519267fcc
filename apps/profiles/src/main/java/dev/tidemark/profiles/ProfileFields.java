package dev.tidemark.profiles;

import java.nio.charset.StandardCharsets;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The fields of a profile as jsonb can hold them. */
final class ProfileFields {

    /** Exact for numbers, down to the last zero; for values that have been read before. */
    static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .recyclerPool(JsonRecyclerPools.threadLocalPool())
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(64)
                            .maxStringLength(64 * 1024 * 1024)
                            .build())
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private static final int MAX_EXPONENT = 1000;

    private ProfileFields() {}

    /**
     * The fields with those that jsonb refuses as a text in which they are written: NUL, half of a surrogate pair, and
     * numbers with an exponent beyond {@value #MAX_EXPONENT}.
     *
     * @param taken a JSON object
     */
    static String fitting(String taken) {
        ObjectNode fields = (ObjectNode) JSON.readTree(taken);
        boolean fits = true;
        for (String name : fields.propertyNames().toArray(String[]::new)) {
            if (!fits(fields.get(name))) {
                fields.put(name, ascii(JSON.writeValueAsString(fields.get(name))));
                fits = false;
            }
        }
        return fits ? taken : JSON.writeValueAsString(fields);
    }

    /** A half of a surrogate pair as its escape. */
    private static String ascii(String json) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            text.append(c < 0x7F ? Character.toString(c) : String.format("\\u%04x", (int) c));
        }
        return text.toString();
    }

    private static boolean fits(JsonNode node) {
        if (node.isString()) {
            return fits(node.asString());
        }
        if (node.isNumber()) {
            return Math.abs((long) node.decimalValue().scale()) <= MAX_EXPONENT;
        }
        return node.propertyStream().allMatch(field -> fits(field.getKey()))
                && node.valueStream().allMatch(ProfileFields::fits);
    }

    private static boolean fits(String text) {
        return text.indexOf('\0') < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }
}
