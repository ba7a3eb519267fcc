package dev.tidemark.reconcile;

import dev.tidemark.common.DeduplicateScope;
import dev.tidemark.common.Event;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * All events of a range of the input, each id once, however far its records lie apart. Events of one source partition have
 * to be added in the order of the log; several partitions may be added at the same time.
 *
 * <p>Of records with one id the first of a partition counts: what is the same is a duplicate, what is not is conflicting.
 * Where partitions begin with different events of one id, the input does not say which of them came first to the app. The
 * one with the least timestamp is taken, unless the pipeline has published it as conflicting and another one not.
 */
final class DistinctEvents implements AutoCloseable {

    /** What was found of an id. */
    enum Finding {
        NEW,
        DUPLICATE,
        CONFLICTING
    }

    /** Whether the pipeline has published a record as conflicting. */
    interface Judgement {
        boolean isConflicting(String eventId, int partition, long offset);
    }

    /** Takes an event that counts. */
    interface Receiver {
        void accept(String eventId, Sighting event);
    }

    private static final int LOCKS = 256;
    private static final byte SEPARATOR = 0; // neither a key nor an id may contain it

    private final DiskMap map;
    private final DeduplicateScope scope;
    private final Object[] locks =
            IntStream.range(0, LOCKS).mapToObj(i -> new Object()).toArray();
    private final AtomicLong duplicates = new AtomicLong();
    private final AtomicLong conflicting = new AtomicLong();

    DistinctEvents(Path directory, DeduplicateScope scope) {
        this.map = new DiskMap(directory);
        this.scope = scope;
    }

    /** @param payload hash of the payload, if that is part of what makes two events the same; else 0 */
    Finding add(Event event, long payload) {
        byte[] identity = identity(event);
        Sighting seen = Sighting.of(event, payload);
        synchronized (locks[Math.floorMod(java.util.Arrays.hashCode(identity), LOCKS)]) {
            byte[] before = map.get(identity);
            if (before == null) {
                map.put(identity, Sighting.toBytes(List.of(seen)));
                return Finding.NEW;
            }
            return addTo(identity, read(before), seen);
        }
    }

    private Finding addTo(byte[] identity, List<Sighting> before, Sighting seen) {
        boolean first = true;
        for (int i = 0; i < before.size(); i++) {
            Sighting known = before.get(i);
            if (known.isSameAs(seen)) {
                before.set(i, known.again(seen));
                map.put(identity, Sighting.toBytes(before));
                duplicates.incrementAndGet();
                return Finding.DUPLICATE;
            }
            first &= known.partition() != seen.partition();
        }
        if (first) {
            before.add(seen);
            map.put(identity, Sighting.toBytes(before));
        }
        conflicting.incrementAndGet();
        return Finding.CONFLICTING;
    }

    long duplicates() {
        return duplicates.get();
    }

    long conflicting() {
        return conflicting.get();
    }

    /** Hands over each event that counts. */
    void forEach(Judgement published, Receiver receiver) {
        try (DiskMap.Cursor all = map.cursor()) {
            while (all.hasNext()) {
                DiskMap.Entry entry = all.next();
                String id = idOf(entry.key());
                receiver.accept(id, first(id, read(entry.value()), published));
            }
        }
    }

    private static Sighting first(String id, List<Sighting> sightings, Judgement published) {
        sightings.sort(Sighting.FIRST_COME);
        Sighting first = sightings.get(0);
        if (sightings.size() == 1 || !published.isConflicting(id, first.partition(), first.offset())) {
            return first;
        }
        return sightings.stream()
                .filter(other -> !published.isConflicting(id, other.partition(), other.offset()))
                .findFirst()
                .orElse(first);
    }

    private byte[] identity(Event event) {
        byte[] id = event.id().getBytes(StandardCharsets.UTF_8);
        if (scope == DeduplicateScope.GLOBAL) {
            return id;
        }
        byte[] key = event.key().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(key.length + 1 + id.length)
                .put(key)
                .put(SEPARATOR)
                .put(id)
                .array();
    }

    private String idOf(byte[] identity) {
        int begin = 0;
        if (scope == DeduplicateScope.KEY) {
            while (identity[begin++] != SEPARATOR) {}
        }
        return new String(identity, begin, identity.length - begin, StandardCharsets.UTF_8);
    }

    private static List<Sighting> read(byte[] bytes) {
        List<Sighting> sightings = new ArrayList<>(1);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            sightings.add(Sighting.readFrom(buffer));
        }
        return sightings;
    }

    @Override
    public void close() {
        map.close();
    }
}
