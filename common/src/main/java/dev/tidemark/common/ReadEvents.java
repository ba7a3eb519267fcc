package dev.tidemark.common;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/**
 * Turns input records into events, refusals and, where they are accepted, ends of input, and notes in the connected
 * {@link LedgerCounts} what was received.
 */
public final class ReadEvents implements FixedKeyProcessorSupplier<byte[], byte[], Item> {

    private static final byte[] END_OF_INPUT = EndOfInput.VALUE.getBytes(StandardCharsets.UTF_8);

    private final RecordReader reader;
    private final boolean acceptEndOfInput;
    private final String ledgerCounts;

    /**
     * @param reader reads the values; shared by all tasks
     * @param acceptEndOfInput whether control records are obeyed; if not, they are read like any other record
     * @param ledgerCounts name of the connected {@link LedgerCounts}
     */
    public ReadEvents(RecordReader reader, boolean acceptEndOfInput, String ledgerCounts) {
        this.reader = reader;
        this.acceptEndOfInput = acceptEndOfInput;
        this.ledgerCounts = ledgerCounts;
    }

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
            RecordMetadata metadata = context().recordMetadata().orElseThrow();
            Origin origin = new Origin(metadata.topic(), metadata.partition(), metadata.offset());
            Item item = acceptEndOfInput && isEndOfInput(record)
                    ? new EndOfInput(origin)
                    : reader.read(origin, record.key(), record.value(), record.timestamp());
            counts.receive(item);
            context().forward(record.withValue(item));
        }

        private boolean isEndOfInput(FixedKeyRecord<byte[], byte[]> record) {
            Header control = record.headers().lastHeader(EndOfInput.HEADER);
            return control != null && Arrays.equals(control.value(), END_OF_INPUT);
        }
    }
}
