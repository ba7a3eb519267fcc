package dev.tidemark.profiles;

import dev.tidemark.common.InputMapping.TimeFormat;
import dev.tidemark.common.TableMapping;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Where the profiles come from and how they are read: {@code tidemark.profiles.table}.
 *
 * @param topic the table topic
 * @param partitionedByKey whether all records of one key are in one partition
 * @param key JSON pointers to the key; empty: the record's key
 * @param eventTime JSON pointer to the time of an update; null: the record's timestamp
 * @param eventTimeFormat how that time is written
 * @param eventTimeZone the zone of times without an offset
 * @param take JSON pointers to the fields that are taken
 * @param deleteWithProfile whether a key's row is deleted with its profile
 * @param maxSize the largest value that is read; a larger one is malformed
 */
public record TableSettings(
        String topic,
        boolean partitionedByKey,
        List<String> key,
        String eventTime,
        @DefaultValue("iso-8601") TimeFormat eventTimeFormat,
        ZoneId eventTimeZone,
        List<String> take,
        @DefaultValue("false") boolean deleteWithProfile,
        @DefaultValue("512KB") DataSize maxSize) {

    public TableSettings {
        key = key == null ? List.of() : List.copyOf(key);
        take = take == null ? List.of() : List.copyOf(take);
        mapping(topic, partitionedByKey, key, eventTime, eventTimeFormat, eventTimeZone, take, maxSize);
    }

    TableMapping mapping() {
        return mapping(topic, partitionedByKey, key, eventTime, eventTimeFormat, eventTimeZone, take, maxSize);
    }

    private static TableMapping mapping(
            String topic,
            boolean partitionedByKey,
            List<String> key,
            String eventTime,
            TimeFormat eventTimeFormat,
            ZoneId eventTimeZone,
            List<String> take,
            DataSize maxSize) {
        return new TableMapping(topic, partitionedByKey, key, eventTime, eventTimeFormat, eventTimeZone, take, maxSize);
    }

    /** Where the key comes from, for people. */
    String keyText() {
        return key.isEmpty() ? "the record's" : key.toString();
    }

    /** Where the time of an update comes from, for people. */
    String timeText() {
        if (eventTime == null) {
            return "the record's";
        }
        String format = eventTimeFormat.name().toLowerCase(Locale.ROOT).replace('_', '-');
        return eventTime + " as " + format + (eventTimeZone == null ? "" : " in " + eventTimeZone);
    }
}
