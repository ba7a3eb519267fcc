package dev.tidemark.totals;

import dev.tidemark.common.Closing;
import dev.tidemark.common.LateEvent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * The next version of a closed window, made of one or more late events. It holds all that its row says, so that it can
 * be published when the window itself has been forgotten.
 *
 * @param before what was published last; version 1 of nothing if there is no final
 * @param total what the window adds up to with the late events
 * @param eventIds ids of the first late events, at most {@value #MAX_EVENT_IDS}
 * @param streamTime the clock's time when the last of them came, in epoch milliseconds
 * @param closedBy what closed the window
 */
record Correction(
        VersionedTotal before, WindowTotal total, List<String> eventIds, long streamTime, Closing.Cause closedBy) {

    static final int MAX_EVENT_IDS = 10;

    /** A correction without events. */
    static Correction of(VersionedTotal before, Closing.Cause closedBy) {
        return new Correction(before, before.total(), List.of(), 0, closedBy);
    }

    Correction plus(LateEvent late) {
        List<String> ids = eventIds;
        if (ids.size() < MAX_EVENT_IDS) {
            ids = new ArrayList<>(ids);
            ids.add(late.event().id());
        }
        return new Correction(before, total.plus(late.event()), ids, late.streamTime(), closedBy);
    }

    /** What is published last once this is. */
    VersionedTotal now() {
        return new VersionedTotal(before.version() + 1, total);
    }

    /** How many events are behind it. */
    long count() {
        return total.count() - before.total().count();
    }

    static Serde<Correction> serde() {
        return Serdes.serdeFrom(
                (topic, correction) -> correction == null ? null : correction.toBytes(),
                (topic, bytes) -> bytes == null ? null : readFrom(ByteBuffer.wrap(bytes)));
    }

    private byte[] toBytes() {
        List<byte[]> ids =
                eventIds.stream().map(id -> id.getBytes(StandardCharsets.UTF_8)).toList();
        int idBytes = ids.stream().mapToInt(id -> Integer.BYTES + id.length).sum();
        ByteBuffer buffer =
                ByteBuffer.allocate(VersionedTotal.BYTES + WindowTotal.BYTES + Long.BYTES + Byte.BYTES + idBytes);
        before.writeTo(buffer);
        total.writeTo(buffer);
        buffer.putLong(streamTime).put((byte) closedBy.ordinal());
        ids.forEach(id -> buffer.putInt(id.length).put(id));
        return buffer.array();
    }

    private static Correction readFrom(ByteBuffer buffer) {
        VersionedTotal before = VersionedTotal.readFrom(buffer);
        WindowTotal total = WindowTotal.readFrom(buffer);
        long streamTime = buffer.getLong();
        Closing.Cause closedBy = Closing.Cause.values()[buffer.get()];
        List<String> ids = new ArrayList<>(MAX_EVENT_IDS);
        while (buffer.hasRemaining()) {
            byte[] id = new byte[buffer.getInt()];
            buffer.get(id);
            ids.add(new String(id, StandardCharsets.UTF_8));
        }
        return new Correction(before, total, ids, streamTime, closedBy);
    }
}
