package dev.tidemark.common;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Turns refusals into dead letters: the record's key, value and headers as they came, and headers of our own that say
 * where it lies and why it was refused. A dead letter that is sent to the input again and fails again has one set of
 * them, and a count of attempts. What is too large to be passed on is cut (value, key) or left out (headers), and a
 * header gives its size, so that no record can stop the app by its size.
 *
 * @param maxValue the largest value in bytes that is passed on whole
 */
public record DeadLetters(int maxValue) implements ProcessorSupplier<byte[], Item, byte[], byte[]> {

    /** The most that the key, and again the headers, may take in bytes; what is more is cut or left out. */
    static final int MAX_REST = 256 * 1024;

    /** Room for our own headers and the framing of the record. */
    static final int OWN = 16 * 1024;

    /** The most that the two lengths of a header take in a record. */
    private static final int HEADER_LENGTHS = 10;

    private static final int MAX_CHARACTER = 3;
    private static final int MAX_DIGITS = 18;

    static final String PREFIX = "tidemark-";
    static final String TOPIC = PREFIX + "topic";
    static final String PARTITION = PREFIX + "partition";
    static final String OFFSET = PREFIX + "offset";
    static final String DISPOSITION = PREFIX + "disposition";
    static final String REASON = PREFIX + "reason";
    static final String ATTEMPTS = PREFIX + "attempts";
    static final String SIZE = PREFIX + "size";
    static final String KEY_SIZE = PREFIX + "key-size";
    static final String HEADERS_SIZE = PREFIX + "headers-size";

    @Override
    public Processor<byte[], Item, byte[], byte[]> get() {
        return new Task();
    }

    private final class Task extends ContextualProcessor<byte[], Item, byte[], byte[]> {

        @Override
        public void process(Record<byte[], Item> record) {
            Outcome refusal = (Outcome) record.value();
            Headers headers = new RecordHeaders();
            copyForeign(record.headers(), headers);
            add(headers, TOPIC, refusal.origin().topic());
            add(headers, PARTITION, Integer.toString(refusal.origin().partition()));
            add(headers, OFFSET, Long.toString(refusal.origin().offset()));
            add(headers, DISPOSITION, refusal.disposition().label());
            add(headers, REASON, refusal.reason());
            add(headers, ATTEMPTS, Integer.toString(attempts(record.headers()) + 1));
            byte[] value = cut(refusal.payload(), maxValue, headers, SIZE);
            byte[] key = cut(record.key(), MAX_REST, headers, KEY_SIZE);
            for (String size : List.of(SIZE, KEY_SIZE, HEADERS_SIZE)) {
                keepMark(size, record.headers(), headers);
            }
            context().forward(new Record<>(key, value, record.timestamp(), headers));
        }

        private static void copyForeign(Headers from, Headers to) {
            long size = 0;
            for (Header header : from) {
                size += isOwn(header) ? 0 : size(header);
            }
            if (size > MAX_REST) {
                add(to, HEADERS_SIZE, Long.toString(size));
                return;
            }
            for (Header header : from) {
                if (!isOwn(header)) {
                    to.add(header);
                }
            }
        }

        private static boolean isOwn(Header header) {
            return header.key().startsWith(PREFIX);
        }

        private static long size(Header header) {
            int value = header.value() == null ? 0 : header.value().length;
            return HEADER_LENGTHS + (long) MAX_CHARACTER * header.key().length() + value;
        }

        private static byte[] cut(byte[] bytes, int most, Headers headers, String sizeHeader) {
            if (bytes == null || bytes.length <= most) {
                return bytes;
            }
            add(headers, sizeHeader, Integer.toString(bytes.length));
            return Arrays.copyOf(bytes, most);
        }

        /** What was cut when it was refused before does not become whole by being sent again. */
        private static void keepMark(String sizeHeader, Headers from, Headers to) {
            String size = number(from, sizeHeader);
            if (!size.isEmpty() && to.lastHeader(sizeHeader) == null) {
                add(to, sizeHeader, size);
            }
        }

        private static void add(Headers headers, String name, String value) {
            headers.add(name, value.getBytes(StandardCharsets.UTF_8));
        }

        private static int attempts(Headers headers) {
            String attempts = number(headers, ATTEMPTS);
            return attempts.isEmpty() || attempts.length() > 8 ? 0 : Integer.parseInt(attempts);
        }

        /** The digits of a header, or an empty text if it is absent or something else. */
        private static String number(Headers headers, String name) {
            Header header = headers.lastHeader(name);
            byte[] value = header == null ? null : header.value();
            if (value == null || value.length > MAX_DIGITS) {
                return "";
            }
            String text = new String(value, StandardCharsets.UTF_8);
            return text.matches("[0-9]+") ? text : "";
        }
    }
}
