package dev.tidemark.profiles;

import static dev.tidemark.common.SettingRules.show;

import dev.tidemark.common.DeduplicateScope;
import dev.tidemark.common.InputMapping;
import dev.tidemark.common.Intake;
import dev.tidemark.common.SettingRules;
import dev.tidemark.common.StateTerms;
import dev.tidemark.common.StreamsSettings;
import dev.tidemark.common.TableIntake;
import dev.tidemark.common.TopicSettings;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings of the profiles app: {@code tidemark.profiles}.
 *
 * @param pipeline names the topics, the rows and the application id: lower-case letters, digits and hyphens
 * @param input where the events come from and how they are read; their amount is what was spent
 * @param visits which events are visits; null: all
 * @param table where the profiles come from and how they are read
 * @param zone the zone of days and weeks
 * @param weekStarts the day with which a week begins
 * @param session what a session is
 * @param grace how long a session that may be over waits for stragglers
 * @param correctUntil how long after that late events are still accepted
 * @param deduplicateFor how long in stream time an event id is remembered
 * @param deduplicateScope among which events an id is unique
 * @param slack how far ahead of the clock an event need not wait for slower source partitions
 * @param idleAfter wall time without events after which the clock of a source partition goes on by itself
 * @param maxFuture how far beyond its arrival the time of an event, or of an update, may lie
 * @param acceptEndOfInput whether control records may close all sessions; for bounded replays
 * @param topics how result topics are created
 */
@ConfigurationProperties(prefix = "tidemark.profiles", ignoreUnknownFields = false)
public record ProfilesProperties(
        String pipeline,
        InputMapping input,
        VisitMapping visits,
        TableSettings table,
        ZoneId zone,
        @DefaultValue("monday") DayOfWeek weekStarts,
        @DefaultValue SessionSettings session,
        @DefaultValue("5m") Duration grace,
        @DefaultValue("7d") Duration correctUntil,
        @DefaultValue("1d") Duration deduplicateFor,
        @DefaultValue("key") DeduplicateScope deduplicateScope,
        @DefaultValue("5m") Duration slack,
        @DefaultValue("30s") Duration idleAfter,
        @DefaultValue("5m") Duration maxFuture,
        @DefaultValue("false") boolean acceptEndOfInput,
        @DefaultValue TopicSettings topics) {

    private static final SettingRules RULES = new SettingRules("tidemark.profiles.");
    private static final String RESULTS = "profiles|sessions|exceptions|ledger|dead-letters";
    /** A row with so large a profile fits into the largest request that a broker takes by default, 100 MB. */
    private static final DataSize LARGEST_PROFILE = DataSize.ofMegabytes(16);

    /** They are read and written with each event of their key. */
    private static final int MOST_SESSIONS = 20_000;

    private static final DataSize REST_OF_ROW = DataSize.ofKilobytes(32);
    /** More than a record of the statistics takes apart from the sessions: two ids, and the days that are to come. */
    private static final DataSize REST_OF_STATISTICS = DataSize.ofKilobytes(32);
    /** As text within a row, quotes and line breaks of a profile take two bytes each. */
    private static final int QUOTED = 2;

    public ProfilesProperties {
        RULES.requirePipeline(pipeline, "profiles", "customers");
        RULES.requireInput("input", input, pipeline, RESULTS);
        RULES.require(table != null, "table", null, "the topic of the profiles, such as table: { topic: customers }");
        RULES.require(
                !table.topic().equals(input.topic()), "table.topic", table.topic(), "another topic than input.topic");
        RULES.require(
                !table.topic().matches(Pattern.quote(pipeline) + "-(" + RESULTS + ")"),
                "table.topic",
                table.topic(),
                "a topic that the pipeline does not write itself");
        RULES.require(
                table.maxSize().compareTo(LARGEST_PROFILE) <= 0,
                "table.max-size",
                table.maxSize(),
                "at most " + LARGEST_PROFILE.toMegabytes() + "MB, because a row holds the fields of a profile");
        RULES.require(zone != null, "zone", null, "the zone of days and weeks, such as Asia/Tokyo");
        RULES.require(weekStarts != null, "week-starts", null, "monday to sunday");
        RULES.requireTimes(grace, correctUntil, deduplicateFor, slack, idleAfter, maxFuture);
        RULES.require(deduplicateScope != null, "deduplicate-scope", null, "key or global");
        RULES.require(
                sessionsWithin(slack.plus(grace).plus(correctUntil), session) <= MOST_SESSIONS,
                "session.gap",
                show(session.gap()),
                "at least a " + MOST_SESSIONS
                        + "th of slack, grace and correct-until together, because so many sessions of"
                        + " a key are remembered at most");
    }

    private static long sessionsWithin(Duration time, SessionSettings session) {
        return time.toMillis() / session.gap().toMillis();
    }

    /** The application id of the streams client, which names its consumer group and internal topics. */
    public String applicationId() {
        return pipeline + "-profiles";
    }

    /** The topic of the rows by key. */
    public String profilesTopic() {
        return pipeline + "-profiles";
    }

    /** The topic of finished and corrected sessions. */
    public String sessionsTopic() {
        return pipeline + "-sessions";
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

    /** The way of the events to where they are counted. */
    Intake intake() {
        return new Intake(
                "",
                input,
                maxFuture,
                acceptEndOfInput,
                idleAfter,
                deduplicateFor,
                deduplicateScope,
                slack,
                visits != null,
                deadLettersTopic());
    }

    /** The way of the profiles there. */
    TableIntake profiles() {
        return new TableIntake("profiles", table.mapping(), maxFuture, acceptEndOfInput, idleAfter, deadLettersTopic());
    }

    /** Whether the events of a key are where they were read. */
    boolean eventsStay() {
        return input.partitionedByKey() && deduplicateScope == DeduplicateScope.KEY;
    }

    /** How far behind a key's last event another of its events can be that is accepted. */
    Duration reach() {
        return intake().lead().plus(grace).plus(correctUntil).plus(ProfilesTopology.SECOND);
    }

    /** The largest input value that is read. */
    DataSize largestValue() {
        return input.maxSize().compareTo(table.maxSize()) >= 0 ? input.maxSize() : table.maxSize();
    }

    /** The largest row, with all fields of a profile. */
    DataSize largestRow() {
        return DataSize.ofBytes(QUOTED * table.maxSize().toBytes() + REST_OF_ROW.toBytes());
    }

    /** The largest statistics of a key: sessions from the reach on, one that ends just before, and the last one. */
    DataSize largestStatistics() {
        long sessions = sessionsWithin(reach(), session) + 2;
        return DataSize.ofBytes(sessions * Spans.Span.BYTES + REST_OF_STATISTICS.toBytes());
    }

    /** The largest record that is written: a row, a dead letter, or what is known of the events of a key. */
    DataSize largestRecord() {
        return Stream.of(StreamsSettings.maxRecord(largestValue()), largestRow(), largestStatistics())
                .max(Comparator.naturalOrder())
                .get();
    }

    /** The settings that change what a row means, by name, as users write them. */
    Map<String, String> meaning() {
        Map<String, String> meaning = new LinkedHashMap<>();
        meaning.put("zone", zone.getId());
        meaning.put("week-starts", weekStarts.name().toLowerCase(Locale.ROOT));
        meaning.put("session.gap", show(session.gap()));
        meaning.put("grace", show(grace));
        meaning.put("correct-until", show(correctUntil));
        meaning.put("amount-scale", Integer.toString(input.amountScale()));
        meaning.put("key", input.key().toString());
        meaning.put("amount", input.amount().toString());
        meaning.put("event-id", input.eventId());
        meaning.put("event-time", input.eventTime() + " as " + input.eventTimeText());
        meaning.put("visits", visits == null ? "all" : visits.field() + " is " + visits.is());
        meaning.put("table.key", table.keyText());
        meaning.put("table.event-time", table.timeText());
        meaning.put("table.take", table.take().toString());
        meaning.put("table.delete-with-profile", Boolean.toString(table.deleteWithProfile()));
        if (deduplicateScope != DeduplicateScope.KEY) {
            meaning.put("deduplicate-scope", deduplicateScope.name().toLowerCase(Locale.ROOT));
        }
        return meaning;
    }

    /** The settings under which state is written; with others it cannot be used. */
    StateTerms stateTerms() {
        Map<String, String> settings = meaning();
        settings.put("topic", input.topic());
        settings.put("partitioned-by-key", Boolean.toString(input.partitionedByKey()));
        settings.put("table.topic", table.topic());
        settings.put("table.partitioned-by-key", Boolean.toString(table.partitionedByKey()));
        if (!eventsStay()) {
            settings.put("slack", show(slack)); // The segments of session stores depend on it.
        }
        return new StateTerms(settings);
    }

    /** A short text that differs when results of these settings must not be compared with others. */
    String fingerprint() {
        return new StateTerms(meaning()).fingerprint();
    }
}
