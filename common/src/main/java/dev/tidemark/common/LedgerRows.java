package dev.tidemark.common;

import org.apache.kafka.streams.KeyValue;

/**
 * The form of the records of {@code <pipeline>-ledger}.
 *
 * @param pipeline the pipeline's name
 * @param scale decimal places of amounts
 */
public record LedgerRows(String pipeline, int scale) {

    /** Key and value of the record of one source partition. */
    public KeyValue<byte[], byte[]> of(LedgerSource source, LedgerRow row) {
        JsonRow value = row(source)
                .number("received", row.received())
                .decimal("received_amount", row.receivedAmount().toDecimal(scale));
        for (Disposition disposition : Disposition.values()) {
            String column = disposition.label().replace('-', '_');
            value.number(column, row.count(disposition));
            if (disposition != Disposition.MALFORMED && disposition != Disposition.OUT_OF_RANGE) {
                value.decimal(column + "_amount", row.amount(disposition).toDecimal(scale));
            }
        }
        value.number("held", row.held()).decimal("held_amount", row.heldAmount().toDecimal(scale));
        value.time("stream_time", row.streamTime() < 0 ? null : row.streamTime());
        return KeyValue.pair(row(source).toBytes(), value.toBytes());
    }

    private JsonRow row(LedgerSource source) {
        return new JsonRow()
                .text("pipeline", pipeline)
                .text("source_topic", source.topic())
                .number("source_partition", source.partition());
    }
}
