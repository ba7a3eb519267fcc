package dev.tidemark.common;

import java.time.LocalDate;
import org.apache.kafka.streams.KeyValue;

/**
 * The form of the records of {@code <pipeline>-lateness}.
 *
 * @param pipeline the pipeline's name
 * @param scale decimal places of amounts
 */
public record LatenessRows(String pipeline, int scale) {

    /** Key and value of the record of one bin. */
    public KeyValue<byte[], byte[]> of(Lateness.Id id, LatenessRow row) {
        JsonRow value = row(id).number("events", row.events())
                .decimal("amount", row.amount().toDecimal(scale))
                .decimal("absolute_amount", row.absoluteAmount().toDecimal(scale))
                .number("arrivals", row.arrivals());
        return KeyValue.pair(row(id).toBytes(), value.toBytes());
    }

    private JsonRow row(Lateness.Id id) {
        return new JsonRow()
                .text("pipeline", pipeline)
                .text("day", LocalDate.ofEpochDay(id.bin().day()).toString())
                .number("partition", id.partition())
                .number("from_seconds", id.bin().fromSeconds());
    }
}
