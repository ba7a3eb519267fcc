package dev.tidemark.common;

import static dev.tidemark.common.SettingRules.isBetween;
import static dev.tidemark.common.SettingRules.show;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the totals app: {@code tidemark.totals}.
 *
 * @param pipeline names the topics, the rows and the application id: lower-case letters, digits and hyphens
 * @param input where the events come from and how they are read
 * @param window the windows
 * @param grace how long after a window's end its final waits for stragglers
 * @param correctUntil how long after closing a window still accepts late events
 * @param correctEvery late events of one window and one such interval of stream time become one version; zero: each
 *     becomes a version of its own
 * @param deduplicateFor how long in stream time an event id is remembered
 * @param deduplicateScope among which events an id is unique
 * @param slack how far ahead of the clock an event need not wait for slower source partitions
 * @param idleAfter wall time without events after which the clock of a source partition goes on by itself
 * @param maxFuture how far beyond its arrival an event time may lie
 * @param acceptEndOfInput whether control records may close all windows; for bounded replays
 * @param provisional whether open windows are published as version 0
 * @param topics how result topics are created
 */
@ConfigurationProperties(prefix = "tidemark.totals", ignoreUnknownFields = false)
public record TotalsProperties(
        String pipeline,
        InputMapping input,
        WindowSettings window,
        @DefaultValue("5m") Duration grace,
        @DefaultValue("7d") Duration correctUntil,
        @DefaultValue("0s") Duration correctEvery,
        @DefaultValue("1d") Duration deduplicateFor,
        @DefaultValue("key") DeduplicateScope deduplicateScope,
        @DefaultValue("5m") Duration slack,
        @DefaultValue("30s") Duration idleAfter,
        @DefaultValue("5m") Duration maxFuture,
        @DefaultValue("false") boolean acceptEndOfInput,
        @DefaultValue("true") boolean provisional,
        @DefaultValue TopicSettings topics) {

    private static final SettingRules RULES = new SettingRules("tidemark.totals.");

    public TotalsProperties {
        RULES.requirePipeline(pipeline, "totals", "sales");
        RULES.requireInput("input", input, pipeline, "totals|exceptions|ledger|lateness|recounts|dead-letters");
        RULES.require(window != null, "window", null, "a size, such as 10m, or calendar: day with a zone");
        RULES.require(
                correctEvery.isZero() || isBetween(correctEvery, Duration.ofSeconds(1), Duration.ofDays(366)),
                "correct-every",
                show(correctEvery),
                "0s, or 1s to 366d");
        RULES.requireTimes(grace, correctUntil, deduplicateFor, slack, idleAfter, maxFuture);
        RULES.require(deduplicateScope != null, "deduplicate-scope", null, "key or global");
    }

    /** The application id of the streams client, which names its consumer group and internal topics. */
    public String applicationId() {
        return pipeline + "-totals";
    }

    /** The topic of provisional, final and corrected totals. */
    public String totalsTopic() {
        return pipeline + "-totals";
    }

    /** The topic of what was not simply counted. */
    public String exceptionsTopic() {
        return pipeline + "-exceptions";
    }

    /** The topic of the raw records that were refused. */
    public String deadLettersTopic() {
        return pipeline + "-dead-letters";
    }

    /** The topic of running counts by source partition. */
    public String ledgerTopic() {
        return pipeline + "-ledger";
    }

    /** The topic of how late events are. */
    public String latenessTopic() {
        return pipeline + "-lateness";
    }

    /** The topic of what recounts ask for: {@link RecountCommand}s. */
    public String recountsTopic() {
        return pipeline + "-recounts";
    }

    /** The way of the events to where they are counted. */
    public Intake intake() {
        return new Intake(
                "",
                input,
                maxFuture,
                acceptEndOfInput,
                idleAfter,
                deduplicateFor,
                deduplicateScope,
                slack,
                false,
                deadLettersTopic());
    }

    /** The settings that change what a total means, by name, as users write them. */
    public Map<String, String> meaning() {
        Map<String, String> meaning = new LinkedHashMap<>();
        meaning.put("window", window.toString());
        meaning.put("grace", show(grace));
        meaning.put("correct-until", show(correctUntil));
        meaning.put("amount-scale", Integer.toString(input.amountScale()));
        meaning.put("key", input.key().toString());
        meaning.put("amount", input.amount().toString());
        meaning.put("event-id", input.eventId());
        meaning.put("event-time", input.eventTime() + " as " + input.eventTimeText());
        if (deduplicateScope != DeduplicateScope.KEY) {
            meaning.put("deduplicate-scope", deduplicateScope.name().toLowerCase(Locale.ROOT));
        }
        return meaning;
    }

    /** The settings under which state is written; with others it cannot be used. */
    public StateTerms stateTerms() {
        Map<String, String> settings = meaning();
        settings.put("topic", input.topic());
        settings.put("partitioned-by-key", Boolean.toString(input.partitionedByKey()));
        if (!intake().lead().isZero()) {
            settings.put("slack", show(slack)); // The segments of window stores depend on it.
        }
        return new StateTerms(settings);
    }

    /** A short text that differs when results of these settings must not be compared with others. */
    public String fingerprint() {
        return new StateTerms(meaning()).fingerprint();
    }
}
