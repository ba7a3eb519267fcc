package dev.tidemark.profiles;

import dev.tidemark.common.ExactSum;
import dev.tidemark.common.JsonRow;
import java.math.BigDecimal;
import java.util.List;

/**
 * One version of one session, as published. Times are epoch milliseconds.
 *
 * @param id what the row is about
 * @param session what the session consists of; of a replaced one, what it was
 * @param replacedBy start of the session that it has become part of, or null
 * @param replaces starts of the sessions that have become part of it
 * @param before what the row before it, of the same start, said; zero if there is none, null for a final
 * @param causes ids of the late events behind it
 * @param streamTime the clock's time behind it
 * @param closedBy what finished it
 */
record SessionRow(
        Id id,
        Session session,
        Long replacedBy,
        List<Long> replaces,
        ExactSum before,
        List<String> causes,
        long streamTime,
        String closedBy) {

    static final int FINAL = 1;

    /**
     * The primary key of a row.
     *
     * @param start start of the session
     * @param version 1 final, 2 and more corrected or replaced
     */
    record Id(String key, long start, int version) {

        byte[] toJson(String pipeline) {
            return row(pipeline).toBytes();
        }

        private JsonRow row(String pipeline) {
            return new JsonRow()
                    .text("pipeline", pipeline)
                    .text("key", key)
                    .time("session_start", start)
                    .number("version", version);
        }
    }

    /**
     * The value of the row's record.
     *
     * @param scale decimal places of amounts
     * @param settings fingerprint of the settings
     */
    byte[] toJson(String pipeline, int scale, String settings) {
        boolean replaced = replacedBy != null;
        BigDecimal amount =
                replaced ? BigDecimal.valueOf(0, scale) : session.amount().toDecimal(scale);
        BigDecimal previous = before == null ? null : before.toDecimal(scale);
        return id.row(pipeline)
                .time("session_end", session.end())
                .text("status", status())
                .number("count", replaced ? 0 : session.count())
                .decimal("amount", amount)
                .text("first_event_id", session.firstId())
                .text("last_event_id", session.lastId())
                .time("replaced_by", replacedBy)
                .texts("replaces", replaces.stream().map(JsonRow::timeText).toList())
                .decimal("previous_amount", previous)
                .decimal("delta", previous == null ? null : amount.subtract(previous))
                .text("reason", id.version == FINAL ? null : "late")
                .text("cause_event_id", causes.isEmpty() ? null : causes.get(0))
                .texts("cause_event_ids", causes.isEmpty() ? null : causes)
                .time("stream_time", streamTime)
                .text("closed_by", closedBy)
                .text("settings", settings)
                .toBytes();
    }

    private String status() {
        if (replacedBy != null) {
            return "replaced";
        }
        return id.version == FINAL ? "final" : "corrected";
    }
}
