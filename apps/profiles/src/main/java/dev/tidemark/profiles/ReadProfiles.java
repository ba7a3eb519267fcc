package dev.tidemark.profiles;

import dev.tidemark.common.Item;
import dev.tidemark.common.LedgerCounts;
import dev.tidemark.common.Origin;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/**
 * Reads the records of the profile table's topic, and enters them in the ledger.
 *
 * @param reader reads them; shared by all tasks
 * @param ledgerCounts name of the connected {@link LedgerCounts}
 */
record ReadProfiles(TableReader reader, String ledgerCounts)
        implements FixedKeyProcessorSupplier<byte[], byte[], Item> {

    @Override
    public FixedKeyProcessor<byte[], byte[], Item> get() {
        return new Task();
    }

    private final class Task extends ContextualFixedKeyProcessor<byte[], byte[], Item> {

        private LedgerCounts counts;

        @Override
        public void init(FixedKeyProcessorContext<byte[], Item> context) {
            super.init(context);
            counts = context.getStateStore(ledgerCounts);
        }

        @Override
        public void process(FixedKeyRecord<byte[], byte[]> record) {
            RecordMetadata place = context().recordMetadata().orElseThrow();
            Origin origin = new Origin(place.topic(), place.partition(), place.offset());
            Item item = reader.read(origin, record.key(), record.value(), record.timestamp());
            counts.receive(item);
            context().forward(record.withValue(item));
        }
    }
}
