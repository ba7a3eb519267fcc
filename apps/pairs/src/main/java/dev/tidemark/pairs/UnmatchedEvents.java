package dev.tidemark.pairs;

import dev.tidemark.common.Event;
import dev.tidemark.common.ItemBytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
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

    /** So many events are held in memory while they are taken from a queue. */
    private static final int PART = 1_000;
    /** No key of an event begins with it. */
    private static final byte QUEUE = 0;

    private static final byte[] QUEUED = {1};
    private static final long NEVER = Long.MAX_VALUE;

    private final KeyValueStore<Bytes, byte[]> store;
    private final ItemBytes bytes;
    private final Deadlines deadlines;
    /** By queue, a time that no deadline in it is before; {@link #NEVER} if it is empty. */
    private final long[] next = new long[2];

    UnmatchedEvents(KeyValueStore<Bytes, byte[]> store, ItemBytes bytes, Deadlines deadlines) {
        this.store = store;
        this.bytes = bytes;
        this.deadlines = deadlines;
        for (int queue = 0; queue < next.length; queue++) {
            goOnToFirst(queue);
        }
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
            store.delete(queueKey(queueOf(before), deadline(side, event, before), key));
        }
        if (before == null || queueOf(before) != queueOf(now)) {
            long deadline = deadline(side, event, now);
            store.put(queueKey(queueOf(now), deadline, key), QUEUED);
            next[queueOf(now)] = Math.min(next[queueOf(now)], deadline);
        }
    }

    /** An event has found a partner in time, or is forgotten. */
    void remove(Side side, Event event, State state) {
        Bytes key = keyOf(side, event);
        store.delete(key);
        store.delete(queueKey(queueOf(state), deadline(side, event, state), key));
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
        drain(queueOf(State.WAITING), closed, receiver);
    }

    /** Forgets the events whose deadline has passed when windows up to that one are closed. */
    void forget(long closed) {
        drain(queueOf(State.ALONE), closed, (side, event) -> remove(side, event, State.ALONE));
    }

    /** In parts, because a store must not be changed while it is iterated over. The receiver empties the queue. */
    private void drain(int queue, long closed, BiConsumer<Side, Event> receiver) {
        while (next[queue] <= closed && next[queue] != NEVER) {
            List<Queued> part = first(queue, closed, PART);
            for (Queued queued : part) {
                receiver.accept(queued.side(), read(store.get(queued.key)).event);
            }
            if (part.size() == PART) {
                next[queue] = part.get(PART - 1).deadline;
            } else {
                next[queue] = closed == NEVER ? NEVER : closed + 1;
                goOnToFirst(queue);
            }
        }
    }

    private void goOnToFirst(int queue) {
        List<Queued> first = first(queue, NEVER, 1);
        next[queue] = first.isEmpty() ? NEVER : first.get(0).deadline;
    }

    /** Begins where the queue does: what was deleted before that would cost a look each time. */
    private List<Queued> first(int queue, long until, int most) {
        List<Queued> first = new ArrayList<>();
        Bytes from = queueKey(queue, next[queue], Bytes.wrap(new byte[0]));
        Bytes to = until == NEVER
                ? queueKey(queue + 1, 0, Bytes.wrap(new byte[0]))
                : queueKey(queue, until + 1, Bytes.wrap(new byte[0]));
        try (KeyValueIterator<Bytes, byte[]> queued = store.range(from, to)) {
            while (queued.hasNext() && first.size() < most) {
                first.add(Queued.of(queued.next()));
            }
        }
        return first;
    }

    private Remembered read(byte[] value) {
        byte[] written = new byte[value.length - 1];
        System.arraycopy(value, 1, written, 0, written.length);
        return new Remembered(State.values()[value[0]], (Event) bytes.fromBytes(written));
    }

    private long deadline(Side side, Event event, State state) {
        return state == State.WAITING ? deadlines.unmatched(side, event) : deadlines.forgotten(event);
    }

    private static int queueOf(State state) {
        return state == State.WAITING ? 0 : 1;
    }

    private static Bytes queueKey(int queue, long deadline, Bytes key) {
        return Bytes.wrap(ByteBuffer.allocate(2 + Long.BYTES + key.get().length)
                .put(QUEUE)
                .put((byte) queue)
                .putLong(deadline)
                .put(key.get())
                .array());
    }

    private static Bytes keyOf(Side side, Event event) {
        byte[] prefix = keyOf(side, event.key(), event.time()).get();
        return Bytes.wrap(ByteBuffer.allocate(prefix.length + Integer.BYTES + Long.BYTES)
                .put(prefix)
                .putInt(event.origin().partition())
                .putLong(event.origin().offset())
                .array());
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

    private record Queued(long deadline, Bytes key) {

        private static final int PREFIX = 2 + Long.BYTES;
        /** Behind the key and the character that ends it: side, time, partition, offset. */
        private static final int REST = 1 + Long.BYTES + Integer.BYTES + Long.BYTES;

        static Queued of(KeyValue<Bytes, byte[]> entry) {
            byte[] whole = entry.key.get();
            byte[] key = new byte[whole.length - PREFIX];
            System.arraycopy(whole, PREFIX, key, 0, key.length);
            return new Queued(ByteBuffer.wrap(whole).getLong(2), Bytes.wrap(key));
        }

        Side side() {
            return Side.values()[key.get()[key.get().length - REST]];
        }
    }
}
