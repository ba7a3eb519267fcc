package dev.tidemark.common;

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
 * and so is this store, which holds no data. Hooks are called in the order in which their processors stand in the
 * topology, between the caches of the stores there.
 */
public final class CommitHook extends UnloggedStore implements CachedStateStore<Void, Void> {

    private Runnable action = () -> {};

    private CommitHook(String name) {
        super(name);
    }

    /** A store builder to be connected to exactly one processor. */
    public static StoreBuilder<CommitHook> named(String name) {
        return new Builder<>(name, () -> new CommitHook(name));
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
    void clear() {
        action = () -> {};
    }
}
