package dev.tidemark.common;

import dev.tidemark.common.InputMapping.TimeFormat;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.util.unit.DataSize;

/**
 * How the records of a table topic are read: each is the state of its key from a time on, and one without a value says
 * that there is none any more.
 *
 * @param topic the table topic
 * @param partitionedByKey whether all records of one key are in one partition
 * @param key JSON pointers to the key; with several, the key is the JSON array of their texts; empty: the record's key
 * @param eventTime JSON pointer to the time from which on the record is valid; null: the record's timestamp
 * @param eventTimeFormat how that time is written
 * @param eventTimeZone the zone of times without an offset; only with {@link TimeFormat#ISO_8601_LOCAL}
 * @param take JSON pointers to the fields that are taken; each is called like its last part
 * @param maxSize the largest value that is read; a larger one is malformed
 */
public record TableMapping(
        String topic,
        boolean partitionedByKey,
        List<String> key,
        String eventTime,
        TimeFormat eventTimeFormat,
        ZoneId eventTimeZone,
        List<String> take,
        DataSize maxSize) {

    private static final int MAX_POINTERS = 64;

    /** @throws IllegalArgumentException if it cannot be; the message begins with the name of the setting */
    public TableMapping {
        key = List.copyOf(key);
        take = List.copyOf(take);
        // What holds for events holds for them.
        new InputMapping(
                topic,
                partitionedByKey,
                "/key",
                key.isEmpty() ? List.of("/key") : key,
                eventTime == null ? "/time" : eventTime,
                eventTimeFormat,
                eventTimeZone,
                List.of(),
                0,
                InputMapping.RecordKey.UTF_8,
                maxSize);
        require(!take.isEmpty(), "take is missing; it needs JSON pointers such as /name");
        require(
                take.size() + key.size() < MAX_POINTERS,
                "take has " + take.size() + " pointers, but less than " + MAX_POINTERS + " are allowed");
        take.forEach(TableMapping::requirePointer);
        requireApart(pointers(key, eventTime, take));
        List<String> names = names(take);
        require(
                names.stream().distinct().count() == names.size(),
                "take names two fields alike, " + names + "; each is called like its last part");
    }

    /** All pointers: to the key, to the time if there is one, and to what is taken. */
    List<String> pointers() {
        return pointers(key, eventTime, take);
    }

    /** What the fields that are taken are called. */
    List<String> names() {
        return names(take);
    }

    private static List<String> pointers(List<String> key, String eventTime, List<String> take) {
        Stream<String> time = eventTime == null ? Stream.of() : Stream.of(eventTime);
        return Stream.of(key.stream(), time, take.stream())
                .flatMap(pointers -> pointers)
                .toList();
    }

    private static List<String> names(List<String> take) {
        return take.stream()
                .map(pointer -> pointer.substring(pointer.lastIndexOf('/') + 1)
                        .replace("~1", "/")
                        .replace("~0", "~"))
                .toList();
    }

    private static void requirePointer(String pointer) {
        require(pointer != null && !pointer.isEmpty(), "take has an empty pointer");
        String fault = PointerTree.fault(pointer);
        require(fault == null, "take is " + pointer + ", " + fault);
    }

    private static void requireApart(List<String> pointers) {
        for (String outer : pointers) {
            for (String inner : pointers) {
                require(
                        !inner.startsWith(outer + "/"),
                        "take, key and event-time have " + inner + " within " + outer
                                + "; no field may lie in another");
            }
        }
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
