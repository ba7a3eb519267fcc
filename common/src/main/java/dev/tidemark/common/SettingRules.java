package dev.tidemark.common;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.convert.DurationStyle;

/**
 * Refuses settings of an app with one sentence: which key, what was given, what is allowed.
 *
 * @param prefix stands before each key, such as {@code tidemark.totals.}
 */
public record SettingRules(String prefix) {

    /** @throws IllegalArgumentException unless the value is allowed */
    public void require(boolean allowed, String key, Object value, String what) {
        if (!allowed) {
            throw new IllegalArgumentException(
                    prefix + key + (value == null ? " is missing" : " is " + value) + "; it needs " + what);
        }
    }

    public void requireBetween(String key, Duration value, Duration least, Duration most) {
        boolean allowed = value != null && isBetween(value, least, most);
        require(allowed, key, value == null ? null : show(value), show(least) + " to " + show(most));
    }

    /**
     * @param app the app's name, which follows the pipeline's in the names of internal topics
     * @param example a good name
     */
    public void requirePipeline(String pipeline, String app, String example) {
        require(
                pipeline != null
                        && pipeline.matches("[a-z0-9]+(-[a-z0-9]+)*")
                        && !pipeline.matches(".*-" + app + "(-.*)?")
                        && pipeline.length() <= 100,
                "pipeline",
                pipeline,
                "lower-case letters and digits with single hyphens between them, such as " + example + "; -" + app
                        + " is added by itself");
    }

    /** @param results what follows the pipeline's name in the names of its result topics, as a regular expression */
    public void requireInput(String key, InputMapping input, String pipeline, String results) {
        require(input != null, key, null, "a topic and where its fields are");
        require(
                !input.topic().matches(Pattern.quote(pipeline) + "-(" + results + ")"),
                key + ".topic",
                input.topic(),
                "a topic that the pipeline does not write itself");
    }

    /** What every app has to say about time. */
    public void requireTimes(
            Duration grace,
            Duration correctUntil,
            Duration deduplicateFor,
            Duration slack,
            Duration idleAfter,
            Duration maxFuture) {
        requireBetween("grace", grace, Duration.ZERO, Duration.ofDays(366));
        requireBetween("correct-until", correctUntil, Duration.ZERO, Duration.ofDays(3660));
        requireBetween("deduplicate-for", deduplicateFor, Duration.ofSeconds(1), Duration.ofDays(3660));
        requireBetween("slack", slack, Duration.ofSeconds(1), Duration.ofDays(366));
        requireBetween("idle-after", idleAfter, Duration.ofMillis(100), Duration.ofDays(366));
        requireBetween("max-future", maxFuture, Duration.ZERO, Duration.ofDays(366));
    }

    public static boolean isBetween(Duration value, Duration least, Duration most) {
        return value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
    }

    /** A duration as users write it. */
    public static String show(Duration duration) {
        return DurationStyle.SIMPLE.print(duration, unitOf(duration));
    }

    /** The largest unit that the duration is a multiple of. */
    private static ChronoUnit unitOf(Duration duration) {
        if (duration.isZero()) {
            return ChronoUnit.SECONDS;
        }
        return Stream.of(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES, ChronoUnit.SECONDS)
                .filter(unit -> duration.toMillis() % unit.getDuration().toMillis() == 0)
                .findFirst()
                .orElse(ChronoUnit.MILLIS);
    }
}
