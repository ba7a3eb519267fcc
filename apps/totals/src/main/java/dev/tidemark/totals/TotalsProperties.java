package dev.tidemark.totals;

import dev.tidemark.common.DeduplicateScope;
import dev.tidemark.common.InputMapping;
import dev.tidemark.common.Intake;
import dev.tidemark.common.StateTerms;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationStyle;

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
        @DefaultValue Topics topics) {

    private static final String PREFIX = "tidemark.totals.";

    /**
     * How missing result topics are created.
     *
     * @param partitions how many partitions; 0: as many as the input has
     * @param replicationFactor how many replicas; -1: the broker's default
     */
    record Topics(
            @DefaultValue("0") int partitions,
            @DefaultValue("-1") short replicationFactor) {

        Topics {
            require(partitions >= 0 && partitions <= 10_000, "topics.partitions", partitions, "0 to 10000");
            require(
                    replicationFactor == -1 || replicationFactor > 0 && replicationFactor <= 15,
                    "topics.replication-factor",
                    replicationFactor,
                    "-1 or 1 to 15");
        }
    }

    public TotalsProperties {
        require(
                pipeline != null
                        && pipeline.matches("[a-z0-9]+(-[a-z0-9]+)*")
                        && !pipeline.matches(".*-totals(-.*)?")
                        && pipeline.length() <= 100,
                "pipeline",
                pipeline,
                "lower-case letters and digits with single hyphens between them, such as sales; -totals is added by itself");
        require(input != null, "input", null, "a topic and where its fields are");
        require(window != null, "window", null, "a size, such as 10m, or calendar: day with a zone");
        require(
                !input.topic().matches(Pattern.quote(pipeline) + "-(totals|exceptions|ledger|lateness|dead-letters)"),
                "input.topic",
                input.topic(),
                "a topic that the pipeline does not write itself");
        requireBetween("grace", grace, Duration.ZERO, Duration.ofDays(366));
        requireBetween("correct-until", correctUntil, Duration.ZERO, Duration.ofDays(3660));
        require(
                correctEvery.isZero() || isBetween(correctEvery, Duration.ofSeconds(1), Duration.ofDays(366)),
                "correct-every",
                show(correctEvery),
                "0s, or 1s to 366d");
        requireBetween("deduplicate-for", deduplicateFor, Duration.ofSeconds(1), Duration.ofDays(3660));
        requireBetween("idle-after", idleAfter, Duration.ofMillis(100), Duration.ofDays(366));
        requireBetween("max-future", maxFuture, Duration.ZERO, Duration.ofDays(366));
        require(deduplicateScope != null, "deduplicate-scope", null, "key or global");
        requireBetween("slack", slack, Duration.ofSeconds(1), Duration.ofDays(366));
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

    /** The way of the events to where they are counted. */
    Intake intake() {
        return new Intake(
                input,
                maxFuture,
                acceptEndOfInput,
                idleAfter,
                deduplicateFor,
                deduplicateScope,
                slack,
                deadLettersTopic());
    }

    /** The settings that change what a total means, by name, as users write them. */
    Map<String, String> meaning() {
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
    StateTerms stateTerms() {
        Map<String, String> settings = meaning();
        settings.put("topic", input.topic());
        settings.put("partitioned-by-key", Boolean.toString(input.partitionedByKey()));
        if (!intake().lead().isZero()) {
            settings.put("slack", show(slack)); // The segments of window stores depend on it.
        }
        return new StateTerms(settings);
    }

    /** A short text that differs when results of these settings must not be compared with others: eight hex digits. */
    String fingerprint() {
        CRC32 crc = new CRC32();
        String text = meaning().entrySet().stream()
                .map(setting -> setting.getKey() + " " + setting.getValue())
                .collect(Collectors.joining(", "));
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return String.format("%08x", crc.getValue());
    }

    /** A duration as users write it. */
    static String show(Duration duration) {
        return DurationStyle.SIMPLE.print(duration, unitOf(duration));
    }

    /** The largest unit that the duration is a multiple of. */
    private static ChronoUnit unitOf(Duration duration) {
        return Stream.of(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES, ChronoUnit.SECONDS)
                .filter(unit -> duration.toMillis() % unit.getDuration().toMillis() == 0)
                .findFirst()
                .orElse(ChronoUnit.MILLIS);
    }

    private static void requireBetween(String key, Duration value, Duration least, Duration most) {
        boolean allowed = value != null && isBetween(value, least, most);
        require(allowed, key, value == null ? null : show(value), show(least) + " to " + show(most));
    }

    private static boolean isBetween(Duration value, Duration least, Duration most) {
        return value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
    }

    private static void require(boolean allowed, String key, Object value, String what) {
        if (!allowed) {
            throw new IllegalArgumentException(
                    PREFIX + key + (value == null ? " is missing" : " is " + value) + "; it needs " + what);
        }
    }
}
