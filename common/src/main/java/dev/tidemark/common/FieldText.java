package dev.tidemark.common;

import java.util.List;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Finds the text of one field in values that an {@link EventReader} or {@link TableReader} has accepted. It never makes a
 * number of what it reads, which of a few characters can be one of a billion digits. Thread-safe.
 */
public final class FieldText {

    private final PointerTree pointer;
    private final JsonFactory json;

    /**
     * @param pointer JSON pointer to the field
     * @param maxSize the largest value, in bytes
     */
    public FieldText(String pointer, int maxSize) {
        this.pointer = PointerTree.of(List.of(pointer));
        this.json = EventReader.strictJson(maxSize);
    }

    /** The text, or the number, true or false as it is written; null if there is none of them. */
    public String in(byte[] value) {
        try (JsonParser parser = json.createParser(ObjectReadContext.empty(), value, 0, value.length)) {
            return find(parser, parser.nextToken(), pointer);
        }
    }

    private static String find(JsonParser parser, JsonToken token, PointerTree tree) {
        if (tree != null && tree.isLeaf() && token.isScalarValue() && token != JsonToken.VALUE_NULL) {
            return parser.getString();
        }
        if (tree == null || tree.isLeaf()) {
            parser.skipChildren();
            return null;
        }
        String found = null;
        if (token == JsonToken.START_OBJECT) {
            for (String name = parser.nextName(); found == null && name != null; name = parser.nextName()) {
                found = find(parser, parser.nextToken(), tree.child(name));
            }
        } else if (token == JsonToken.START_ARRAY) {
            int index = 0;
            for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
                found = find(parser, next, tree.child(index++));
                if (found != null) {
                    return found;
                }
            }
        }
        return found;
    }
}
