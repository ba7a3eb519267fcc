package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.InputMapping;
import dev.tidemark.pairs.PairsProperties;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.FileSystemResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The shipped settings of the pairs app read what the cafés' guests send. */
class PairsSettingsTest {

    private static final Path SETTINGS = Path.of("..", "pairs", "settings");

    @Test
    void everyPipelineOfTheDemoReadsTopicsAndFieldsOfTheGuests() throws IOException {
        Map<String, JsonNode> examples = examples();
        Set<String> topics = new TreeSet<>();
        for (String pipeline : GuestApps.PAIRS) {
            PairsProperties settings = settings(pipeline);

            assertThat(settings.pipeline()).isEqualTo(pipeline);
            for (InputMapping input : Set.of(settings.left(), settings.right())) {
                topics.add(input.topic());
                assertThat(Stream.concat(Stream.of(input.eventId(), input.eventTime()), input.key().stream()))
                        .allMatch(pointer ->
                                !examples.get(input.topic()).at(pointer).isMissingNode());
            }
        }

        assertThat(topics).isEqualTo(new TreeSet<>(CafeGuests.TOPICS));
    }

    private static PairsProperties settings(String pipeline) throws IOException {
        var yaml = new YamlPropertySourceLoader()
                .load(pipeline, new FileSystemResource(SETTINGS.resolve(pipeline + ".yml")));
        return new Binder(ConfigurationPropertySources.from(yaml))
                .bind("tidemark.pairs", PairsProperties.class)
                .get();
    }

    private static Map<String, JsonNode> examples() {
        CafeChain chain = new CafeChain(1, Instant.EPOCH, Duration.ofSeconds(2));
        return Stream.generate(chain::next)
                .limit(1000)
                .filter(sending -> !sending.topic().equals(CafeChain.SALES))
                .collect(Collectors.toMap(
                        Sending::topic,
                        sending -> new ObjectMapper().readTree(sending.value()),
                        (first, later) -> first,
                        HashMap::new));
    }
}
