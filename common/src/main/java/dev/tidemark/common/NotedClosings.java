package dev.tidemark.common;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * What an {@link EventClock} notes of how windows came to be closed, by the start of the last window that was, until nobody
 * asks any more. Times are epoch milliseconds. Not thread-safe.
 */
final class NotedClosings {

    private final KeyValueStore<Long, Closing> store;
    /** What may be forgotten with the next commit, because nobody will ask after this one. */
    private long forgettable = Long.MIN_VALUE;

    private long forgotten = Long.MIN_VALUE;

    NotedClosings(KeyValueStore<Long, Closing> store) {
        this.store = store;
    }

    void note(long lastStart, Closing closing) {
        store.put(lastStart, closing);
    }

    /**
     * Forgets what was not needed any more at the last commit. Finals are published after the hook that calls this, so what
     * was needed then may be needed once more.
     *
     * @param unneeded up to which start of a window nobody asks from now on
     */
    void beforeCommit(long unneeded) {
        if (forgettable != Long.MIN_VALUE) {
            List<Long> old = new ArrayList<>();
            try (KeyValueIterator<Long, Closing> all = store.range(forgotten, forgettable)) {
                all.forEachRemaining(closing -> old.add(closing.key));
            }
            old.forEach(store::delete);
            forgotten = forgettable;
        }
        forgettable = unneeded;
    }
}
