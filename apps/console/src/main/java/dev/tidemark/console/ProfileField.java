package dev.tidemark.console;

import java.math.BigDecimal;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** A field of a profile: a time, a number, a text, or nothing. */
record ProfileField(String name, Instant time, Number number, String text) {

    /** What the page shows large; the rest is listed. */
    private static final Set<String> MAIN =
            Set.of("visits_today", "spend_this_week", "count", "amount", "last_time", "session_start");

    /** What is spent, which is nothing where events have no amount. */
    private static final Set<String> MONEY =
            Set.of("amount", "minimum", "maximum", "average", "spend_this_week", "session_amount");

    static List<ProfileField> of(Map<String, Object> row) {
        return row.entrySet().stream()
                .map(column -> of(column.getKey(), column.getValue()))
                .toList();
    }

    static List<ProfileField> of(JsonNode object) {
        return object.properties().stream()
                .map(field -> of(field.getKey(), value(field.getValue())))
                .toList();
    }

    public boolean isMain() {
        return MAIN.contains(name);
    }

    /** Whether it is an amount, or would be one if there were amounts. */
    boolean isMoney() {
        return MONEY.contains(name);
    }

    /** The same field with nothing in it. */
    ProfileField emptied() {
        return new ProfileField(name, null, null, null);
    }

    public boolean isEmpty() {
        return time == null && number == null && text == null;
    }

    private static ProfileField of(String name, Object value) {
        if (value instanceof Timestamp time) {
            return new ProfileField(name, time.toInstant(), null, null);
        }
        if (value instanceof Instant time) {
            return new ProfileField(name, time, null, null);
        }
        if (value instanceof Number number) {
            return new ProfileField(name, null, number, null);
        }
        return new ProfileField(name, null, null, value == null ? null : value.toString());
    }

    private static Object value(JsonNode json) {
        if (json.isNull()) {
            return null;
        }
        if (json.isNumber()) {
            return new BigDecimal(json.asString());
        }
        if (!json.isString()) {
            return json.toString();
        }
        try {
            return Instant.parse(json.asString());
        } catch (DateTimeException e) {
            return json.asString();
        }
    }
}
