package dev.tidemark.console;

import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;
import org.springframework.web.util.UriUtils;
import tools.jackson.databind.JsonNode;

/** Has the reconcile app look for an event in the inputs, for one that was simply counted has no row of its own. */
@Component
class InputSearch {

    private static final int ANSWERED = 200;

    private final Apps apps;
    private final ConsoleProperties settings;

    InputSearch(Apps apps, ConsoleProperties settings) {
        this.apps = apps;
        this.settings = settings;
    }

    /**
     * A record of the event.
     *
     * @param ofPairs whether it is one of a pairs pipeline
     * @param settled whether the tables say all that became of it
     * @param starts starts of the windows that it belongs to
     */
    record Found(
            String pipeline,
            boolean ofPairs,
            String topic,
            int partition,
            long offset,
            String key,
            Instant eventTime,
            Instant arrivalTime,
            BigDecimal amount,
            boolean settled,
            List<Instant> starts) {

        boolean isAt(ExceptionRow row) {
            return row.pipeline().equals(pipeline)
                    && row.topic().equals(topic)
                    && row.partition() == partition
                    && row.offset() == offset;
        }
    }

    /**
     * What was found.
     *
     * @param since records that came before that were not looked at
     * @param problems what kept it from being all, in sentences
     */
    record Answer(Instant since, List<Found> found, List<String> problems) {}

    /** Whether there is an app to ask. */
    boolean isPossible() {
        return settings.events() != null;
    }

    /** What the inputs have; null if the app does not answer. */
    Answer find(String id) {
        Apps.Answer answer =
                apps.wait(URI.create(settings.events() + "?id=" + UriUtils.encode(id, StandardCharsets.UTF_8)));
        JsonNode json = answer.status() == ANSWERED ? answer.json() : null;
        if (json == null || !json.isObject()) {
            return null;
        }
        List<Found> found = new ArrayList<>();
        json.path("found").forEach(record -> found.add(found(record)));
        List<String> problems = new ArrayList<>();
        json.path("problems").forEach(problem -> problems.add(problem.asString()));
        return new Answer(time(json, "since"), found, problems);
    }

    private static Found found(JsonNode record) {
        List<Instant> starts = new ArrayList<>();
        record.path("windows").forEach(window -> starts.add(time(window, "start")));
        return new Found(
                record.path("pipeline").asString(),
                record.path("subject").asString().equals("pairs"),
                record.path("topic").asString(),
                record.path("partition").asInt(),
                record.path("offset").asLong(),
                record.path("key").asString(),
                time(record, "event_time"),
                time(record, "arrival_time"),
                record.path("amount").asDecimal(),
                record.path("settled").asBoolean(),
                starts);
    }

    private static Instant time(JsonNode node, String field) {
        return Instant.parse(node.path(field).asString());
    }
}
