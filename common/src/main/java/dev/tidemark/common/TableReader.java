package dev.tidemark.common;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.io.JsonStringEncoder;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads the records of a table topic as strictly as {@link EventReader} does events: as an {@link Event} whose id is the
 * key, whose time is that from which on the record is valid, and whose payload is the value, or empty where the record
 * says that the key is deleted. Immutable, so that all stream threads may share one.
 *
 * <p>A record without a value deletes what its record key says, from its timestamp on, because it has nothing else that
 * could say so. An empty value and the text {@code null} are malformed.
 */
public final class TableReader implements RecordReader {

    private static final byte[] DELETED = {};

    private final TableMapping mapping;
    private final List<String> pointers;
    private final PointerTree tree;
    private final int timeTarget;
    private final EventTimes times;
    private final int maxSize;
    private final Duration maxFuture;
    private final JsonFactory json;

    /**
     * @param mapping where the fields are and how they are written
     * @param maxFuture how far beyond its record's timestamp a time may lie; not negative
     */
    public TableReader(TableMapping mapping, Duration maxFuture) {
        this.mapping = mapping;
        this.pointers = mapping.pointers();
        this.tree = PointerTree.of(pointers);
        this.timeTarget = mapping.eventTime() == null ? -1 : mapping.key().size();
        this.times = new EventTimes(mapping.eventTimeFormat(), mapping.eventTimeZone());
        this.maxSize = Math.toIntExact(mapping.maxSize().toBytes());
        this.maxFuture = maxFuture;
        this.json = EventReader.strictJson(maxSize);
    }

    /** Whether a record that was read says that its key is deleted. */
    public static boolean isDeletion(Event read) {
        return read.payload().length == 0;
    }

    @Override
    public Item read(Origin origin, byte[] recordKey, byte[] value, long arrival) {
        Fields fields = new Fields();
        String fault = value == null ? null : EventReader.faultOfBytes(value, maxSize);
        if (fault == null && value != null) {
            fault = parse(value, fields);
        }
        if (fault == null) {
            fault = EventReader.faultOfArrival(arrival);
        }
        if (fault == null && (value == null || mapping.key().isEmpty())) {
            fault = readKey(recordKey, fields);
        }
        if (fault == null && value != null) {
            fault = fields.fault();
        }
        long time = value == null || timeTarget < 0 ? arrival : fields.time;
        if (fault != null) {
            return refusal(origin, fields.key, value, arrival, Disposition.MALFORMED, fault);
        }
        if (time - arrival > maxFuture.toMillis()) {
            String reason = "the time " + Instant.ofEpochMilli(time) + " is more than " + maxFuture
                    + " after the record's timestamp " + Instant.ofEpochMilli(arrival);
            return refusal(origin, fields.key, value, arrival, Disposition.FUTURE, reason);
        }
        return new Event(origin, fields.key, fields.key, time, arrival, 0, value == null ? DELETED : value);
    }

    /**
     * The fields of a value that are taken, as one JSON object, each as it was written; null where there is none.
     *
     * @param value a value that could be read
     */
    public String take(byte[] value) {
        StringBuilder object = new StringBuilder("{");
        takeFields(value).forEach((name, raw) -> {
            object.append(object.length() == 1 ? "\"" : ",\"");
            JsonStringEncoder.getInstance().quoteAsString(name, object);
            object.append("\":").append(raw);
        });
        return object.append('}').toString();
    }

    /** The same by name, each as the JSON that it is written in. */
    public Map<String, String> takeFields(byte[] value) {
        Fields fields = new Fields();
        String fault = parse(value, fields);
        if (fault != null) {
            throw new IllegalArgumentException(fault);
        }
        List<String> names = mapping.names();
        int first = pointers.size() - names.size();
        Map<String, String> taken = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            String raw = fields.raw[first + i];
            taken.put(names.get(i), raw == null ? "null" : raw);
        }
        return taken;
    }

    private static Outcome refusal(
            Origin origin, String key, byte[] value, long arrival, Disposition disposition, String reason) {
        return new Outcome(origin, key, key, null, arrival, 0L, disposition, reason, null, null, value);
    }

    private static String readKey(byte[] recordKey, Fields fields) {
        if (recordKey == null) {
            return "the record has no key";
        }
        if (recordKey.length > EventFields.MAX_KEY) {
            return "the record key " + EventFields.tooLong(recordKey.length, EventFields.MAX_KEY);
        }
        int fault = Utf8.firstFault(recordKey);
        if (fault >= 0) {
            return "the record key is not UTF-8 at byte " + fault;
        }
        String key = new String(recordKey, StandardCharsets.UTF_8);
        if (key.isBlank()) {
            return "the record key is blank";
        }
        if (key.indexOf(0) >= 0) {
            return "the record key contains a NUL character";
        }
        fields.key = key;
        return null;
    }

    private String parse(byte[] value, Fields fields) {
        try (JsonParser parser = json.createParser(ObjectReadContext.empty(), value, 0, value.length)) {
            return parse(parser, value, fields);
        } catch (RuntimeException e) {
            // A fault of the parser, not of ours to hide: but one record must not stop all that follow.
            return "the JSON parser failed at this value";
        }
    }

    private String parse(JsonParser parser, byte[] value, Fields fields) {
        try {
            JsonToken first = parser.nextToken();
            if (first != JsonToken.START_OBJECT) {
                return first == null ? "the value is only white space" : "the value is not a JSON object";
            }
            readObject(parser, tree, value, fields);
        } catch (JacksonException e) {
            return Reasons.of(e, parser);
        }
        try {
            return parser.nextToken() == null ? null : "something follows the JSON object";
        } catch (JacksonException e) {
            return "something follows the JSON object";
        }
    }

    private void readObject(JsonParser parser, PointerTree here, byte[] value, Fields fields) {
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            readValue(parser, parser.nextToken(), here.child(name), value, fields);
        }
    }

    private void readValue(JsonParser parser, JsonToken token, PointerTree here, byte[] value, Fields fields) {
        if (here == null) {
            parser.skipChildren();
        } else if (here.isLeaf()) {
            int from = (int) parser.currentTokenLocation().getByteOffset();
            for (int target : here.targets()) {
                fields.take(target, token, parser);
            }
            if (token.isStructStart()) {
                parser.skipChildren();
            } else {
                parser.getString(); // Only then the parser is behind it.
            }
            int to = (int) parser.currentLocation().getByteOffset();
            String raw = new String(value, from, to - from, StandardCharsets.UTF_8);
            for (int target : here.targets()) {
                fields.raw[target] = raw;
            }
        } else if (token == JsonToken.START_OBJECT) {
            readObject(parser, here, value, fields);
        } else if (token == JsonToken.START_ARRAY) {
            int index = 0;
            for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
                readValue(parser, next, here.child(index++), value, fields);
            }
        }
    }

    /** What has been found in one value. */
    private final class Fields {

        private final String[] raw = new String[pointers.size()];
        private final String[] keyParts = new String[mapping.key().size()];
        private final String[] faults = new String[pointers.size()];
        private String key;
        private long time;

        void take(int target, JsonToken token, JsonParser parser) {
            String fault = null;
            if (target < keyParts.length) {
                fault = EventFields.faultOfText(token, parser, EventFields.MAX_KEY);
                keyParts[target] = fault == null ? parser.getString() : null;
            } else if (target == timeTarget) {
                fault = takeTime(token, parser);
            }
            if (fault != null) {
                faults[target] = Reasons.show(pointers.get(target)) + " " + fault;
            }
        }

        private String takeTime(JsonToken token, JsonParser parser) {
            boolean readable =
                    token == JsonToken.VALUE_STRING || (token == JsonToken.VALUE_NUMBER_INT && times.acceptsNumbers());
            time = readable
                    ? times.read(parser.getStringCharacters(), parser.getStringOffset(), parser.getStringLength())
                    : EventTimes.UNREADABLE;
            return time >= 0 ? null : "is " + EventFields.show(token, parser) + ", " + times.explain(time);
        }

        /** Why the key or the time cannot be told, or null. */
        String fault() {
            int required = pointers.size() - mapping.take().size();
            for (int target = 0; target < required; target++) {
                if (faults[target] != null) {
                    return faults[target];
                }
                if (raw[target] == null) {
                    return Reasons.show(pointers.get(target)) + " is missing";
                }
            }
            if (keyParts.length > 0) {
                String whole = keyParts.length == 1 ? keyParts[0] : EventFields.wholeKey(keyParts);
                int bytes = Utf8.length(whole);
                if (bytes > EventFields.MAX_KEY) {
                    return "the key of " + Reasons.show(pointers.get(0)) + " and others "
                            + EventFields.tooLong(bytes, EventFields.MAX_KEY);
                }
                key = whole;
            }
            return null;
        }
    }
}
