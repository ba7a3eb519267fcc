package dev.tidemark.totals;

import dev.tidemark.totals.Expected.Window;
import dev.tidemark.totals.Step.Input;
import dev.tidemark.totals.Windowing.Span;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.databind.JsonNode;

/**
 * What went into the app in a {@link Run} and what came out of it.
 *
 * @param inputs the records of the input, by their offsets
 * @param commits what each commit published, in order
 */
record Transcript(List<Received> inputs, List<Commit> commits) {

    /**
     * A record of the input.
     *
     * @param input what it says
     * @param value its value; null for the end of the input
     */
    record Received(Input input, String value) {}

    /**
     * What one commit published.
     *
     * @param rows rows of totals
     * @param exceptions rows of exceptions
     * @param ledger rows of the ledger
     * @param deadLetters dead letters
     * @param expected what was owed by then
     */
    record Commit(
            List<Row> rows,
            List<JsonNode> exceptions,
            List<JsonNode> ledger,
            List<ConsumerRecord<byte[], byte[]>> deadLetters,
            Expected expected) {}

    /**
     * A row of totals.
     *
     * @param window the window
     * @param version the version
     * @param json the whole row
     */
    record Row(Window window, int version, JsonNode json) {

        static Row of(JsonNode json) {
            Span span = new Span(time(json, "window_start"), time(json, "window_end"));
            return new Row(
                    new Window(json.get("key").asString(), span),
                    json.get("version").intValue(),
                    json);
        }

        BigDecimal decimal(String field) {
            return json.get(field).isNull() ? null : json.get(field).decimalValue();
        }

        String text(String field) {
            return json.get(field).isNull() ? null : json.get(field).asString();
        }

        boolean isPublished() {
            return version > 0;
        }
    }

    static long time(JsonNode json, String field) {
        return Instant.parse(json.get(field).asString()).toEpochMilli();
    }

    /** All rows of totals, in the order of the log. */
    Stream<Row> rows() {
        return commits.stream().flatMap(commit -> commit.rows().stream());
    }

    /** The finals and corrections, in the order of the log. */
    Stream<Row> published() {
        return rows().filter(Row::isPublished);
    }

    Stream<JsonNode> exceptions() {
        return commits.stream().flatMap(commit -> commit.exceptions().stream());
    }

    /** What was owed in the end. */
    Expected expected() {
        return commits.get(commits.size() - 1).expected();
    }
}
