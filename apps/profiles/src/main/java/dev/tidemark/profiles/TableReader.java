package dev.tidemark.profiles;

import dev.tidemark.common.Disposition;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventTimes;
import dev.tidemark.common.Item;
import dev.tidemark.common.Origin;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.SettingRules;
import dev.tidemark.common.Utf8;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonPointer;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads records of the profile table's topic as events: an update has its value as payload, a deletion an empty one. What
 * is not certain is refused with a reason, and so is what the table's jsonb could not hold. Immutable and thread-safe.
 */
final class TableReader {

    /** Strict, and exact for numbers. */
    static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .recyclerPool(JsonRecyclerPools.threadLocalPool())
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(64)
                            .maxNumberLength(1000)
                            .maxStringLength(64 * 1024 * 1024)
                            .build())
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private static final int MAX_KEY = 1024;
    private static final int MAX_EXPONENT = 1000;

    private final TableMapping mapping;
    private final List<JsonPointer> key;
    private final JsonPointer time;
    private final EventTimes times;
    private final Duration maxFuture;

    /** @param maxFuture how far the time of an update may lie beyond its arrival */
    TableReader(TableMapping mapping, Duration maxFuture) {
        this.mapping = mapping;
        this.key = mapping.key().stream().map(JsonPointer::compile).toList();
        this.time = mapping.eventTime() == null ? null : JsonPointer.compile(mapping.eventTime());
        this.times = new EventTimes(mapping.eventTimeFormat(), null);
        this.maxFuture = maxFuture;
    }

    /** Why a record is not an update. */
    private static final class Refusal extends Exception {

        private static final long serialVersionUID = 1;

        Refusal(String reason) {
            super(reason, null, false, false);
        }
    }

    /**
     * Reads one record. Never throws.
     *
     * @return an {@link Event}, or an {@link Outcome} that is malformed or future
     */
    Item read(Origin origin, byte[] recordKey, byte[] value, long arrival) {
        try {
            if (arrival <= 0 || arrival > EventTimes.LATEST) {
                throw new Refusal("the record has no timestamp between 1970 and 9999");
            }
            JsonNode object = value == null ? null : parse(value);
            if (object == null) {
                String deleted = recordKey(recordKey);
                return new Event(origin, deleted, deleted, arrival, arrival, 0, new byte[0]);
            }
            String of = key.isEmpty() ? recordKey(recordKey) : keyIn(object);
            long at = time == null ? arrival : timeIn(object);
            checkTaken(object);
            Event update = new Event(origin, of, of, at, arrival, 0, value);
            return at - arrival > maxFuture.toMillis() ? future(update) : update;
        } catch (Refusal refusal) {
            return new Outcome(
                    origin,
                    null,
                    null,
                    null,
                    arrival,
                    null,
                    Disposition.MALFORMED,
                    refusal.getMessage(),
                    null,
                    null,
                    value);
        }
    }

    private Outcome future(Event update) {
        return Outcome.of(
                update,
                Disposition.FUTURE,
                "its time is more than " + SettingRules.show(maxFuture) + " after its arrival");
    }

    private JsonNode parse(byte[] value) throws Refusal {
        if (value.length == 0) {
            throw new Refusal("the value is empty; a record that deletes has none");
        }
        if (value.length > mapping.maxSize().toBytes()) {
            throw new Refusal("the value has " + value.length + " bytes, but the table's max-size is "
                    + mapping.maxSize().toBytes());
        }
        int fault = Utf8.firstFault(value);
        if (fault >= 0) {
            throw new Refusal("the value is not UTF-8 at byte " + fault);
        }
        try {
            JsonNode node = JSON.readTree(value);
            if (node.isObject()) {
                return node;
            }
            throw new Refusal("the value is not a JSON object");
        } catch (JacksonException e) {
            throw new Refusal("the value is not strict JSON at byte "
                    + (e.getLocation() == null ? 0 : e.getLocation().getByteOffset()));
        }
    }

    private String recordKey(byte[] bytes) throws Refusal {
        if (bytes == null) {
            throw new Refusal("the record has no key, which says what it is about");
        }
        if (Utf8.firstFault(bytes) >= 0) {
            throw new Refusal("the record key is not UTF-8");
        }
        return checked(new String(bytes, StandardCharsets.UTF_8), "the record key");
    }

    private String keyIn(JsonNode object) throws Refusal {
        if (key.size() == 1) {
            return part(object, 0);
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < key.size(); i++) {
            parts.add(part(object, i));
        }
        String array = JSON.writeValueAsString(parts);
        return checked(array, "the key of " + mapping.key().get(0) + " and others");
    }

    private String part(JsonNode object, int index) throws Refusal {
        JsonNode node = object.at(key.get(index));
        String name = mapping.key().get(index);
        if (!node.isString() && !node.isIntegralNumber()) {
            throw new Refusal(name + (node.isMissingNode() ? " is missing" : " is no text or whole number"));
        }
        return checked(node.asString(), name);
    }

    private static String checked(String text, String name) throws Refusal {
        if (text.isBlank()) {
            throw new Refusal(name + " is blank");
        }
        if (text.indexOf('\0') >= 0 || hasHalfOfAPair(text)) {
            throw new Refusal(name + " contains NUL or half of a surrogate pair");
        }
        if (text.getBytes(StandardCharsets.UTF_8).length > MAX_KEY) {
            throw new Refusal(name + " has more than " + MAX_KEY + " bytes");
        }
        return text;
    }

    private long timeIn(JsonNode object) throws Refusal {
        JsonNode node = object.at(time);
        if (!node.isString() && !(node.isIntegralNumber() && times.acceptsNumbers())) {
            throw new Refusal(mapping.eventTime() + (node.isMissingNode() ? " is missing" : " is no time"));
        }
        char[] text = node.asString().toCharArray();
        long read = times.read(text, 0, text.length);
        if (read < 0) {
            throw new Refusal(mapping.eventTime() + " is no time, " + times.explain(read));
        }
        return read;
    }

    private void checkTaken(JsonNode object) throws Refusal {
        for (String pointer : mapping.take()) {
            if (!fitsJsonb(object.at(pointer))) {
                throw new Refusal(pointer + " contains what the table cannot hold: NUL, half of a surrogate pair, or a"
                        + " number with an exponent beyond " + MAX_EXPONENT);
            }
        }
    }

    private static boolean fitsJsonb(JsonNode node) {
        if (node.isString()) {
            return node.asString().indexOf('\0') < 0 && !hasHalfOfAPair(node.asString());
        }
        if (node.isNumber()) {
            BigDecimal number = node.decimalValue();
            return Math.abs((long) number.scale()) <= MAX_EXPONENT;
        }
        boolean namesFit = node.properties().stream()
                .noneMatch(field -> field.getKey().indexOf('\0') >= 0 || hasHalfOfAPair(field.getKey()));
        return namesFit && node.valueStream().allMatch(TableReader::fitsJsonb);
    }

    private static boolean hasHalfOfAPair(String text) {
        return !StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    /** The taken fields of an update as a JSON object; one that is missing is null. */
    String take(byte[] update) {
        JsonNode object = JSON.readTree(update);
        ObjectNode taken = JSON.createObjectNode();
        for (String pointer : mapping.take()) {
            JsonNode value = object.at(pointer);
            taken.set(TableMapping.nameOf(pointer), value.isMissingNode() ? taken.nullNode() : value);
        }
        return JSON.writeValueAsString(taken);
    }
}
