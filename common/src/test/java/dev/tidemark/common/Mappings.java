package dev.tidemark.common;

import dev.tidemark.common.InputMapping.RecordKey;
import dev.tidemark.common.InputMapping.TimeFormat;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import org.springframework.util.unit.DataSize;

/** Mappings for tests: that of the sales topic, or one that differs from it in what the test is about. */
record Mappings(
        String topic,
        String eventId,
        List<String> key,
        String eventTime,
        TimeFormat format,
        ZoneId zone,
        List<String> amount,
        int scale,
        RecordKey recordKey,
        long maxSize) {

    static Mappings sales() {
        return new Mappings(
                "sales",
                "/event_id",
                List.of("/store_id"),
                "/event_time",
                TimeFormat.ISO_8601,
                null,
                List.of("/amount"),
                2,
                RecordKey.UTF_8,
                512 * 1024);
    }

    Mappings topic(String changed) {
        return new Mappings(changed, eventId, key, eventTime, format, zone, amount, scale, recordKey, maxSize);
    }

    Mappings eventId(String changed) {
        return new Mappings(topic, changed, key, eventTime, format, zone, amount, scale, recordKey, maxSize);
    }

    Mappings key(String... changed) {
        return new Mappings(
                topic, eventId, Arrays.asList(changed), eventTime, format, zone, amount, scale, recordKey, maxSize);
    }

    Mappings withoutKey() {
        return key(new String[0]);
    }

    Mappings eventTime(String changed) {
        return new Mappings(topic, eventId, key, changed, format, zone, amount, scale, recordKey, maxSize);
    }

    Mappings format(TimeFormat changed, ZoneId changedZone) {
        return new Mappings(topic, eventId, key, eventTime, changed, changedZone, amount, scale, recordKey, maxSize);
    }

    Mappings amount(String... changed) {
        return new Mappings(
                topic, eventId, key, eventTime, format, zone, Arrays.asList(changed), scale, recordKey, maxSize);
    }

    Mappings withoutAmount() {
        return amount(new String[0]);
    }

    Mappings scale(int changed) {
        return new Mappings(topic, eventId, key, eventTime, format, zone, amount, changed, recordKey, maxSize);
    }

    Mappings recordKey(RecordKey changed) {
        return new Mappings(topic, eventId, key, eventTime, format, zone, amount, scale, changed, maxSize);
    }

    Mappings maxSize(long changed) {
        return new Mappings(topic, eventId, key, eventTime, format, zone, amount, scale, recordKey, changed);
    }

    InputMapping build() {
        return new InputMapping(
                topic,
                true,
                eventId,
                key,
                eventTime,
                format,
                zone,
                amount,
                scale,
                recordKey,
                DataSize.ofBytes(maxSize));
    }
}
