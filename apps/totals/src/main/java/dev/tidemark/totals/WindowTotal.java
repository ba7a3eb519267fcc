package dev.tidemark.totals;

import dev.tidemark.common.Event;
import dev.tidemark.common.ExactSum;
import java.nio.ByteBuffer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * What the events of one key and window add up to. Amounts are in units of the last decimal place of the scale.
 *
 * @param total exact sum of the amounts
 * @param count how many events
 * @param minimum smallest amount; without meaning while there is no event
 * @param maximum greatest amount; without meaning while there is no event
 */
record WindowTotal(ExactSum total, long count, long minimum, long maximum) {

    static final WindowTotal EMPTY = new WindowTotal(ExactSum.ZERO, 0, Long.MAX_VALUE, Long.MIN_VALUE);
    static final int BYTES = ExactSum.BYTES + 3 * Long.BYTES;

    WindowTotal plus(Event event) {
        long amount = event.amount();
        return new WindowTotal(total.plus(amount), count + 1, Math.min(minimum, amount), Math.max(maximum, amount));
    }

    void writeTo(ByteBuffer buffer) {
        total.writeTo(buffer);
        buffer.putLong(count).putLong(minimum).putLong(maximum);
    }

    static WindowTotal readFrom(ByteBuffer buffer) {
        return new WindowTotal(ExactSum.readFrom(buffer), buffer.getLong(), buffer.getLong(), buffer.getLong());
    }

    static Serde<WindowTotal> serde() {
        return Serdes.serdeFrom(
                (topic, total) -> {
                    if (total == null) {
                        return null;
                    }
                    ByteBuffer buffer = ByteBuffer.allocate(BYTES);
                    total.writeTo(buffer);
                    return buffer.array();
                },
                (topic, bytes) -> bytes == null ? null : readFrom(ByteBuffer.wrap(bytes)));
    }
}
