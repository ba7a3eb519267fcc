package dev.tidemark.common;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.ProcessorWrapper;
import org.apache.kafka.streams.processor.api.WrappedFixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.WrappedProcessorSupplier;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers.InMemoryDslStoreSuppliers;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.internals.InMemoryStoreBuilders;

/**
 * Puts stores in memory that are on disk in the real apps. A task then starts in a fraction of the time, and every
 * restart restores every store from its changelog, as on another machine.
 */
public final class InMemoryStores implements ProcessorWrapper {

    /** The settings that do so. */
    public static final Map<String, Object> SETTINGS = Map.of(
            StreamsConfig.PROCESSOR_WRAPPER_CLASS_CONFIG, InMemoryStores.class,
            StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, InMemoryDslStoreSuppliers.class);

    @Override
    public <KIn, VIn, KOut, VOut> WrappedProcessorSupplier<KIn, VIn, KOut, VOut> wrapProcessorSupplier(
            String name, ProcessorSupplier<KIn, VIn, KOut, VOut> supplier) {
        return new WrappedProcessorSupplier<>() {

            @Override
            public Processor<KIn, VIn, KOut, VOut> get() {
                return supplier.get();
            }

            @Override
            public Set<StoreBuilder<?>> stores() {
                return inMemory(supplier.stores());
            }
        };
    }

    @Override
    public <KIn, VIn, VOut> WrappedFixedKeyProcessorSupplier<KIn, VIn, VOut> wrapFixedKeyProcessorSupplier(
            String name, FixedKeyProcessorSupplier<KIn, VIn, VOut> supplier) {
        return new WrappedFixedKeyProcessorSupplier<>() {

            @Override
            public FixedKeyProcessor<KIn, VIn, VOut> get() {
                return supplier.get();
            }

            @Override
            public Set<StoreBuilder<?>> stores() {
                return inMemory(supplier.stores());
            }
        };
    }

    private static Set<StoreBuilder<?>> inMemory(Set<StoreBuilder<?>> builders) {
        if (builders == null) {
            return null;
        }
        Set<StoreBuilder<?>> inMemory = new LinkedHashSet<>();
        builders.forEach(builder -> inMemory.add(InMemoryStoreBuilders.inMemory(builder)));
        return inMemory;
    }
}
