package dev.tidemark.common;

import java.util.Map;
import java.util.Optional;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * What an {@link EventClock} remembers of time: the clock, the times of its source partitions, and under which settings the
 * state around it was written. Not thread-safe.
 */
final class StoredClock {

    /** Store of the clock and of the times of its source partitions, as of the last commit. */
    static final String STORE = "event-clock";

    /** Stands for the clock itself among the routes. */
    private static final Route ITSELF = new Route("", 0, 0);

    private final KeyValueStore<Route, SourceClock> store;
    private final StateTerms terms;

    StoredClock(KeyValueStore<Route, SourceClock> store, StateTerms terms) {
        this.store = store;
        this.terms = terms;
    }

    static StoreBuilder<KeyValueStore<Route, SourceClock>> builder() {
        return Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(STORE), Route.serde(), SourceClock.serde())
                .withLoggingEnabled(Map.of());
    }

    /** The terms in a record of the store's changelog, if it is one that has them. */
    static Optional<StateTerms> termsIn(byte[] key, byte[] value) {
        boolean isClock = value != null
                && Route.serde().deserializer().deserialize(STORE, key).equals(ITSELF);
        return isClock
                ? Optional.of(StateTerms.fromText(SourceClock.serde()
                        .deserializer()
                        .deserialize(STORE, value)
                        .terms()))
                : Optional.empty();
    }

    /**
     * Restores the times of the source partitions.
     *
     * @return the clock, or empty before the first commit
     * @throws StartRefusedException if the state was written under other terms
     */
    Optional<SourceClock> load(SourceTimes sources, String applicationId) {
        Optional<SourceClock> clock = Optional.empty();
        try (KeyValueIterator<Route, SourceClock> all = store.all()) {
            while (all.hasNext()) {
                var entry = all.next();
                SourceClock source = entry.value;
                if (entry.key.equals(ITSELF)) {
                    terms.requireSameAs(StateTerms.fromText(source.terms()), applicationId);
                    clock = Optional.of(source);
                } else {
                    sources.restore(entry.key, source.time(), source.ended());
                }
            }
        }
        return clock;
    }

    void storeSources(SourceTimes sources) {
        sources.drainChanges((route, source) -> store.put(route, new SourceClock(source.time(), source.ended(), "")));
    }

    void store(long time, boolean ended) {
        store.put(ITSELF, new SourceClock(time, ended, terms.toText()));
    }
}
