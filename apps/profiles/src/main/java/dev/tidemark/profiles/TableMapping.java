package dev.tidemark.profiles;

import dev.tidemark.common.InputMapping.TimeFormat;
import dev.tidemark.common.SettingRules;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How the records of the profile table's topic are read: {@code tidemark.profiles.table}.
 *
 * @param topic the topic, which should be compacted
 * @param partitionedByKey whether it is partitioned by the key like the input; if not, updates are moved there
 * @param key JSON pointers to the key, as those of the input; empty: the record's own key is the key
 * @param eventTime JSON pointer to the time of the update; null: the record's timestamp
 * @param eventTimeFormat how that time is written
 * @param take JSON pointers to the fields that become part of a profile
 * @param deleteWithProfile whether a key's row is deleted with its profile
 * @param maxSize the largest value that is read; a larger one is malformed
 */
public record TableMapping(
        String topic,
        @DefaultValue("false") boolean partitionedByKey,
        @DefaultValue List<String> key,
        String eventTime,
        @DefaultValue("iso-8601") TimeFormat eventTimeFormat,
        @DefaultValue List<String> take,
        @DefaultValue("false") boolean deleteWithProfile,
        @DefaultValue("512KB") DataSize maxSize) {

    private static final SettingRules RULES = new SettingRules("tidemark.profiles.table.");
    private static final int MAX_POINTERS = 100;
    private static final DataSize LARGEST = DataSize.ofMegabytes(16);

    public TableMapping {
        key = key == null ? List.of() : List.copyOf(key);
        take = take == null ? List.of() : List.copyOf(take);
        RULES.require(topic != null && !topic.isBlank(), "topic", topic, "the topic of the profiles");
        requirePointers("key", key);
        requirePointers("take", take);
        RULES.require(eventTime == null || isPointer(eventTime), "event-time", eventTime, "a JSON pointer");
        RULES.require(
                eventTimeFormat != null && eventTimeFormat != TimeFormat.ISO_8601_LOCAL,
                "event-time-format",
                eventTimeFormat,
                "iso-8601, epoch-seconds, epoch-millis or epoch-micros");
        Set<String> names = new LinkedHashSet<>();
        for (String pointer : take) {
            RULES.require(names.add(nameOf(pointer)), "take", take, "fields of different names");
        }
        RULES.require(
                maxSize != null && maxSize.toBytes() > 0 && maxSize.compareTo(LARGEST) <= 0,
                "max-size",
                maxSize,
                "1B to " + LARGEST.toMegabytes() + "MB");
    }

    private static void requirePointers(String name, List<String> pointers) {
        RULES.require(
                pointers.size() <= MAX_POINTERS && pointers.stream().allMatch(TableMapping::isPointer),
                name,
                pointers,
                "JSON pointers such as /country, at most " + MAX_POINTERS);
    }

    static boolean isPointer(String text) {
        return text.matches("(?s)(/([^~/]|~[01])*)+");
    }

    /** What a taken field is called in a profile: the last part of its pointer. */
    static String nameOf(String pointer) {
        return pointer.substring(pointer.lastIndexOf('/') + 1)
                .replace("~1", "/")
                .replace("~0", "~");
    }

    /** Where the time of an update comes from, for people. */
    String timeText() {
        return eventTime == null
                ? "the record's timestamp"
                : eventTime + " as "
                        + eventTimeFormat.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
