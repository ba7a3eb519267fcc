package dev.tidemark.common;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.streams.KeyValue;

/**
 * The form of the records of {@code <pipeline>-exceptions}: what was not simply counted, and why.
 *
 * @param pipeline the pipeline's name
 * @param scale decimal places of amounts
 */
public record ExceptionRows(String pipeline, int scale) {

    /** The payload is cut to so many bytes. */
    static final int MAX_PAYLOAD = 4096;

    /** Key and value of the record of one outcome. */
    public KeyValue<byte[], byte[]> of(Outcome outcome) {
        return KeyValue.pair(
                row(outcome.origin()).toBytes(),
                row(outcome.origin())
                        .text("event_id", outcome.eventId())
                        .text("key", outcome.key())
                        .time("event_time", outcome.eventTime())
                        .time("arrival_time", isTime(outcome.arrival()) ? outcome.arrival() : null)
                        .decimal(
                                "amount", outcome.amount() == null ? null : BigDecimal.valueOf(outcome.amount(), scale))
                        .text("disposition", outcome.disposition().label())
                        .text("reason", outcome.reason())
                        .time("window_start", outcome.windowStart())
                        .number("version", outcome.version())
                        .text("payload", payloadText(outcome.payload()))
                        .toBytes());
    }

    private JsonRow row(Origin origin) {
        return new JsonRow()
                .text("pipeline", pipeline)
                .text("source_topic", origin.topic())
                .number("source_partition", origin.partition())
                .number("source_offset", origin.offset());
    }

    private static boolean isTime(long arrival) {
        return arrival > 0 && arrival <= EventTimes.LATEST;
    }

    /** Bytes that are not text become replacement characters, and so does NUL, which PostgreSQL cannot store. */
    private static String payloadText(byte[] payload) {
        if (payload == null) {
            return null;
        }
        int length = Math.min(payload.length, MAX_PAYLOAD);
        while (length < payload.length && length > 0 && (payload[length] & 0xC0) == 0x80) {
            length--; // not in the middle of a character
        }
        return new String(payload, 0, length, StandardCharsets.UTF_8).replace('\0', '\uFFFD');
    }
}
