package dev.tidemark.totals;

import java.nio.ByteBuffer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * The latest published state of a closed window.
 *
 * @param version 1 for the final, 2 and more for corrections
 * @param total what the window adds up to in that version
 * @param recounted whether a recount has led to it
 */
record VersionedTotal(int version, WindowTotal total, boolean recounted) {

    static final int FINAL = 1;
    static final int BYTES = Integer.BYTES + WindowTotal.BYTES;

    VersionedTotal(int version, WindowTotal total) {
        this(version, total, false);
    }

    VersionedTotal byRecount() {
        return new VersionedTotal(version, total, true);
    }

    /** All but whether a recount has led to it. */
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
                    ByteBuffer buffer = ByteBuffer.allocate(versioned.recounted() ? BYTES + 1 : BYTES);
                    versioned.writeTo(buffer);
                    return buffer.array();
                },
                (topic, bytes) -> bytes == null ? null : readFrom(bytes));
    }

    /** What a recount has led to is followed by a byte more. */
    private static VersionedTotal readFrom(byte[] bytes) {
        VersionedTotal versioned = readFrom(ByteBuffer.wrap(bytes));
        return bytes.length > BYTES ? versioned.byRecount() : versioned;
    }
}
