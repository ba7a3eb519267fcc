package dev.tidemark.pairs;

import dev.tidemark.common.Event;
import dev.tidemark.common.ItemBytes;
import dev.tidemark.common.Side;
import dev.tidemark.common.TimeQueue;
import dev.tidemark.common.Within;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The events without a partner: those that wait for one, and those that have been published as unmatched or came late,
 * which are remembered until their deadline. By key, side and time, so that partners can be looked up; beside them stand
 * two queues by deadline. Not thread-safe.
 */
final class UnmatchedEvents {

    /** What is known of an event. */
    enum State {
        /** It is waited for a partner. */
        WAITING,
        /** It was published as unmatched. */
        ALONE,
        /** It has been completed since, or came late and completed another. */
        COMPLETED
    }

    /** No key of an event begins with it. */
    private static final byte QUEUE = 0;

    /** Behind the key and the character that ends it: side, time, partition, offset. */
    private static final int REST = 1 + Long.BYTES + Integer.BYTES + Long.BYTES;

    private final KeyValueStore<Bytes, byte[]> store;
    private final ItemBytes bytes;
    private final Deadlines deadlines;
    private final TimeQueue waiting;
    private final TimeQueue remembered;

    UnmatchedEvents(KeyValueStore<Bytes, byte[]> store, ItemBytes bytes, Deadlines deadlines) {
        this.store = store;
        this.bytes = bytes;
        this.deadlines = deadlines;
        this.waiting = new TimeQueue(store, QUEUE, (byte) 0);
        this.remembered = new TimeQueue(store, QUEUE, (byte) 1);
    }

    /** What is known of an event; null if it is none of these. */
    State find(Side side, Event event) {
        byte[] value = store.get(keyOf(side, event));
        return value == null ? null : State.values()[value[0]];
    }

    /** Notes what is known of an event from now on. */
    void put(Side side, Event event, State before, State now) {
        Bytes key = keyOf(side, event);
        byte[] written = bytes.toBytes(event);
        store.put(
                key,
                ByteBuffer.allocate(1 + written.length)
                        .put((byte) now.ordinal())
                        .put(written)
                        .array());
        if (before != null && queueOf(before) != queueOf(now)) {
            queueOf(before).remove(deadline(side, event, before), key);
        }
        if (before == null || queueOf(before) != queueOf(now)) {
            queueOf(now).add(deadline(side, event, now), key);
        }
    }

    /** An event has found a partner in time, or is forgotten. */
    void remove(Side side, Event event, State state) {
        Bytes key = keyOf(side, event);
        store.delete(key);
        queueOf(state).remove(deadline(side, event, state), key);
    }

    /** The remembered partners of an event, in the order of their times. */
    List<Remembered> partners(Side side, Event event) {
        Within within = deadlines.within();
        long from = Math.max(0, event.time() - within.earlier(side).toMillis());
        long to = event.time() + within.later(side).toMillis();
        List<Remembered> partners = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> found =
                store.range(keyOf(side.other(), event.key(), from), keyOf(side.other(), event.key(), to + 1))) {
            while (found.hasNext()) {
                Remembered remembered = read(found.next().value);
                if (remembered.state != State.WAITING) {
                    partners.add(remembered);
                }
            }
        }
        return partners;
    }

    /** Hands out the events that have waited until windows up to that one were closed. */
    void drainWaiting(long closed, BiConsumer<Side, Event> receiver) {
        waiting.drain(closed, key -> receiver.accept(sideIn(key), read(store.get(key)).event));
    }

    /** Forgets the events whose deadline has passed when windows up to that one are closed. */
    void forget(long closed) {
        remembered.drain(closed, store::delete);
    }

    private Remembered read(byte[] value) {
        byte[] written = new byte[value.length - 1];
        System.arraycopy(value, 1, written, 0, written.length);
        return new Remembered(State.values()[value[0]], (Event) bytes.fromBytes(written));
    }

    private long deadline(Side side, Event event, State state) {
        return state == State.WAITING ? deadlines.unmatched(side, event) : deadlines.forgotten(event);
    }

    private TimeQueue queueOf(State state) {
        return state == State.WAITING ? waiting : remembered;
    }

    private static Bytes keyOf(Side side, Event event) {
        byte[] prefix = keyOf(side, event.key(), event.time()).get();
        return Bytes.wrap(ByteBuffer.allocate(prefix.length + Integer.BYTES + Long.BYTES)
                .put(prefix)
                .putInt(event.origin().partition())
                .putLong(event.origin().offset())
                .array());
    }

    private static Side sideIn(Bytes key) {
        return Side.values()[key.get()[key.get().length - REST]];
    }

    /** No key of an event contains the character that ends it here. */
    private static Bytes keyOf(Side side, String key, long time) {
        byte[] text = key.getBytes(StandardCharsets.UTF_8);
        return Bytes.wrap(ByteBuffer.allocate(text.length + 2 + Long.BYTES)
                .put(text)
                .put((byte) 0)
                .put((byte) side.ordinal())
                .putLong(time)
                .array());
    }

    /**
     * An event that is remembered.
     *
     * @param state what is known of it
     * @param event the event
     */
    record Remembered(State state, Event event) {}
}
