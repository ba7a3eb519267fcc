package dev.tidemark.totals;

import java.nio.ByteBuffer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * The latest published state of a closed window.
 *
 * @param version 1 for the final, 2 and more for corrections
 * @param total what the window adds up to in that version
 */
record VersionedTotal(int version, WindowTotal total) {

    static final int FINAL = 1;
    static final int BYTES = Integer.BYTES + WindowTotal.BYTES;

    void writeTo(ByteBuffer buffer) {
        buffer.putInt(version);
        total.writeTo(buffer);
    }

    static VersionedTotal readFrom(ByteBuffer buffer) {
        return new VersionedTotal(buffer.getInt(), WindowTotal.readFrom(buffer));
    }

    static Serde<VersionedTotal> serde() {
        return Serdes.serdeFrom(
                (topic, versioned) -> {
                    if (versioned == null) {
                        return null;
                    }
                    ByteBuffer buffer = ByteBuffer.allocate(BYTES);
                    versioned.writeTo(buffer);
                    return buffer.array();
                },
                (topic, bytes) -> bytes == null ? null : readFrom(ByteBuffer.wrap(bytes)));
    }
}
