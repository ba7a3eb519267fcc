package dev.tidemark.common;

import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.state.StoreBuilder;

/** A store of what a task holds in memory between two commits; it has no changelog and nothing on disk. */
abstract class UnloggedStore implements StateStore {

    private final String name;
    private boolean open;

    UnloggedStore(String name) {
        this.name = name;
    }

    /** Forgets everything. */
    abstract void clear();

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final void init(StateStoreContext context, StateStore root) {
        context.register(root, (key, value) -> {});
        open = true;
    }

    @Override
    public final void close() {
        open = false;
        clear();
    }

    @Override
    public final boolean persistent() {
        return false;
    }

    @Override
    public final boolean isOpen() {
        return open;
    }

    /** Builds such a store. */
    record Builder<T extends UnloggedStore>(String name, Supplier<T> supplier) implements StoreBuilder<T> {

        @Override
        public StoreBuilder<T> withCachingEnabled() {
            return this;
        }

        @Override
        public StoreBuilder<T> withCachingDisabled() {
            return this;
        }

        @Override
        public StoreBuilder<T> withLoggingEnabled(Map<String, String> config) {
            throw new UnsupportedOperationException(name + " lives from commit to commit and cannot be logged");
        }

        @Override
        public StoreBuilder<T> withLoggingDisabled() {
            return this;
        }

        @Override
        public T build() {
            return supplier.get();
        }

        @Override
        public Map<String, String> logConfig() {
            return Map.of();
        }

        @Override
        public boolean loggingEnabled() {
            return false;
        }
    }
}
