package dev.tidemark.common;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How missing result topics are created: {@code tidemark.<app>.topics}.
 *
 * @param partitions how many partitions; 0: as many as the input has
 * @param replicationFactor how many replicas; -1: the broker's default
 */
public record TopicSettings(
        @DefaultValue("0") int partitions,
        @DefaultValue("-1") short replicationFactor) {

    private static final SettingRules RULES = new SettingRules("");

    public TopicSettings {
        RULES.require(partitions >= 0 && partitions <= 10_000, "partitions", partitions, "0 to 10000");
        RULES.require(
                replicationFactor == -1 || replicationFactor > 0 && replicationFactor <= 15,
                "replication-factor",
                replicationFactor,
                "-1 or 1 to 15");
    }
}
