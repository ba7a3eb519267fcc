package dev.tidemark.profiles;

import dev.tidemark.common.Event;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;

/** Whether an event is a visit. */
final class VisitTest {

    private final JsonPointer field;
    private final String is;

    /** @param mapping which events are; null: all */
    VisitTest(VisitMapping mapping) {
        this.field = mapping == null ? null : JsonPointer.compile(mapping.field());
        this.is = mapping == null ? null : mapping.is();
    }

    boolean test(Event event) {
        if (field == null) {
            return true;
        }
        JsonNode value = ProfileFields.JSON.readTree(event.payload()).at(field);
        return value.isValueNode() && !value.isNull() && value.asString().equals(is);
    }
}
