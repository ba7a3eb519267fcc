package org.apache.kafka.streams.state.internals;

import java.time.Duration;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** Builders of stores in memory. It stands in this package because the serdes of a builder are visible here only. */
public final class InMemoryStoreBuilders {

    private InMemoryStoreBuilders() {}

    /** A builder of the same store in memory, with the same changelog; builders of other kinds of stores as they are. */
    public static StoreBuilder<?> inMemory(StoreBuilder<?> builder) {
        if (builder instanceof KeyValueStoreBuilder<?, ?> keyValue) {
            return inMemory(keyValue);
        }
        if (builder instanceof SessionStoreBuilder<?, ?> session) {
            return inMemory(session);
        }
        return builder instanceof WindowStoreBuilder<?, ?> window ? inMemory(window) : builder;
    }

    private static <K, V> StoreBuilder<?> inMemory(SessionStoreBuilder<K, V> builder) {
        return like(
                builder,
                Stores.sessionStoreBuilder(
                        Stores.inMemorySessionStore(builder.name(), Duration.ofMillis(builder.retentionPeriod())),
                        builder.keySerde,
                        builder.valueSerde));
    }

    private static <K, V> StoreBuilder<?> inMemory(KeyValueStoreBuilder<K, V> builder) {
        return like(
                builder,
                Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore(builder.name()), builder.keySerde, builder.valueSerde));
    }

    /** The size of the windows plays no part where they are asked for by their start. */
    private static <K, V> StoreBuilder<?> inMemory(WindowStoreBuilder<K, V> builder) {
        Duration retention = Duration.ofMillis(builder.retentionPeriod());
        return like(
                builder,
                Stores.windowStoreBuilder(
                        Stores.inMemoryWindowStore(builder.name(), retention, retention, false),
                        builder.keySerde,
                        builder.valueSerde));
    }

    private static StoreBuilder<?> like(AbstractStoreBuilder<?, ?, ?> original, StoreBuilder<?> copy) {
        StoreBuilder<?> cached = original.enableCaching ? copy.withCachingEnabled() : copy;
        return original.loggingEnabled()
                ? cached.withLoggingEnabled(original.logConfig())
                : cached.withLoggingDisabled();
    }
}
