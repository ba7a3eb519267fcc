package dev.tidemark.reconcile;

import dev.tidemark.common.SettingRules;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the reconcile app: {@code tidemark.reconcile}.
 *
 * @param pipelines settings files of the apps whose pipelines are recounted; none: {@code tidemark.totals} and
 *     {@code tidemark.pairs} of this app's own settings
 * @param every when pipelines are recounted: a duration, {@code 1h}, or a cron expression in UTC; null: only with
 *     {@code --once}
 * @param last how far back from now a recount by schedule begins, and events are looked for
 * @param patience how long the app and the sinks may take to come to where the input ended when the recount began, and
 *     how long the brokers may be silent
 * @param sinkGroups what stands before the name of a table in the consumer group of its sink
 * @param directory where events are kept during a recount; null: the JVM's temporary directory
 */
@ConfigurationProperties(prefix = "tidemark.reconcile", ignoreUnknownFields = false)
record ReconcileProperties(
        @DefaultValue List<Path> pipelines,
        String every,
        @DefaultValue("2d") Duration last,
        @DefaultValue("2m") Duration patience,
        @DefaultValue("connect-") String sinkGroups,
        Path directory) {

    private static final SettingRules RULES = new SettingRules("tidemark.reconcile.");

    ReconcileProperties {
        RULES.requireBetween("last", last, Duration.ofMinutes(1), Duration.ofDays(3660));
        RULES.requireBetween("patience", patience, Duration.ofSeconds(1), Duration.ofDays(1));
        pipelines = List.copyOf(pipelines);
        every = every == null || every.isBlank() ? null : every;
        directory = directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory;
    }
}
