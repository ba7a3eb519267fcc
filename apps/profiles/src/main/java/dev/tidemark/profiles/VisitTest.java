package dev.tidemark.profiles;

import dev.tidemark.common.Event;
import dev.tidemark.common.FieldText;

/** Whether an event is a visit. */
final class VisitTest {

    private final FieldText field;
    private final String is;

    /**
     * @param mapping which events are; null: all
     * @param maxSize the largest event, in bytes
     */
    VisitTest(VisitMapping mapping, int maxSize) {
        this.field = mapping == null ? null : new FieldText(mapping.field(), maxSize);
        this.is = mapping == null ? null : mapping.is();
    }

    boolean test(Event event) {
        return field == null || is.equals(field.in(event.payload()));
    }
}
