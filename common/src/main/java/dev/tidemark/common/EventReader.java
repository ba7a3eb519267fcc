package dev.tidemark.common;

import dev.tidemark.common.EventFields.Layout;
import dev.tidemark.common.InputMapping.RecordKey;
import java.time.Duration;
import java.time.Instant;
import tools.jackson.core.ErrorReportConfiguration;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;

/**
 * Reads input records as events, strictly: what is not certain is refused with a reason. The verdict depends on
 * nothing but the record and the mapping. Immutable, so that all stream threads may share one.
 */
public final class EventReader implements RecordReader {

    private static final int MAX_DEPTH = 64;
    private static final int MAX_NUMBER = 1000;
    private static final int MAX_NAME = 1000;

    private final Layout layout;
    private final PointerTree pointers;
    private final int maxSize;
    private final boolean recordKeyIsText;
    private final Duration maxFuture;
    private final long maxFutureMillis;
    private final JsonFactory json;

    /**
     * @param mapping where the fields of the event are and how they are written
     * @param maxFuture how far an event time may lie beyond its arrival; not negative
     */
    public EventReader(InputMapping mapping, Duration maxFuture) {
        if (maxFuture.isNegative()) {
            throw new IllegalArgumentException("max-future is " + maxFuture + ", but it must not be negative");
        }
        this.layout = Layout.of(mapping);
        this.pointers = PointerTree.of(layout.pointers());
        this.maxSize = Math.toIntExact(mapping.maxSize().toBytes());
        this.recordKeyIsText = mapping.recordKey() == RecordKey.UTF_8;
        this.maxFuture = maxFuture;
        this.maxFutureMillis = maxFuture.compareTo(Duration.ofMillis(EventTimes.LATEST)) < 0
                ? maxFuture.toMillis()
                : EventTimes.LATEST;
        this.json = strictJson(maxSize);
    }

    /** What parses values of up to that size. */
    static JsonFactory strictJson(int maxSize) {
        return JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(TokenStreamFactory.Feature.CHARSET_DETECTION)
                // Otherwise names that earlier records had would decide whether this one can be read.
                .disable(TokenStreamFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_DEPTH)
                        .maxNumberLength(MAX_NUMBER)
                        .maxNameLength(MAX_NAME)
                        .maxStringLength(maxSize)
                        .build())
                .errorReportConfiguration(ErrorReportConfiguration.builder()
                        .maxErrorTokenLength(60)
                        .build())
                .recyclerPool(JsonRecyclerPools.threadLocalPool())
                .build();
    }

    /**
     * Reads one record. Never throws.
     *
     * @param recordKey the Kafka record's key, or null
     * @param value the record's value, or null
     * @param arrival the record's timestamp in epoch milliseconds; 0 or less: it has none
     * @return an {@link Event}, or an {@link Outcome} that is malformed, future or out-of-range and holds whatever
     *     could be read
     */
    @Override
    public Item read(Origin origin, byte[] recordKey, byte[] value, long arrival) {
        EventFields fields = new EventFields(layout);
        String fault = faultOfBytes(value, maxSize);
        if (fault == null) {
            fault = parse(value, fields);
        }
        if (fault == null) {
            fault = faultOfRecord(recordKey, arrival);
        }
        if (fault == null) {
            fault = fields.fault();
        }
        if (fault != null) {
            return refusal(origin, fields, value, arrival, Disposition.MALFORMED, fault);
        }
        String overflow = fields.overflow();
        if (overflow != null) {
            return refusal(origin, fields, value, arrival, Disposition.OUT_OF_RANGE, overflow);
        }
        if (fields.time() - arrival > maxFutureMillis) {
            String reason = "the event time " + Instant.ofEpochMilli(fields.time()) + " is more than " + maxFuture
                    + " after the arrival at " + Instant.ofEpochMilli(arrival);
            return refusal(origin, fields, value, arrival, Disposition.FUTURE, reason);
        }
        return new Event(origin, fields.id(), fields.key(), fields.time(), arrival, fields.amount(), value);
    }

    private static Outcome refusal(
            Origin origin, EventFields fields, byte[] value, long arrival, Disposition disposition, String reason) {
        return new Outcome(
                origin,
                fields.id(),
                fields.key(),
                fields.hasTime() ? fields.time() : null,
                arrival,
                fields.hasAmount() ? fields.amount() : null,
                disposition,
                reason,
                null,
                null,
                value);
    }

    /** What is wrong with a value before it is parsed, or null. */
    static String faultOfBytes(byte[] value, int maxSize) {
        if (value == null) {
            return "the record has no value";
        }
        if (value.length == 0) {
            return "the value is empty";
        }
        if (value.length > maxSize) {
            return "the value has " + value.length + " bytes, but the input's max-size is " + maxSize;
        }
        int fault = Utf8.firstFault(value);
        if (fault >= 0) {
            return "the value is not UTF-8 at byte " + fault;
        }
        if (value.length >= 3 && value[0] == (byte) 0xEF && value[1] == (byte) 0xBB && value[2] == (byte) 0xBF) {
            return "the value begins with a byte order mark";
        }
        return null;
    }

    /** What is wrong with a record's timestamp, or null. */
    static String faultOfArrival(long arrival) {
        if (arrival <= 0) {
            return "the record has no timestamp";
        }
        return arrival > EventTimes.LATEST
                ? "the record's timestamp is " + arrival + ", which is beyond the year 9999"
                : null;
    }

    private String faultOfRecord(byte[] recordKey, long arrival) {
        String faultOfArrival = faultOfArrival(arrival);
        if (faultOfArrival != null) {
            return faultOfArrival;
        }
        if (recordKeyIsText && recordKey != null) {
            int fault = Utf8.firstFault(recordKey);
            if (fault >= 0) {
                return "the record key is not UTF-8 at byte " + fault
                        + "; if your keys are binary, set the input's record-key: any";
            }
        }
        return null;
    }

    private String parse(byte[] value, EventFields fields) {
        try (JsonParser parser = json.createParser(ObjectReadContext.empty(), value, 0, value.length)) {
            String fault = parse(parser, fields);
            fields.complete();
            return fault;
        } catch (RuntimeException e) {
            // A fault of the parser, not of ours to hide: but one record must not stop all that follow.
            return "the JSON parser failed at this value";
        }
    }

    private String parse(JsonParser parser, EventFields fields) {
        boolean complete = false;
        try {
            JsonToken first = parser.nextToken();
            if (first == null) {
                return "the value is only white space";
            }
            if (first != JsonToken.START_OBJECT) {
                return "the value is not a JSON object";
            }
            readObject(parser, pointers, fields);
            complete = true;
            return parser.nextToken() == null ? null : "something follows the JSON object";
        } catch (JacksonException e) {
            return complete ? "something follows the JSON object" : Reasons.of(e, parser);
        }
    }

    private void readObject(JsonParser parser, PointerTree tree, EventFields fields) {
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            readValue(parser, parser.nextToken(), tree.child(name), fields);
        }
    }

    private void readArray(JsonParser parser, PointerTree tree, EventFields fields) {
        int index = 0;
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            readValue(parser, token, tree.child(index++), fields);
        }
    }

    private void readValue(JsonParser parser, JsonToken token, PointerTree tree, EventFields fields) {
        if (tree == null) {
            parser.skipChildren();
            return;
        }
        for (int target : tree.targets()) {
            fields.take(target, token, parser);
        }
        if (tree.isLeaf()) {
            parser.skipChildren();
        } else if (token == JsonToken.START_OBJECT) {
            readObject(parser, tree, fields);
        } else if (token == JsonToken.START_ARRAY) {
            readArray(parser, tree, fields);
        }
    }
}
