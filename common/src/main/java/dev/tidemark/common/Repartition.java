package dev.tidemark.common;

import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Moves events to the partition of another key without losing track of them: each keeps its place in the input, it is in
 * the ledger as held while it is between two tasks, and the progress of its source partition goes to all partitions,
 * behind the events that it speaks of. Headers stay behind.
 *
 * @param name names the internal topic and the operators around it, such as {@code by-key}
 * @param keyOf the key by which events are moved
 * @param bytes how items are written
 * @param sender name of the {@link LedgerCounts} on this side
 * @param receiver name of the {@link LedgerCounts} on the other side
 */
public record Repartition(String name, Function<Event, String> keyOf, ItemBytes bytes, String sender, String receiver) {

    /** The events and the progress in a stream, by the new key. */
    public KStream<String, Item> of(KStream<String, Item> items) {
        return items.process(PassOn::new, Named.as("pass-on-" + name), sender)
                .repartition(Repartitioned.<String, Item>as(name)
                        .withKeySerde(Serdes.String())
                        .withValueSerde(bytes.serde())
                        .withStreamPartitioner(new ProgressToAll()))
                .processValues(TakeOver::new, Named.as("take-over-" + name), receiver);
    }

    private final class PassOn extends ContextualProcessor<String, Item, String, Item> {

        private LedgerCounts counts;
        private int partition;

        @Override
        public void init(ProcessorContext<String, Item> context) {
            super.init(context);
            counts = context.getStateStore(sender);
            partition = context.taskId().partition();
        }

        @Override
        public void process(Record<String, Item> record) {
            if (record.value() instanceof Event event) {
                counts.hold(event);
                Event passed = event.via() == partition ? event : event.via(partition);
                context().forward(new Record<>(keyOf.apply(event), passed, record.timestamp()));
            } else if (record.value() instanceof Progress progress) {
                context().forward(new Record<>(Progress.KEY, progress.via(partition), record.timestamp()));
            }
        }
    }

    private final class TakeOver extends ContextualFixedKeyProcessor<String, Item, Item> {

        private LedgerCounts counts;

        @Override
        public void init(FixedKeyProcessorContext<String, Item> context) {
            super.init(context);
            counts = context.getStateStore(receiver);
        }

        @Override
        public void process(FixedKeyRecord<String, Item> record) {
            if (record.value() instanceof Event event) {
                counts.release(event);
            }
            context().forward(record);
        }
    }

    private static final class ProgressToAll implements StreamPartitioner<String, Item> {

        private final StringSerializer utf8 = new StringSerializer();

        @Override
        public Optional<Set<Integer>> partitions(String topic, String key, Item item, Headers headers, int partitions) {
            if (item instanceof Progress) {
                return Optional.of(IntStream.range(0, partitions).boxed().collect(Collectors.toSet()));
            }
            return Optional.of(Set.of(Utils.toPositive(Utils.murmur2(utf8.serialize(topic, key))) % partitions));
        }

        @Override
        @Deprecated
        @SuppressWarnings("removal")
        public Optional<Set<Integer>> partitions(String topic, String key, Item item, int partitions) {
            return partitions(topic, key, item, new RecordHeaders(), partitions);
        }
    }
}
