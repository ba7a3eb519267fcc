package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.enrich.EnrichProperties;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.FileSystemResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The shipped settings of the enrich app read what the cafés' customers send. */
class EnrichSettingsTest {

    @Test
    void theEnrichAppOfTheDemoReadsTopicsAndFieldsOfTheCustomers() throws IOException {
        var yaml = new YamlPropertySourceLoader()
                .load(
                        "settings",
                        new FileSystemResource(Path.of("..", "enrich", "settings", "customer-activities.yml")));
        EnrichProperties settings = new Binder(ConfigurationPropertySources.from(yaml))
                .bind("tidemark.enrich", EnrichProperties.class)
                .get();
        JsonNode activity = example(settings.input().topic());
        JsonNode customer = example(settings.table().topic());

        assertThat(Stream.of("/activity_id", "/customer_id", "/at", "/amount"))
                .containsExactlyInAnyOrder(
                        settings.input().eventId(),
                        settings.input().key().get(0),
                        settings.input().eventTime(),
                        settings.input().amount().get(0))
                .noneMatch(pointer -> activity.at(pointer).isMissingNode());
        assertThat(Stream.concat(
                        settings.table().take().stream(),
                        Stream.of(settings.table().eventTime())))
                .noneMatch(pointer -> customer.at(pointer).isMissingNode());
    }

    private static JsonNode example(String topic) {
        CafeChain chain = new CafeChain(1, Instant.EPOCH, Duration.ofSeconds(2));
        return Stream.generate(chain::next)
                .limit(2000)
                .filter(sending -> sending.topic().equals(topic) && sending.value() != null)
                .findFirst()
                .map(sending -> new ObjectMapper().readTree(sending.value()))
                .orElseThrow();
    }
}
