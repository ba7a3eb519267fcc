package dev.tidemark.common;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Keys that are due at a time, in a store that may hold other things, too. It looks at hardly more of the store than is due:
 * RocksDB passes everything that was deleted before what it looks for, and a cache copies all that it has of a range. Not
 * thread-safe.
 */
public final class TimeQueue {

    private static final byte[] QUEUED = {1};
    private static final long NEVER = Long.MAX_VALUE;
    /** So many keys are taken at once, because a store must not be changed while it is iterated over. */
    private static final int PART = 1_000;
    /** It looks so many milliseconds beyond what is due, so that it need not look again with each step of time. */
    private static final long AHEAD = 10_000;

    private final KeyValueStore<Bytes, byte[]> store;
    private final byte[] prefix;
    /** No time in the queue is before it; {@link #NEVER} if the queue is empty. */
    private long earliest;

    /**
     * @param store where it is kept; it may have been kept there before
     * @param prefix what its entries begin with, and no other entry of the store
     */
    public TimeQueue(KeyValueStore<Bytes, byte[]> store, byte... prefix) {
        this.store = store;
        this.prefix = prefix.clone();
        List<Bytes> first = entries(0, NEVER, 1);
        this.earliest = first.isEmpty() ? NEVER : timeOf(first.get(0));
    }

    /**
     * Queues a key, which may be due at several times.
     *
     * @param time epoch milliseconds, not negative, less than {@link Long#MAX_VALUE}
     * @param key not empty
     */
    public void add(long time, Bytes key) {
        store.put(entry(time, key), QUEUED);
        earliest = Math.min(earliest, time);
    }

    /** Takes a key back, which need not be there. */
    public void remove(long time, Bytes key) {
        store.delete(entry(time, key));
    }

    /**
     * Takes out what is due up to a time, and hands it out in the order of times.
     *
     * @param until the last time, {@link Long#MAX_VALUE} for all
     * @param receiver may add to the queue what is due later
     */
    public void drain(long until, Consumer<Bytes> receiver) {
        while (!drainSome(until, receiver)) {
            // What it does is in the condition.
        }
    }

    /**
     * Takes out some of what is due up to a time, at most {@value #PART} keys, so that a transaction does not take long.
     *
     * @return whether nothing is left that is due
     */
    public boolean drainSome(long until, Consumer<Bytes> receiver) {
        if (earliest > until || earliest == NEVER) {
            return true;
        }
        long last = until > NEVER - AHEAD ? NEVER : until + AHEAD;
        List<Bytes> found = entries(earliest, last, PART);
        int due = 0;
        while (due < found.size() && timeOf(found.get(due)) <= until) {
            due++;
        }
        boolean all = due < PART;
        // Before the receiver is told, because it may add what is earlier than this.
        if (due < found.size()) {
            earliest = timeOf(found.get(due));
        } else {
            earliest = !all ? timeOf(found.get(due - 1)) : last == NEVER ? NEVER : last + 1;
        }
        for (Bytes entry : found.subList(0, due)) {
            store.delete(entry);
            receiver.accept(keyOf(entry));
        }
        return all;
    }

    private List<Bytes> entries(long from, long until, int most) {
        List<Bytes> entries = new ArrayList<>();
        // Behind the greatest time comes the least number, whose bytes sort behind those of all times.
        try (KeyValueIterator<Bytes, byte[]> found = store.range(start(from), start(until + 1))) {
            while (found.hasNext() && entries.size() < most) {
                entries.add(found.next().key);
            }
        }
        return entries;
    }

    private Bytes start(long time) {
        return entry(time, Bytes.wrap(new byte[0]));
    }

    private Bytes entry(long time, Bytes key) {
        return Bytes.wrap(ByteBuffer.allocate(prefix.length + Long.BYTES + key.get().length)
                .put(prefix)
                .putLong(time)
                .put(key.get())
                .array());
    }

    private long timeOf(Bytes entry) {
        return ByteBuffer.wrap(entry.get()).getLong(prefix.length);
    }

    private Bytes keyOf(Bytes entry) {
        int from = prefix.length + Long.BYTES;
        byte[] key = new byte[entry.get().length - from];
        System.arraycopy(entry.get(), from, key, 0, key.length);
        return Bytes.wrap(key);
    }
}
