package dev.tidemark.common;

import dev.tidemark.common.InputMapping.TimeFormat;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Says slowly and simply, with a tree and big numbers, which event a value is. It knows no bounds of numbers, and of
 * time formats only {@code iso-8601} and {@code epoch-millis}.
 */
final class EventOracle {

    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(64).build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    private static final Pattern BOUNDED = Pattern.compile("[0-9.]{60}|[eE][+-]?[0-9]{2}");
    private static final Pattern BEYOND = Pattern.compile("[eE][+-]?[0-9]{10}");
    /** The parser of characters takes some that are no hex digits for such. */
    private static final Pattern BROKEN_ESCAPE = Pattern.compile("(?<!\\\\)(\\\\\\\\)*\\\\u(?![0-9a-fA-F]{4})");

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

    private final InputMapping mapping;
    private final Duration maxFuture;

    EventOracle(InputMapping mapping, Duration maxFuture) {
        this.mapping = mapping;
        this.maxFuture = maxFuture;
    }

    /** What the reader may refuse although it is right: numbers of many digits, and exponents of two or more. */
    static boolean mayBeBounded(String value) {
        return BOUNDED.matcher(value).find();
    }

    /** What the tree cannot hold, and what the reader need not look at in a field that it does not read. */
    static boolean isBeyond(String value) {
        return BEYOND.matcher(value).find();
    }

    boolean accepts(byte[] value, long arrival) {
        return read(value, arrival) instanceof Event;
    }

    /** Whether this event is that of its payload. */
    boolean accepts(Event event) {
        return read(event.payload(), event.arrival()) instanceof Event right
                && sameText(right.id(), event.id())
                && sameText(right.key(), event.key())
                && right.time() == event.time()
                && right.amount() == event.amount();
    }

    /** The tree does not know whether a zero was written with a sign. */
    private static boolean sameText(String one, String other) {
        return one.replace("-0", "0").equals(other.replace("-0", "0"));
    }

    /** The event, or a text that says what is wrong. */
    Object read(byte[] value, long arrival) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value))
                    .toString();
            require(value.length <= mapping.maxSize().toBytes(), "size of the value");
            require(!BROKEN_ESCAPE.matcher(text).find(), "escape");
            JsonNode root = text.isBlank() ? JSON.nullNode() : JSON.readTree(text);
            require(root.isObject(), "object");
            requireNames(root);
            String id = text(root, mapping.eventId());
            require(id.getBytes(StandardCharsets.UTF_8).length <= 768, "length");
            List<String> parts =
                    mapping.key().stream().map(pointer -> text(root, pointer)).collect(Collectors.toList());
            String key = parts.size() == 1 ? parts.get(0) : JSON.writeValueAsString(parts);
            requireShort(key);
            Instant time = time(root.at(mapping.eventTime()));
            require(time.getEpochSecond() >= 0 && !time.isAfter(LATEST), "calendar");
            require(!time.isAfter(Instant.ofEpochMilli(arrival).plus(maxFuture)), "future");
            BigDecimal amount = mapping.amount().stream()
                    .map(pointer -> decimal(root.at(pointer)))
                    .reduce(BigDecimal.ONE, BigDecimal::multiply)
                    .stripTrailingZeros();
            require(amount.scale() <= mapping.amountScale(), "scale");
            require(amount.precision() - amount.scale() <= 19, "size");
            BigInteger units = amount.setScale(mapping.amountScale()).unscaledValue();
            return new Event(
                    new Origin("sales", 0, 0), id, key, time.toEpochMilli(), arrival, units.longValueExact(), value);
        } catch (CharacterCodingException
                | JacksonException
                | NumberFormatException
                | ArithmeticException
                | DateTimeException
                | WrongEvent e) {
            return e.toString();
        }
    }

    private static String text(JsonNode root, String pointer) {
        JsonNode node = root.at(pointer);
        if (node.isIntegralNumber()) {
            return node.bigIntegerValue().toString();
        }
        require(node.isString(), "text");
        String text = node.stringValue();
        require(!text.codePoints().allMatch(c -> Character.isWhitespace(c) || Character.isSpaceChar(c)), "blank");
        require(text.indexOf(0) < 0, "characters");
        requireShort(text);
        requireWholeCharacters(text);
        return text;
    }

    private static void requireNames(JsonNode node) {
        node.propertyNames().forEach(EventOracle::requireWholeCharacters);
        node.values().forEach(EventOracle::requireNames);
    }

    private static void requireWholeCharacters(String text) {
        require(StandardCharsets.UTF_8.newEncoder().canEncode(text), "surrogates");
    }

    private static void requireShort(String text) {
        require(text.getBytes(StandardCharsets.UTF_8).length <= 1024, "length");
    }

    private Instant time(JsonNode node) {
        if (mapping.eventTimeFormat() == TimeFormat.ISO_8601) {
            require(node.isString(), "time");
            String text = node.stringValue().toUpperCase(Locale.ROOT);
            require(
                    text.matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)"),
                    "time");
            return OffsetDateTime.parse(text).toInstant();
        }
        require(node.isIntegralNumber() || node.isString(), "time");
        String text =
                node.isString() ? node.stringValue() : node.bigIntegerValue().toString();
        require(text.matches("-?(0|[1-9][0-9]*)"), "time");
        return Instant.ofEpochMilli(new BigInteger(text).longValueExact());
    }

    private static BigDecimal decimal(JsonNode node) {
        if (node.isNumber()) {
            return node.decimalValue();
        }
        require(node.isString(), "amount");
        require(node.stringValue().matches("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]{1,9})?"), "amount");
        return new BigDecimal(node.stringValue());
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new WrongEvent(what);
        }
    }

    private static final class WrongEvent extends RuntimeException {
        private static final long serialVersionUID = 1;

        WrongEvent(String what) {
            super(what, null, false, false);
        }
    }
}
