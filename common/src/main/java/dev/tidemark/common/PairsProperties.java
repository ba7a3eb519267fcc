package dev.tidemark.common;

import static dev.tidemark.common.SettingRules.show;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings of the pairs app: {@code tidemark.pairs}.
 *
 * @param pipeline names the topics, the rows and the application id: lower-case letters, digits and hyphens
 * @param left where the left events come from and how they are read
 * @param right where the right events come from and how they are read
 * @param within the time distance within which two events of a key belong together
 * @param expect how many partners an event should have
 * @param grace how long after the last time of a possible partner it is waited for
 * @param correctUntil how long events without a partner are remembered after that, or as long as {@code within} spans if
 *     that is longer
 * @param deduplicateFor how long in stream time an event id is remembered
 * @param deduplicateScope among which events of a side an id is unique
 * @param slack how far ahead of the clock an event need not wait for slower source partitions
 * @param idleAfter wall time without events after which the clock of a source partition goes on by itself
 * @param maxFuture how far beyond its arrival an event time may lie
 * @param acceptEndOfInput whether control records may say that no partner will come; for bounded replays
 * @param topics how result topics are created
 */
@ConfigurationProperties(prefix = "tidemark.pairs", ignoreUnknownFields = false)
public record PairsProperties(
        String pipeline,
        InputMapping left,
        InputMapping right,
        Within within,
        @DefaultValue("many-to-many") Expectation expect,
        @DefaultValue("5m") Duration grace,
        @DefaultValue("7d") Duration correctUntil,
        @DefaultValue("1d") Duration deduplicateFor,
        @DefaultValue("key") DeduplicateScope deduplicateScope,
        @DefaultValue("5m") Duration slack,
        @DefaultValue("30s") Duration idleAfter,
        @DefaultValue("5m") Duration maxFuture,
        @DefaultValue("false") boolean acceptEndOfInput,
        @DefaultValue TopicSettings topics) {

    private static final SettingRules RULES = new SettingRules("tidemark.pairs.");
    private static final String RESULTS = "pairs|exceptions|ledger|dead-letters";

    /** A row with two such events fits into the largest request that a broker takes by default, 100 MB. */
    private static final DataSize LARGEST_EVENT = DataSize.ofMegabytes(16);

    /** As text within a row, quotes and line breaks of an event take two bytes each. */
    private static final int QUOTED = 2;

    private static final DataSize REST_OF_ROW = DataSize.ofKilobytes(32);

    public PairsProperties {
        RULES.requirePipeline(pipeline, "pairs", "order-payments");
        requireInput("left", left, pipeline);
        requireInput("right", right, pipeline);
        RULES.require(
                !left.topic().equals(right.topic()), "right.topic", right.topic(), "another topic than left.topic");
        RULES.require(
                left.amount().isEmpty() || right.amount().isEmpty() || left.amountScale() == right.amountScale(),
                "right.amount-scale",
                right.amountScale(),
                "the same as left.amount-scale, " + left.amountScale());
        RULES.require(within != null, "within", null, "before or after, such as after: 30m");
        RULES.require(expect != null, "expect", null, "one-to-one, one-to-many or many-to-many");
        RULES.requireTimes(grace, correctUntil, deduplicateFor, slack, idleAfter, maxFuture);
        RULES.require(deduplicateScope != null, "deduplicate-scope", null, "key or global");
    }

    private static void requireInput(String side, InputMapping input, String pipeline) {
        RULES.requireInput(side, input, pipeline, RESULTS);
        RULES.require(
                input.maxSize().compareTo(LARGEST_EVENT) <= 0,
                side + ".max-size",
                input.maxSize(),
                "at most " + LARGEST_EVENT.toMegabytes() + "MB, because one row holds both events of a pair");
    }

    /** The application id of the streams client, which names its consumer group and internal topics. */
    public String applicationId() {
        return pipeline + "-pairs";
    }

    /** The topic of matched and unmatched events. */
    public String pairsTopic() {
        return pipeline + "-pairs";
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

    /** The input of a side. */
    public InputMapping input(Side side) {
        return side == Side.LEFT ? left : right;
    }

    /** Decimal places of the amounts of both sides. */
    public int amountScale() {
        return Math.max(left.amountScale(), right.amountScale());
    }

    /** The ways of the events to where they are paired, left first. */
    public List<Intake> intakes() {
        return List.of(intake("left", left), intake("right", right));
    }

    private Intake intake(String side, InputMapping input) {
        return new Intake(
                side,
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

    /** The largest input value that is read. */
    public DataSize largestEvent() {
        return left.maxSize().compareTo(right.maxSize()) >= 0 ? left.maxSize() : right.maxSize();
    }

    /** The largest row, with both events in it. */
    public DataSize largestRow() {
        return DataSize.ofBytes(
                QUOTED * (left.maxSize().toBytes() + right.maxSize().toBytes()) + REST_OF_ROW.toBytes());
    }

    /** The largest record that is written: a row or a dead letter. */
    public DataSize largestRecord() {
        DataSize deadLetter = StreamsSettings.maxRecord(largestEvent());
        return deadLetter.compareTo(largestRow()) >= 0 ? deadLetter : largestRow();
    }

    /** The settings that change what a pair means, by name, as users write them. */
    public Map<String, String> meaning() {
        Map<String, String> meaning = new LinkedHashMap<>();
        meaning.put("within", within.toString());
        meaning.put("grace", show(grace));
        meaning.put("correct-until", show(correctUntil));
        for (Side side : Side.values()) {
            String name = name(side);
            meaning.put(name + ".key", input(side).key().toString());
            meaning.put(name + ".event-id", input(side).eventId());
            meaning.put(
                    name + ".event-time",
                    input(side).eventTime() + " as " + input(side).eventTimeText());
        }
        if (deduplicateScope != DeduplicateScope.KEY) {
            meaning.put("deduplicate-scope", deduplicateScope.name().toLowerCase(Locale.ROOT));
        }
        return meaning;
    }

    /** The settings under which state is written; with others it cannot be used. */
    public StateTerms stateTerms() {
        Map<String, String> settings = meaning();
        for (Side side : Side.values()) {
            String name = name(side);
            settings.put(name + ".topic", input(side).topic());
            settings.put(
                    name + ".partitioned-by-key", Boolean.toString(input(side).partitionedByKey()));
            settings.put(
                    name + ".amount",
                    input(side).amount() + " at " + input(side).amountScale());
        }
        settings.put("slack", show(slack)); // The segments of window stores depend on it.
        return new StateTerms(settings);
    }

    private static String name(Side side) {
        return side.name().toLowerCase(Locale.ROOT);
    }

    /** A short text that differs when results of these settings must not be compared with others. */
    public String fingerprint() {
        return new StateTerms(meaning()).fingerprint();
    }
}
