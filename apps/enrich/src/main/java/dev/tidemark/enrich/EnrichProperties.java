package dev.tidemark.enrich;

import static dev.tidemark.common.SettingRules.show;

import dev.tidemark.common.DeduplicateScope;
import dev.tidemark.common.InputMapping;
import dev.tidemark.common.Intake;
import dev.tidemark.common.SettingRules;
import dev.tidemark.common.StateTerms;
import dev.tidemark.common.StreamsSettings;
import dev.tidemark.common.TableIntake;
import dev.tidemark.common.TopicSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings of the enrich app: {@code tidemark.enrich}.
 *
 * @param pipeline names the topics, the rows and the application id: lower-case letters, digits and hyphens
 * @param input where the events come from and how they are read
 * @param table where the profiles come from and how they are read
 * @param grace how long an event waits for updates of the table that are on their way
 * @param reEnrichUntil how long after that an event without a profile is remembered; zero: not at all
 * @param deduplicateFor how long in stream time an event id is remembered
 * @param deduplicateScope among which events an id is unique
 * @param slack how far ahead of the clock a record need not wait for slower source partitions
 * @param idleAfter wall time without records after which the clock of a source partition goes on by itself
 * @param maxFuture how far beyond its arrival a time may lie
 * @param acceptEndOfInput whether control records may say that no update will come; for bounded replays
 * @param topics how result topics are created
 */
@ConfigurationProperties(prefix = "tidemark.enrich", ignoreUnknownFields = false)
public record EnrichProperties(
        String pipeline,
        InputMapping input,
        TableSettings table,
        @DefaultValue("5m") Duration grace,
        @DefaultValue("0s") Duration reEnrichUntil,
        @DefaultValue("1d") Duration deduplicateFor,
        @DefaultValue("key") DeduplicateScope deduplicateScope,
        @DefaultValue("5m") Duration slack,
        @DefaultValue("30s") Duration idleAfter,
        @DefaultValue("5m") Duration maxFuture,
        @DefaultValue("false") boolean acceptEndOfInput,
        @DefaultValue TopicSettings topics) {

    private static final SettingRules RULES = new SettingRules("tidemark.enrich.");
    private static final String RESULTS = "enriched|exceptions|ledger|dead-letters";

    /** A row with an event and a profile of that size fits into the largest request that a broker takes by default. */
    private static final DataSize LARGEST = DataSize.ofMegabytes(16);

    /** As text within a row, quotes and line breaks take two bytes each. */
    private static final int QUOTED = 2;

    private static final DataSize REST_OF_ROW = DataSize.ofKilobytes(32);

    public EnrichProperties {
        RULES.requirePipeline(pipeline, "enrich", "customer-activities");
        RULES.requireInput("input", input, pipeline, RESULTS);
        RULES.require(table != null, "table", null, "a topic and what to take from it");
        RULES.require(
                !table.topic().matches(pipeline + "-(" + RESULTS + ")"),
                "table.topic",
                table.topic(),
                "a topic that the pipeline does not write itself");
        RULES.require(
                !table.topic().equals(input.topic()), "table.topic", table.topic(), "another topic than input.topic");
        requireAtMost("input.max-size", input.maxSize());
        requireAtMost("table.max-size", table.maxSize());
        RULES.requireBetween("table.history", table.history(), Duration.ofSeconds(1), Duration.ofDays(3660));
        RULES.requireTimes(grace, Duration.ZERO, deduplicateFor, slack, idleAfter, maxFuture);
        // What is older than all history cannot be looked up.
        RULES.requireBetween("re-enrich-until", reEnrichUntil, Duration.ZERO, table.history());
        RULES.require(deduplicateScope != null, "deduplicate-scope", null, "key or global");
        RULES.require(
                !table.broadcast() || table.key().isEmpty(),
                "table.key",
                table.key(),
                "to be left out with broadcast: true, which looks up record keys");
        RULES.require(
                !table.broadcast() || reEnrichUntil.isZero(),
                "re-enrich-until",
                show(reEnrichUntil),
                "to be 0s with broadcast: true, which tells of no update");
    }

    private static void requireAtMost(String key, DataSize size) {
        RULES.require(
                size.compareTo(LARGEST) <= 0,
                key,
                size,
                "at most " + LARGEST.toMegabytes() + "MB, because one row holds an event and its profile");
    }

    /** The application id of the streams client, which names its consumer group and internal topics. */
    public String applicationId() {
        return pipeline + "-enrich";
    }

    /** The topic of events with their profiles. */
    public String enrichedTopic() {
        return pipeline + "-enriched";
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

    /** The way of the events to where they are joined. */
    Intake events() {
        return new Intake(
                "events",
                input,
                maxFuture,
                acceptEndOfInput,
                idleAfter,
                deduplicateFor,
                deduplicateScope,
                slack,
                true,
                deadLettersTopic());
    }

    /** The way of the table's records there. */
    TableIntake records() {
        return new TableIntake("table", table.mapping(), maxFuture, acceptEndOfInput, idleAfter, deadLettersTopic());
    }

    /** The largest input value that is read. */
    DataSize largestValue() {
        return input.maxSize().compareTo(table.maxSize()) >= 0 ? input.maxSize() : table.maxSize();
    }

    /** The largest row, with event and profile in it. */
    DataSize largestRow() {
        return DataSize.ofBytes(
                QUOTED * (input.maxSize().toBytes() + table.maxSize().toBytes()) + REST_OF_ROW.toBytes());
    }

    /** The largest record that is written: a row or a dead letter. */
    DataSize largestRecord() {
        DataSize deadLetter = StreamsSettings.maxRecord(largestValue());
        return deadLetter.compareTo(largestRow()) >= 0 ? deadLetter : largestRow();
    }

    /** The settings that change what a row means, by name, as users write them. */
    Map<String, String> meaning() {
        Map<String, String> meaning = new LinkedHashMap<>();
        meaning.put("input.key", input.key().toString());
        meaning.put("input.event-id", input.eventId());
        meaning.put("input.event-time", input.eventTime() + " as " + input.eventTimeText());
        meaning.put("table.topic", table.topic());
        meaning.put(
                "table.key",
                table.key().isEmpty() ? "the record's" : table.key().toString());
        meaning.put("table.event-time", table.eventTime() == null ? "the record's" : tableTime());
        meaning.put("table.take", table.take().toString());
        meaning.put("table.broadcast", Boolean.toString(table.broadcast()));
        meaning.put("table.history", show(table.history()));
        meaning.put("grace", show(grace));
        if (deduplicateScope != DeduplicateScope.KEY) {
            meaning.put("deduplicate-scope", deduplicateScope.name().toLowerCase(Locale.ROOT));
        }
        return meaning;
    }

    private String tableTime() {
        String format = table.eventTimeFormat().name().toLowerCase(Locale.ROOT).replace('_', '-');
        return table.eventTime() + " as " + format
                + (table.eventTimeZone() == null ? "" : " in " + table.eventTimeZone());
    }

    /** The settings under which state is written; with others it cannot be used. */
    StateTerms stateTerms() {
        Map<String, String> settings = meaning();
        settings.put("input.topic", input.topic());
        settings.put("input.partitioned-by-key", Boolean.toString(input.partitionedByKey()));
        settings.put("input.amount", input.amount() + " at " + input.amountScale());
        settings.put("table.partitioned-by-key", Boolean.toString(table.partitionedByKey()));
        settings.put("re-enrich-until", show(reEnrichUntil));
        settings.put("slack", show(slack)); // What has been handed out so far ahead cannot be held again.
        return new StateTerms(settings);
    }

    /** A short text that differs when results of these settings must not be compared with others. */
    String fingerprint() {
        return new StateTerms(meaning()).fingerprint();
    }
}
