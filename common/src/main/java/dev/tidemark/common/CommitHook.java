package dev.tidemark.common;

import java.util.Map;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.processor.internals.InternalProcessorContext;
import org.apache.kafka.streams.processor.internals.ProcessorNode;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.internals.CacheFlushListener;
import org.apache.kafka.streams.state.internals.CachedStateStore;

/**
 * Calls a processor just before its task commits, so that it can write and forward in one piece what it gathered in
 * memory since the last commit; both belong to the transaction of that commit.
 *
 * <p>Kafka Streams has no public interface for this. Its own caching stores are told through {@link CachedStateStore},
 * and so is this store, which holds no data. Nothing else in the suite knows the internal types. Hooks are called in the
 * order in which their processors stand in the topology, between the caches of the stores there.
 */
public final class CommitHook implements StateStore, CachedStateStore<Void, Void> {

    private final String name;
    private Runnable action = () -> {};
    private boolean open;

    private CommitHook(String name) {
        this.name = name;
    }

    /** A store builder to be connected to exactly one processor. */
    public static StoreBuilder<CommitHook> named(String name) {
        return new Builder(name);
    }

    /**
     * Sets what to do before each commit; to be called in the processor's {@code init}. The action may forward through
     * the given context.
     */
    public void beforeCommit(ProcessingContext context, Runnable action) {
        InternalProcessorContext<?, ?> internal = (InternalProcessorContext<?, ?>) context;
        ProcessorNode<?, ?, ?, ?> node = internal.currentNode();
        this.action = () -> {
            ProcessorNode<?, ?, ?, ?> previous = internal.currentNode();
            internal.setCurrentNode(node);
            try {
                action.run();
            } finally {
                internal.setCurrentNode(previous);
            }
        };
    }

    @Override
    public void flushCache() {
        action.run();
    }

    @Override
    public void clearCache() {}

    @Override
    public boolean setFlushListener(CacheFlushListener<Void, Void> listener, boolean sendOldValues) {
        return false;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void init(StateStoreContext context, StateStore root) {
        context.register(root, (key, value) -> {});
        open = true;
    }

    @Override
    public void close() {
        open = false;
        action = () -> {};
    }

    @Override
    public boolean persistent() {
        return false;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    private record Builder(String name) implements StoreBuilder<CommitHook> {

        @Override
        public StoreBuilder<CommitHook> withCachingEnabled() {
            return this;
        }

        @Override
        public StoreBuilder<CommitHook> withCachingDisabled() {
            return this;
        }

        @Override
        public StoreBuilder<CommitHook> withLoggingEnabled(Map<String, String> config) {
            throw new UnsupportedOperationException("a commit hook holds nothing that could be logged");
        }

        @Override
        public StoreBuilder<CommitHook> withLoggingDisabled() {
            return this;
        }

        @Override
        public CommitHook build() {
            return new CommitHook(name);
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
