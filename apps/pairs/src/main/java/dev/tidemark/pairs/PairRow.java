package dev.tidemark.pairs;

import dev.tidemark.common.Event;
import dev.tidemark.common.JsonRow;
import dev.tidemark.common.Side;
import java.nio.charset.StandardCharsets;

/**
 * What is published of a pair, or of an event without a partner. Times are epoch milliseconds.
 *
 * @param left the left event; null if it is missing
 * @param right the right event; null if it is missing
 * @param version 1 as the join said; 2 if unmatched had been published before, or would have been
 * @param reason why there is no partner, in words, or {@code late}; null for a match of version 1
 * @param closedBy what moved the clock so far that no partner is waited for; null for a match
 * @param streamTime the clock's time behind it; for a match of version 1 the later event's time
 * @param causeEventId id of the late event behind version 2; else null
 */
record PairRow(
        Event left, Event right, int version, String reason, String closedBy, long streamTime, String causeEventId) {

    static final int FIRST = 1;
    static final int CORRECTED = 2;

    /**
     * The primary key of a row.
     *
     * @param key what the events have in common
     * @param leftId id of the left event; empty if it is missing
     * @param rightId id of the right event; empty if it is missing
     */
    record Id(String key, String leftId, String rightId) {

        byte[] toJson(String pipeline) {
            return row(pipeline).toBytes();
        }

        private JsonRow row(String pipeline) {
            return new JsonRow()
                    .text("pipeline", pipeline)
                    .text("key", key)
                    .text("left_id", leftId)
                    .text("right_id", rightId);
        }
    }

    static PairRow matched(Event left, Event right) {
        return new PairRow(left, right, FIRST, null, null, Math.max(left.time(), right.time()), null);
    }

    static PairRow corrected(Event left, Event right, Event cause, long streamTime) {
        return new PairRow(left, right, CORRECTED, "late", null, streamTime, cause.id());
    }

    static PairRow unmatched(Side side, Event event, String reason, String closedBy, long streamTime) {
        return new PairRow(
                side == Side.LEFT ? event : null,
                side == Side.RIGHT ? event : null,
                FIRST,
                reason,
                closedBy,
                streamTime,
                null);
    }

    Id id() {
        return new Id(event().key(), idOf(left), idOf(right));
    }

    /** The event that the row is about: the left one, if there is one. */
    private Event event() {
        return left == null ? right : left;
    }

    /**
     * The value of the row's record. Its last fields, which are never empty, are for an app that reads the rows as events.
     *
     * @param settings fingerprint of the settings
     */
    byte[] toJson(String pipeline, String settings) {
        return id().row(pipeline)
                .number("version", version)
                .text("status", status())
                .text("reason", reason)
                .time("left_time", timeOf(left))
                .time("right_time", timeOf(right))
                .number("distance_millis", isMatched() ? (Number) (right.time() - left.time()) : null)
                .text("left_event", payloadOf(left))
                .text("right_event", payloadOf(right))
                .text("closed_by", closedBy)
                .time("stream_time", streamTime)
                .text("cause_event_id", causeEventId)
                .text("settings", settings)
                .text("event_side", left == null ? "right" : "left")
                .text("event_id", event().id())
                .time("event_time", event().time())
                .text("partner_id", left == null || right == null ? event().id() : right.id())
                .toBytes();
    }

    private boolean isMatched() {
        return left != null && right != null;
    }

    private String status() {
        if (isMatched()) {
            return "matched";
        }
        return left == null ? "right-unmatched" : "left-unmatched";
    }

    private static String idOf(Event event) {
        return event == null ? "" : event.id();
    }

    private static Long timeOf(Event event) {
        return event == null ? null : event.time();
    }

    private static String payloadOf(Event event) {
        return event == null ? null : new String(event.payload(), StandardCharsets.UTF_8);
    }
}
