package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.profiles.ProfilesProperties;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.FileSystemResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The shipped settings of the profiles app read what the cafés' customers send. */
class ProfilesSettingsTest {

    @Test
    void theProfilesAppOfTheDemoReadsTopicsAndFieldsOfTheCustomers() throws IOException {
        var yaml = new YamlPropertySourceLoader()
                .load("settings", new FileSystemResource(Path.of("..", "profiles", "settings", "customers.yml")));
        ProfilesProperties settings = new Binder(ConfigurationPropertySources.from(yaml))
                .bind("tidemark.profiles", ProfilesProperties.class)
                .get();
        List<JsonNode> activities = examples(settings.input().topic());
        JsonNode customer = examples(settings.table().topic()).get(0);

        assertThat(Stream.of("/activity_id", "/customer_id", "/at", "/amount", "/kind"))
                .containsExactlyInAnyOrder(
                        settings.input().eventId(),
                        settings.input().key().get(0),
                        settings.input().eventTime(),
                        settings.input().amount().get(0),
                        settings.visits().field())
                .noneMatch(pointer -> activities.get(0).at(pointer).isMissingNode());
        assertThat(activities)
                .anyMatch(activity ->
                        activity.at(settings.visits().field()).asString().equals(settings.visits().is()));
        assertThat(Stream.concat(
                        settings.table().take().stream(),
                        Stream.of(settings.table().eventTime(), settings.table().key().get(0))))
                .noneMatch(pointer -> customer.at(pointer).isMissingNode());
    }

    private static List<JsonNode> examples(String topic) {
        CafeChain chain = new CafeChain(1, Instant.EPOCH, Duration.ofSeconds(2));
        return Stream.generate(chain::next)
                .limit(2000)
                .filter(sending -> sending.topic().equals(topic) && sending.value() != null)
                .map(sending -> new ObjectMapper().readTree(sending.value()))
                .toList();
    }
}
