package dev.tidemark.embedded;

import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigDecimal;
import java.util.List;

/** Rows of pipeline "sales" as the apps write them. */
final class ResultRows {

    private ResultRows() {}

    static String provisional(String key, int count) {
        return total(key, 0, count + ".00").replace("\"count\":1", "\"count\":" + count);
    }

    static String total(String key, int version, String total) {
        return """
                {"pipeline":"sales","key":"%s","window_start":"2026-07-01T10:00:00.000Z",\
                "window_end":"2026-07-01T10:10:00.000Z","version":%d,"status":"%s","total":%s,"count":1,\
                "settings":"7f3a9c21"}""".formatted(
                key,
                version,
                List.of("provisional", "final", "corrected", "corrected").get(version),
                total);
    }

    static String exception(String eventId) {
        return """
                {"pipeline":"sales","source_topic":"sales","source_partition":0,"source_offset":1,"event_id":"%s",\
                "disposition":"duplicate","reason":"seen before"}""".formatted(eventId);
    }

    static String ledger(String topic, int received, int held, String streamTime) {
        return """
                {"pipeline":"sales","source_topic":"%s","source_partition":0,"received":%d,"counted":%d,\
                "partly_late":0,"late":0,"too_late":0,"duplicate":0,"conflicting":0,"future":0,"malformed":0,\
                "out_of_range":0,"held":%d,"received_amount":%d.00,"counted_amount":%d.00,"partly_late_amount":0.00,\
                "late_amount":0.00,"too_late_amount":0.00,"duplicate_amount":0.00,"conflicting_amount":0.00,\
                "future_amount":0.00,"held_amount":%d.00,"stream_time":"%s"}""".formatted(
                topic, received, received - held, held, 10 * received, 10 * (received - held), 10 * held, streamTime);
    }

    static String pair(String key, String leftId, String rightId, String leftEvent, String rightEvent) {
        return """
                {"pipeline":"sales","key":"%s","left_id":"%s","right_id":"%s","version":2,"status":"matched",\
                "reason":"late","left_time":"2026-07-01T10:00:00.000Z","right_time":"2026-07-01T09:59:59.000Z",\
                "distance_millis":-1000,"left_event":%s,"right_event":%s,"closed_by":null,\
                "stream_time":"2026-07-01T11:00:00.000Z","cause_event_id":"%s","settings":"7f3a9c21",\
                "event_side":"left"}""".formatted(key, leftId, rightId, TextNode.valueOf(leftEvent), TextNode.valueOf(rightEvent), rightId);
    }

    static String enriched(String id, int version, String profile, String event) {
        return """
                {"pipeline":"sales","key":"C1","event_id":"%s","version":%d,"status":"%s","reason":"late",\
                "event_time":"2026-07-01T10:00:00.000Z","event":%s,"profile":%s,"profile_time":%s,\
                "source_topic":"activities","source_partition":3,"source_offset":9007199254740993,\
                "table_topic":"customers","table_partition":%s,"table_offset":%s,"settings":"7f3a9c21"}""".formatted(
                        id,
                        version,
                        profile == null ? "missing" : "enriched",
                        TextNode.valueOf(event),
                        profile == null ? "null" : TextNode.valueOf(profile),
                        profile == null ? "null" : "\"2026-07-01T09:00:00.000Z\"",
                        profile == null ? "null" : "1",
                        profile == null ? "null" : "7");
    }

    static String unmatched(String key, String leftId, String rightId) {
        String side = rightId.isEmpty() ? "left" : "right";
        return """
                {"pipeline":"sales","key":"%s","left_id":"%s","right_id":"%s","version":1,"status":"%s-unmatched",\
                "reason":"no %s within 30m","left_time":null,"%s_time":"2026-07-01T10:00:00.000Z",\
                "distance_millis":null,"%s_event":"{\\"id\\":1}","closed_by":"watermark",\
                "stream_time":"2026-07-01T11:00:00.000Z","cause_event_id":null,"settings":"7f3a9c21"}""".formatted(key, leftId, rightId, side, side.equals("left") ? "payments" : "orders", side, side)
                .replace(side.equals("left") ? "\"left_time\":null," : "", "");
    }

    static String lateness(int partition, String day, int fromSeconds, int events) {
        BigDecimal amount = BigDecimal.valueOf(50L * events, 2);
        return """
                {"pipeline":"sales","day":"%s","partition":%d,"from_seconds":%d,"events":%d,"amount":-%s,\
                "absolute_amount":%s,"arrivals":%d}""".formatted(day, partition, fromSeconds, events, amount, amount, events);
    }

    static String profileKey(String key) {
        return "{\"pipeline\":\"sales\",\"key\":\"%s\"}".formatted(key);
    }

    static String profile(String key, int revision, String amount, String profile) {
        return """
                {"pipeline":"sales","key":"%s","revision":%d,"count":3,"amount":%s,"minimum":null,"maximum":12.50,\
                "average":4.170000,"first_time":"2026-07-01T10:00:00.000Z","first_event_id":"a1",\
                "last_time":"2026-07-01T11:00:00.000Z","last_event_id":"a3","longest_gap_millis":3000000,\
                "longest_gap_start":"2026-07-01T10:10:00.000Z","longest_gap_end":"2026-07-01T11:00:00.000Z",\
                "day_start":"2026-06-30T22:00:00.000Z","visits_today":1,"week_start":"2026-06-28T22:00:00.000Z",\
                "spend_this_week":0.50,"stream_time":"2026-07-01T11:00:00.000Z",\
                "session_start":"2026-07-01T11:00:00.000Z","session_end":"2026-07-01T11:00:00.000Z",\
                "session_until":"2026-07-01T11:30:00.000Z","session_count":1,"session_amount":0.01,"profile":%s,\
                "profile_time":"2026-07-01T09:00:00.000Z","profile_partition":0,"profile_offset":7,\
                "zone":"Europe/Berlin","settings":"7f3a9c21"}""".formatted(key, revision, amount, profile);
    }

    static String session(
            String key, String start, int version, String status, int count, String amount, String replacedBy) {
        return """
                {"pipeline":"sales","key":"%s","session_start":"2026-07-01T%s:00.000Z","version":%d,\
                "session_end":"2026-07-01T10:45:00.000Z","status":"%s","count":%d,"amount":%s,"first_event_id":"a1",\
                "last_event_id":"a2","replaced_by":%s,"replaces":"[]","previous_amount":null,"delta":null,\
                "reason":null,"cause_event_id":null,"cause_event_ids":null,\
                "stream_time":"2026-07-01T12:00:00.000Z","closed_by":"watermark","settings":"7f3a9c21"}""".formatted(key, start, version, status, count, amount, replacedBy);
    }
}
