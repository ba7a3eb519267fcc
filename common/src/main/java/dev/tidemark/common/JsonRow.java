package dev.tidemark.common;

import java.io.ByteArrayOutputStream;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * Writes one flat JSON object, the form of all result records: exact plain numbers, times in UTC with milliseconds, and
 * null for what is absent. Not thread-safe; used once.
 */
public final class JsonRow {

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    private final JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes);

    public JsonRow() {
        json.writeStartObject();
    }

    /** A time as result records write it. */
    public static String timeText(long epochMillis) {
        return TIME.format(Instant.ofEpochMilli(epochMillis));
    }

    public JsonRow text(String name, String value) {
        if (value == null) {
            json.writeNullProperty(name);
        } else {
            json.writeStringProperty(name, value);
        }
        return this;
    }

    /** A JSON array as a text within the row, which is the form that the sinks take for jsonb. */
    public JsonRow texts(String name, List<String> values) {
        if (values == null) {
            json.writeNullProperty(name);
            return this;
        }
        StringWriter array = new StringWriter();
        try (JsonGenerator items = FACTORY.createGenerator(ObjectWriteContext.empty(), array)) {
            items.writeStartArray();
            values.forEach(items::writeString);
            items.writeEndArray();
        }
        return text(name, array.toString());
    }

    public JsonRow number(String name, long value) {
        json.writeNumberProperty(name, value);
        return this;
    }

    public JsonRow number(String name, Number value) {
        if (value == null) {
            json.writeNullProperty(name);
        } else {
            json.writeNumberProperty(name, value.longValue());
        }
        return this;
    }

    public JsonRow decimal(String name, BigDecimal value) {
        if (value == null) {
            json.writeNullProperty(name);
        } else {
            json.writeNumberProperty(name, value);
        }
        return this;
    }

    public JsonRow time(String name, Long epochMillis) {
        return text(name, epochMillis == null ? null : timeText(epochMillis));
    }

    /** Ends the object. */
    public byte[] toBytes() {
        json.writeEndObject();
        json.close();
        return bytes.toByteArray();
    }
}
