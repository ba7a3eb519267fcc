package dev.tidemark.common;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;

/**
 * Turns refusals into dead letters: the record's key, value and headers as they came, and headers of our own that say
 * where it lies and why it was refused. A dead letter that is sent to the input again and fails again has one set of
 * them, and a count of attempts. A value too large to be passed on is cut, and a header gives its size.
 *
 * @param maxValue the largest value in bytes that is passed on whole
 */
public record DeadLetters(int maxValue) implements FixedKeyProcessorSupplier<byte[], Item, byte[]> {

    static final String PREFIX = "tidemark-";
    static final String TOPIC = PREFIX + "topic";
    static final String PARTITION = PREFIX + "partition";
    static final String OFFSET = PREFIX + "offset";
    static final String DISPOSITION = PREFIX + "disposition";
    static final String REASON = PREFIX + "reason";
    static final String ATTEMPTS = PREFIX + "attempts";
    static final String SIZE = PREFIX + "size";

    @Override
    public FixedKeyProcessor<byte[], Item, byte[]> get() {
        return new Task();
    }

    private final class Task extends ContextualFixedKeyProcessor<byte[], Item, byte[]> {

        @Override
        public void process(FixedKeyRecord<byte[], Item> record) {
            Outcome refusal = (Outcome) record.value();
            byte[] value = refusal.payload();
            Headers headers = new RecordHeaders();
            for (Header header : record.headers()) {
                if (!header.key().startsWith(PREFIX)) {
                    headers.add(header);
                }
            }
            add(headers, TOPIC, refusal.origin().topic());
            add(headers, PARTITION, Integer.toString(refusal.origin().partition()));
            add(headers, OFFSET, Long.toString(refusal.origin().offset()));
            add(headers, DISPOSITION, refusal.disposition().label());
            add(headers, REASON, refusal.reason());
            add(headers, ATTEMPTS, Integer.toString(attempts(record.headers()) + 1));
            if (value != null && value.length > maxValue) {
                add(headers, SIZE, Integer.toString(value.length));
                value = Arrays.copyOf(value, maxValue);
            }
            context().forward(record.withValue(value).withHeaders(headers));
        }

        private static void add(Headers headers, String name, String value) {
            headers.add(name, value.getBytes(StandardCharsets.UTF_8));
        }

        private static int attempts(Headers headers) {
            Header header = headers.lastHeader(ATTEMPTS);
            String text = header == null || header.value() == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
            return text.matches("\\d{1,8}") ? Integer.parseInt(text) : 0;
        }
    }
}
