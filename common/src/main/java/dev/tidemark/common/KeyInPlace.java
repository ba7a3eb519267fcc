package dev.tidemark.common;

import java.util.Set;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;

/**
 * Lets a processor set the key without a repartition topic behind it. The DSL repartitions after every operator that
 * may change the key; that is right unless the records already lie in the partition of their new key, which only the
 * user can know ({@code partitioned-by-key: true}).
 */
public final class KeyInPlace {

    private KeyInPlace() {}

    /**
     * Like {@link KStream#process}, but the result counts as partitioned by its key. The processor sees the records of
     * the stream and may forward any key.
     */
    @SuppressWarnings("unchecked")
    public static <K, V, KOut, VOut> KStream<KOut, VOut> process(
            KStream<K, V> stream, ProcessorSupplier<K, V, KOut, VOut> processor, Named named, String... stores) {
        KStream<K, VOut> result = stream.processValues(new Supplier<>(processor), named, stores);
        return (KStream<KOut, VOut>) result;
    }

    private record Supplier<K, V, KOut, VOut>(ProcessorSupplier<K, V, KOut, VOut> processor)
            implements FixedKeyProcessorSupplier<K, V, VOut> {

        @Override
        public FixedKeyProcessor<K, V, VOut> get() {
            return new Adapter<>(processor.get());
        }

        @Override
        public Set<StoreBuilder<?>> stores() {
            return processor.stores();
        }
    }

    private record Adapter<K, V, KOut, VOut>(Processor<K, V, KOut, VOut> processor)
            implements FixedKeyProcessor<K, V, VOut> {

        /** Kafka Streams has one context class for both kinds of processors. */
        @Override
        @SuppressWarnings("unchecked")
        public void init(FixedKeyProcessorContext<K, VOut> context) {
            processor.init((ProcessorContext<KOut, VOut>) (Object) context);
        }

        @Override
        public void process(FixedKeyRecord<K, V> record) {
            processor.process(new Record<>(record.key(), record.value(), record.timestamp(), record.headers()));
        }

        @Override
        public void close() {
            processor.close();
        }
    }
}
