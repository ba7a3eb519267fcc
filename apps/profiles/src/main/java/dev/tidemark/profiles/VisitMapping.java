package dev.tidemark.profiles;

import dev.tidemark.common.SettingRules;

/**
 * Which events are visits: {@code tidemark.profiles.visits}. Without it, every event is one.
 *
 * @param field JSON pointer to a text, a number, true or false
 * @param is what it has to be
 */
public record VisitMapping(String field, String is) {

    private static final SettingRules RULES = new SettingRules("tidemark.profiles.visits.");

    public VisitMapping {
        RULES.require(
                field != null && field.matches("(?s)(/([^~/]|~[01])*)+"),
                "field",
                field,
                "a JSON pointer such as /kind");
        RULES.require(is != null && !is.isEmpty(), "is", is, "what the field has to be, such as visit");
    }
}
