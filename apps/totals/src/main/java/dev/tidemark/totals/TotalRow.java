package dev.tidemark.totals;

import dev.tidemark.common.Closing;
import dev.tidemark.common.JsonRow;
import dev.tidemark.common.LateEvent;
import java.math.BigDecimal;

/**
 * One version of one total, as published. Times are epoch milliseconds.
 *
 * @param id what the row is about
 * @param windowEnd end of the window
 * @param total what the window adds up to
 * @param previous what the version before said; null below version 2
 * @param late the event that led to this version; null below version 2
 * @param streamTime the clock's time behind this version
 * @param closedBy what closed the window; null while it is open
 */
record TotalRow(
        Id id,
        long windowEnd,
        WindowTotal total,
        WindowTotal previous,
        LateEvent late,
        long streamTime,
        String closedBy) {

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

    static TotalRow corrected(
            VersionedTotal now, WindowTotal previous, LateEvent late, long start, long end, Closing.Cause closedBy) {
        return new TotalRow(
                new Id(late.event().key(), start, now.version()),
                end,
                now.total(),
                previous,
                late,
                late.streamTime(),
                closedBy.label());
    }

    byte[] toJson(String pipeline, int scale, String settings) {
        return id.row(pipeline)
                .time("window_end", windowEnd)
                .text("status", status())
                .decimal("total", total.total().toDecimal(scale))
                .number("count", total.count())
                .decimal("minimum", BigDecimal.valueOf(total.minimum(), scale))
                .decimal("maximum", BigDecimal.valueOf(total.maximum(), scale))
                .decimal(
                        "previous_total",
                        previous == null ? null : previous.total().toDecimal(scale))
                .decimal(
                        "delta",
                        late == null ? null : BigDecimal.valueOf(late.event().amount(), scale))
                .text("reason", late == null ? null : "late")
                .text("cause_event_id", late == null ? null : late.event().id())
                .time("stream_time", streamTime)
                .text("closed_by", closedBy)
                .text("settings", settings)
                .toBytes();
    }

    private String status() {
        return switch (id.version) {
            case 0 -> "provisional";
            case VersionedTotal.FINAL -> "final";
            default -> "corrected";
        };
    }
}
