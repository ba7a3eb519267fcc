package dev.tidemark.reconcile;

import dev.tidemark.common.Side;
import dev.tidemark.common.Within;
import dev.tidemark.reconcile.Pair.Times;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Finds all pairs of events of a key within a time distance, and all events without a partner, from both sides in the
 * order of key and time. Only the right events of one key that are near enough to a left one are in memory.
 */
final class PairUp {

    /** Takes a pair, or an event without a partner. */
    interface Receiver {
        void accept(Pair pair, Times times);
    }

    private static final class Right {
        private final Placed event;
        private boolean matched;

        Right(Placed event) {
            this.event = event;
        }
    }

    /** An event in its place among those of its side. */
    record Placed(String key, long time, String id, int partition) {

        /** All but the partition, in the order of key and time. */
        byte[] toBytes() {
            byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
            byte[] idBytes = id.getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.allocate(keyBytes.length + 1 + Long.BYTES + idBytes.length)
                    .put(keyBytes)
                    .put((byte) 0)
                    .putLong(time)
                    .put(idBytes)
                    .array();
        }

        static Placed of(DiskMap.Entry entry) {
            byte[] bytes = entry.key();
            int end = 0;
            while (bytes[end] != 0) {
                end++;
            }
            int idBegin = end + 1 + Long.BYTES;
            return new Placed(
                    new String(bytes, 0, end, StandardCharsets.UTF_8),
                    ByteBuffer.wrap(bytes).getLong(end + 1),
                    new String(bytes, idBegin, bytes.length - idBegin, StandardCharsets.UTF_8),
                    ByteBuffer.wrap(entry.value()).getInt());
        }

        byte[] value() {
            return ByteBuffer.allocate(Integer.BYTES).putInt(partition).array();
        }
    }

    private final long before;
    private final long after;
    private final Receiver receiver;
    private final ArrayDeque<Right> near = new ArrayDeque<>();
    private Placed nextRight;

    PairUp(Within within, Receiver receiver) {
        this.before = within.earlier(Side.LEFT).toMillis();
        this.after = within.later(Side.LEFT).toMillis();
        this.receiver = receiver;
    }

    void pairUp(DiskMap.Cursor lefts, DiskMap.Cursor rights) {
        nextRight = next(rights);
        for (Placed left = next(lefts); left != null; left = next(lefts)) {
            while (!near.isEmpty() && !isNear(left, near.getFirst().event)) {
                forget(near.removeFirst());
            }
            for (; nextRight != null && isUpTo(left, nextRight); nextRight = next(rights)) {
                if (isNear(left, nextRight)) {
                    near.add(new Right(nextRight));
                } else {
                    alone(nextRight);
                }
            }
            pair(left);
        }
        near.forEach(this::forget);
        for (; nextRight != null; nextRight = next(rights)) {
            alone(nextRight);
        }
    }

    private void pair(Placed left) {
        for (Right right : near) {
            right.matched = true;
            receiver.accept(
                    new Pair(left.key(), left.id(), right.event.id()),
                    new Times(left.time(), right.event.time(), left.partition()));
        }
        if (near.isEmpty()) {
            receiver.accept(new Pair(left.key(), left.id(), ""), new Times(left.time(), Times.NONE, left.partition()));
        }
    }

    private void forget(Right right) {
        if (!right.matched) {
            alone(right.event);
        }
    }

    private void alone(Placed right) {
        receiver.accept(new Pair(right.key(), "", right.id()), new Times(Times.NONE, right.time(), right.partition()));
    }

    /** Whether the right event is not too early for this left one and all that follow. */
    private boolean isNear(Placed left, Placed right) {
        return right.key().equals(left.key()) && right.time() >= left.time() - before;
    }

    /** Whether the right event is not too late for this left one. */
    private boolean isUpTo(Placed left, Placed right) {
        if (right.key().equals(left.key())) {
            return right.time() <= left.time() + after;
        }
        return Arrays.compareUnsigned(
                        right.key().getBytes(StandardCharsets.UTF_8), left.key().getBytes(StandardCharsets.UTF_8))
                < 0;
    }

    private static Placed next(DiskMap.Cursor events) {
        return events.hasNext() ? Placed.of(events.next()) : null;
    }
}
