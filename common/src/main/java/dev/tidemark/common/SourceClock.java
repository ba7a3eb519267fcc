package dev.tidemark.common;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * How far a source partition has come, or the clock.
 *
 * @param time in epoch milliseconds
 * @param ended whether the source partition is complete
 * @param terms with the clock, the {@link StateTerms} under which the state was written; else empty
 */
record SourceClock(long time, boolean ended, String terms) {

    static Serde<SourceClock> serde() {
        return Serdes.serdeFrom(
                (topic, clock) -> clock == null ? null : clock.toBytes(),
                (topic, bytes) -> bytes == null ? null : fromBytes(bytes));
    }

    private byte[] toBytes() {
        byte[] text = terms.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Long.BYTES + 1 + text.length)
                .putLong(time)
                .put((byte) (ended ? 1 : 0))
                .put(text)
                .array();
    }

    private static SourceClock fromBytes(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        long time = buffer.getLong();
        boolean ended = buffer.get() == 1;
        return new SourceClock(
                time, ended, StandardCharsets.UTF_8.decode(buffer).toString());
    }
}
