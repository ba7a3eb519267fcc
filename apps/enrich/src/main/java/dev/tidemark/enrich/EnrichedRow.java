package dev.tidemark.enrich;

import dev.tidemark.common.Event;
import dev.tidemark.common.JsonRow;
import java.nio.charset.StandardCharsets;

/**
 * What is published of an event.
 *
 * @param event the event
 * @param profile what the table said of its key as of its time; null: nothing
 * @param version 1 when its time had come; 2 if its profile came after that
 * @param reason why it has no profile or a version 2, in words; else null
 */
record EnrichedRow(Event event, Profile profile, int version, String reason) {

    static final int FIRST = 1;
    static final int CORRECTED = 2;

    /** The primary key of a row. */
    record Id(String key, String eventId, int version) {

        byte[] toJson(String pipeline) {
            return row(pipeline).toBytes();
        }

        private JsonRow row(String pipeline) {
            return new JsonRow()
                    .text("pipeline", pipeline)
                    .text("key", key)
                    .text("event_id", eventId)
                    .number("version", version);
        }
    }

    Id id() {
        return new Id(event.key(), event.id(), version);
    }

    /**
     * The value of the row's record.
     *
     * @param table the table topic
     * @param settings fingerprint of the settings
     */
    byte[] toJson(String pipeline, String table, String settings) {
        boolean isPlaced = profile != null && profile.partition() >= 0;
        return id().row(pipeline)
                .text("status", profile == null ? "missing" : "enriched")
                .text("reason", reason)
                .time("event_time", event.time())
                .text("event", new String(event.payload(), StandardCharsets.UTF_8))
                .text("profile", profile == null ? null : profile.json())
                .time("profile_time", profile == null ? null : profile.time())
                .text("source_topic", event.origin().topic())
                .number("source_partition", event.origin().partition())
                .number("source_offset", event.origin().offset())
                .text("table_topic", table)
                .number("table_partition", isPlaced ? (Number) profile.partition() : null)
                .number("table_offset", isPlaced ? (Number) profile.offset() : null)
                .text("settings", settings)
                .toBytes();
    }
}
