package dev.tidemark.totals;

import dev.tidemark.common.Closing;
import dev.tidemark.common.JsonRow;
import java.math.BigDecimal;

/**
 * One version of one total, as published. Times are epoch milliseconds.
 *
 * @param id what the row is about
 * @param windowEnd end of the window
 * @param total what the window adds up to
 * @param correction what led to this version; null below version 2
 * @param reason why it was corrected; null below version 2
 * @param streamTime the clock's time behind this version
 * @param closedBy what closed the window; null while it is open
 */
record TotalRow(
        Id id,
        long windowEnd,
        WindowTotal total,
        Correction correction,
        String reason,
        long streamTime,
        String closedBy) {

    private static final String LATE = "late";
    private static final String RECOUNT = "recount";

    /**
     * The primary key of a row.
     *
     * @param key what the events are grouped by
     * @param windowStart start of the window
     * @param version 0 provisional, 1 final, 2 and more corrected
     */
    record Id(String key, long windowStart, int version) {

        byte[] toJson(String pipeline) {
            return row(pipeline).toBytes();
        }

        private JsonRow row(String pipeline) {
            return new JsonRow()
                    .text("pipeline", pipeline)
                    .text("key", key)
                    .time("window_start", windowStart)
                    .number("version", version);
        }
    }

    static TotalRow provisional(String key, long start, long end, WindowTotal total, long streamTime) {
        return new TotalRow(new Id(key, start, 0), end, total, null, null, streamTime, null);
    }

    static TotalRow ofFinal(String key, long start, long end, WindowTotal total, Closing closing) {
        return new TotalRow(
                new Id(key, start, VersionedTotal.FINAL),
                end,
                total,
                null,
                null,
                closing.streamTime(),
                closing.cause().label());
    }

    /** Late events came. */
    static TotalRow corrected(String key, long start, long end, Correction correction) {
        return corrected(key, start, end, correction, LATE);
    }

    /** A recount of the input has shown it. */
    static TotalRow recounted(String key, long start, long end, Correction correction) {
        return corrected(key, start, end, correction, RECOUNT);
    }

    private static TotalRow corrected(String key, long start, long end, Correction correction, String reason) {
        return new TotalRow(
                new Id(key, start, correction.now().version()),
                end,
                correction.total(),
                correction,
                reason,
                correction.streamTime(),
                correction.closedBy().label());
    }

    /**
     * The value of the row's record.
     *
     * @param scale decimal places of amounts
     * @param zone the zone that the windows follow
     * @param settings fingerprint of the settings
     */
    byte[] toJson(String pipeline, int scale, String zone, String settings) {
        JsonRow row = id.row(pipeline)
                .time("window_end", windowEnd)
                .text("zone", zone)
                .text("status", status())
                .decimal("total", total.total().toDecimal(scale))
                .number("count", total.count())
                .decimal("minimum", BigDecimal.valueOf(total.minimum(), scale))
                .decimal("maximum", BigDecimal.valueOf(total.maximum(), scale));
        writeCorrection(row, scale);
        return row.time("stream_time", streamTime)
                .text("closed_by", closedBy)
                .text("settings", settings)
                .toBytes();
    }

    private void writeCorrection(JsonRow row, int scale) {
        boolean isNone = correction == null;
        boolean hasCauses = !isNone && !correction.eventIds().isEmpty();
        BigDecimal previous =
                isNone ? null : correction.before().total().total().toDecimal(scale);
        row.decimal("previous_total", previous)
                .decimal("delta", isNone ? null : total.total().toDecimal(scale).subtract(previous))
                .text("reason", reason)
                .number("cause_count", LATE.equals(reason) ? (Number) correction.count() : null)
                .text("cause_event_id", hasCauses ? correction.eventIds().get(0) : null)
                .texts("cause_event_ids", hasCauses ? correction.eventIds() : null);
    }

    private String status() {
        return switch (id.version) {
            case 0 -> "provisional";
            case VersionedTotal.FINAL -> "final";
            default -> "corrected";
        };
    }
}
