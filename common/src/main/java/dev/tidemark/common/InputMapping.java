package dev.tidemark.common;

import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How the records of an input topic are read as events, such as {@code tidemark.totals.input}.
 *
 * @param topic the input topic
 * @param partitionedByKey whether all events of one key are in one partition
 * @param eventId JSON pointer to the event id
 * @param key JSON pointers to the key; with several, the key is the JSON array of their texts
 * @param eventTime JSON pointer to the event time
 * @param eventTimeFormat how the event time is written
 * @param eventTimeZone the zone of event times without an offset; only with {@link TimeFormat#ISO_8601_LOCAL}
 * @param amount JSON pointers to the amount, or to factors whose exact product is the amount; empty: no amount
 * @param amountScale decimal places of amounts
 * @param recordKey what is expected of the Kafka record's own key
 * @param maxSize the largest value that is read; a larger one is malformed
 */
public record InputMapping(
        String topic,
        boolean partitionedByKey,
        String eventId,
        List<String> key,
        String eventTime,
        @DefaultValue("iso-8601") TimeFormat eventTimeFormat,
        ZoneId eventTimeZone,
        @DefaultValue List<String> amount,
        @DefaultValue("0") int amountScale,
        @DefaultValue("utf-8") RecordKey recordKey,
        @DefaultValue("512KB") DataSize maxSize) {

    private static final int MAX_POINTERS = 16;
    private static final int MAX_SCALE = 18;
    /** A dead letter of that size still fits into the largest request that a broker takes by default, 100 MB. */
    private static final DataSize LARGEST_SIZE = DataSize.ofMegabytes(64);

    public InputMapping {
        key = key == null ? List.of() : List.copyOf(key);
        amount = amount == null ? List.of() : List.copyOf(amount);
        require(topic != null && !topic.isBlank(), "topic is missing");
        requirePointer("event-id", eventId);
        require(!key.isEmpty(), "key is missing");
        requirePointers("key", key);
        requirePointer("event-time", eventTime);
        require(eventTimeFormat != null, "event-time-format is missing");
        boolean local = eventTimeFormat == TimeFormat.ISO_8601_LOCAL;
        require(!local || eventTimeZone != null, "event-time-zone is missing, but iso-8601-local needs it");
        require(
                local || eventTimeZone == null,
                "event-time-zone is " + eventTimeZone + ", but only iso-8601-local takes a zone");
        requirePointers("amount", amount);
        require(
                amountScale >= 0 && amountScale <= MAX_SCALE,
                "amount-scale is " + amountScale + ", but 0 to " + MAX_SCALE + " is allowed");
        require(recordKey != null, "record-key is missing");
        require(maxSize != null, "max-size is missing");
        require(
                maxSize.toBytes() > 0 && maxSize.compareTo(LARGEST_SIZE) <= 0,
                "max-size is " + maxSize + ", but 1B to " + LARGEST_SIZE.toMegabytes() + "MB is allowed");
    }

    /** How event times are written, for people. */
    public String eventTimeText() {
        String format = eventTimeFormat.name().toLowerCase(Locale.ROOT).replace('_', '-');
        return eventTimeZone == null ? format : format + " in " + eventTimeZone;
    }

    private static void requirePointers(String name, List<String> pointers) {
        require(
                pointers.size() <= MAX_POINTERS,
                name + " has " + pointers.size() + " pointers, but at most " + MAX_POINTERS + " are allowed");
        pointers.forEach(pointer -> requirePointer(name, pointer));
    }

    private static void requirePointer(String name, String pointer) {
        require(pointer != null && !pointer.isEmpty(), name + " is missing");
        String fault = PointerTree.fault(pointer);
        require(fault == null, name + " is " + pointer + ", " + fault);
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }

    /** How event times are written. */
    public enum TimeFormat {
        /** Date and time with an offset or Z. */
        ISO_8601,
        /** Date and time without an offset, separated by a T or one space, read in the event time zone. */
        ISO_8601_LOCAL,
        EPOCH_SECONDS,
        EPOCH_MILLIS,
        EPOCH_MICROS
    }

    /** What is expected of the key of a Kafka record, which is otherwise not read. */
    public enum RecordKey {
        /** Absent or valid UTF-8; other bytes make the record malformed. */
        UTF_8,
        /** Whatever it is. */
        ANY
    }
}
