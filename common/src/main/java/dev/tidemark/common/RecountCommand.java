package dev.tidemark.common;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks a totals app to publish another version of a window, because a recount of its input has shown that it adds up to
 * something else than the tables say. The value of a record of the topic {@code <pipeline>-recounts}, in the partition where the
 * key is counted.
 *
 * @param settings fingerprint of the settings that the recount was made with, which must be those of the app
 * @param key what the events are grouped by
 * @param windowStart start of the window in epoch milliseconds
 * @param version the latest version that the tables have; 0: there is no final
 * @param publishedTotal its total; 0 without a version
 * @param publishedCount its number of events, likewise
 * @param total what the window adds up to
 * @param count number of its events; at least 1
 * @param minimum smallest amount
 * @param maximum greatest amount
 * @param eventIds events that explain the difference, at most ten; empty where none is known
 */
public record RecountCommand(
        String settings,
        String key,
        long windowStart,
        int version,
        BigDecimal publishedTotal,
        long publishedCount,
        BigDecimal total,
        long count,
        BigDecimal minimum,
        BigDecimal maximum,
        List<String> eventIds) {

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    /** More than any amount has before or after the decimal point. */
    private static final int MOST_PLACES = 400;

    public byte[] toJson() {
        return new JsonRow()
                .text("settings", settings)
                .text("key", key)
                .time("window_start", windowStart)
                .number("version", version)
                .decimal("published_total", publishedTotal)
                .number("published_count", publishedCount)
                .decimal("total", total)
                .number("count", count)
                .decimal("minimum", minimum)
                .decimal("maximum", maximum)
                .texts("event_ids", eventIds)
                .toBytes();
    }

    /** @throws IllegalArgumentException if it is no command; the message says why */
    public static RecountCommand parse(byte[] value) {
        try {
            JsonNode json = JSON.readTree(new String(value, StandardCharsets.UTF_8));
            List<String> ids = new ArrayList<>();
            JSON.readTree(field(json, "event_ids").asString()).forEach(id -> ids.add(id.asString()));
            return new RecountCommand(
                    field(json, "settings").asString(),
                    field(json, "key").asString(),
                    Instant.parse(field(json, "window_start").asString()).toEpochMilli(),
                    field(json, "version").intValue(),
                    amount(json, "published_total"),
                    field(json, "published_count").longValue(),
                    amount(json, "total"),
                    field(json, "count").longValue(),
                    amount(json, "minimum"),
                    amount(json, "maximum"),
                    ids);
        } catch (JacksonException e) {
            throw new IllegalArgumentException("it cannot be read: " + e.getOriginalMessage(), e);
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("it cannot be read: " + e.getMessage(), e);
        }
    }

    /** Whoever wrote it may have meant no good: a number of a few characters can have a billion digits. */
    private static BigDecimal amount(JsonNode json, String name) {
        BigDecimal amount = field(json, name).decimalValue();
        if (Math.abs((long) amount.scale()) > MOST_PLACES) {
            throw new IllegalArgumentException("its " + name + " is no amount");
        }
        return amount;
    }

    private static JsonNode field(JsonNode json, String name) {
        JsonNode field = json.get(name);
        if (field == null || field.isNull()) {
            throw new IllegalArgumentException("it lacks " + name);
        }
        return field;
    }
}
