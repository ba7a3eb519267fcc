package dev.tidemark.common;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * How events, progress and ticks are written to internal topics and stores.
 *
 * @param topics the input topics, in an order that never changes
 * @param wholePayload whether a payload is kept whole; if not, only what an exception row can show of it
 */
public record ItemBytes(List<String> topics, boolean wholePayload) {

    /** One character more than the exception row shows, so that it can still see where to cut. */
    private static final int MAX_PAYLOAD = ExceptionRows.MAX_PAYLOAD + 4;

    private static final byte EVENT = 1;
    private static final byte PROGRESS = 2;
    private static final byte TICK = 3;
    private static final int ROUTE_BYTES = 1 + 2 * Integer.BYTES;

    public Serde<Item> serde() {
        return Serdes.serdeFrom(
                (topic, item) -> item == null ? null : toBytes(item), (topic, bytes) -> fromBytes(bytes));
    }

    /** The bytes of an item of a kind that is passed on. */
    public byte[] toBytes(Item item) {
        if (item instanceof Event event) {
            return eventToBytes(event);
        }
        if (item instanceof Progress progress) {
            return progressToBytes(progress);
        }
        if (item instanceof Tick tick) {
            return ByteBuffer.allocate(1 + Long.BYTES)
                    .put(TICK)
                    .putLong(tick.streamTime())
                    .array();
        }
        throw new IllegalArgumentException("only events, progress and ticks are passed on, not " + item);
    }

    /** What was written as these bytes. */
    public Item fromBytes(byte[] bytes) {
        if (bytes == null) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        byte kind = buffer.get();
        return switch (kind) {
            case EVENT -> readEvent(buffer);
            case PROGRESS -> readProgress(buffer);
            case TICK -> new Tick(buffer.getLong());
            default -> throw new IllegalArgumentException("an item of the unknown kind " + kind);
        };
    }

    private byte[] eventToBytes(Event event) {
        byte[] id = event.id().getBytes(StandardCharsets.UTF_8);
        byte[] key = event.key().getBytes(StandardCharsets.UTF_8);
        int payload = wholePayload ? event.payload().length : Math.min(event.payload().length, MAX_PAYLOAD);
        ByteBuffer buffer = ByteBuffer.allocate(
                1 + ROUTE_BYTES + 4 * Long.BYTES + 2 * Short.BYTES + id.length + key.length + payload);
        Origin origin = event.origin();
        buffer.put(EVENT)
                .put(indexOf(origin.topic()))
                .putInt(origin.partition())
                .putInt(event.via())
                .putLong(origin.offset())
                .putLong(event.time())
                .putLong(event.arrival())
                .putLong(event.amount())
                .putShort((short) id.length)
                .put(id)
                .putShort((short) key.length)
                .put(key)
                .put(event.payload(), 0, payload);
        return buffer.array();
    }

    private Event readEvent(ByteBuffer buffer) {
        String topic = topics.get(buffer.get());
        int partition = buffer.getInt();
        int via = buffer.getInt();
        Origin origin = new Origin(topic, partition, buffer.getLong());
        long time = buffer.getLong();
        long arrival = buffer.getLong();
        long amount = buffer.getLong();
        String id = readText(buffer);
        String key = readText(buffer);
        byte[] payload = Arrays.copyOfRange(buffer.array(), buffer.position(), buffer.limit());
        return new Event(origin, via, id, key, time, arrival, amount, payload);
    }

    private byte[] progressToBytes(Progress progress) {
        Route route = progress.route();
        return ByteBuffer.allocate(1 + ROUTE_BYTES + 2 * Long.BYTES + 1 + Long.BYTES)
                .put(PROGRESS)
                .put(indexOf(route.topic()))
                .putInt(route.partition())
                .putInt(route.via())
                .putLong(progress.streamTime())
                .putLong(progress.idleMillis())
                .put((byte) (progress.ended() ? 1 : 0))
                .putLong(progress.saidAt())
                .array();
    }

    private Progress readProgress(ByteBuffer buffer) {
        Route route = new Route(topics.get(buffer.get()), buffer.getInt(), buffer.getInt());
        long streamTime = buffer.getLong();
        long idleMillis = buffer.getLong();
        boolean ended = buffer.get() == 1;
        // Records of before this was written may still lie in a topic.
        long saidAt = buffer.hasRemaining() ? buffer.getLong() : 0;
        return new Progress(route, streamTime, idleMillis, ended, saidAt);
    }

    private byte indexOf(String topic) {
        int index = topics.indexOf(topic);
        if (index < 0) {
            throw new IllegalArgumentException(topic + " is not one of the input topics " + topics);
        }
        return (byte) index;
    }

    private static String readText(ByteBuffer buffer) {
        int length = buffer.getShort();
        String text = new String(buffer.array(), buffer.position(), length, StandardCharsets.UTF_8);
        buffer.position(buffer.position() + length);
        return text;
    }
}
