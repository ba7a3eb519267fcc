package dev.tidemark.profiles;

import dev.tidemark.common.SettingRules;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What a session is: {@code tidemark.profiles.session}.
 *
 * @param gap events of a key that are at most so far apart belong to one session
 */
public record SessionSettings(@DefaultValue("30m") Duration gap) {

    public SessionSettings {
        new SettingRules("tidemark.profiles.session.")
                .requireBetween("gap", gap, Duration.ofSeconds(1), Duration.ofDays(366));
    }
}
