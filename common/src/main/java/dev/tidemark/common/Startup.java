package dev.tidemark.common;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How an app starts and ends: {@code tidemark.startup}.
 *
 * @param brokerTimeout how long the brokers may be unreachable at the start
 * @param exitWhenFailed whether the process exits, with code 1, when the streams client has died of an error
 */
@ConfigurationProperties(prefix = "tidemark.startup", ignoreUnknownFields = false)
record Startup(
        @DefaultValue("60s") Duration brokerTimeout,
        @DefaultValue("true") boolean exitWhenFailed) {}
