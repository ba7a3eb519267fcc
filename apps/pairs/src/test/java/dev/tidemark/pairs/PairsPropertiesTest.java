package dev.tidemark.pairs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.common.PairsProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** A setting that cannot be is refused in one sentence. */
class PairsPropertiesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "pipeline=Order Payments|tidemark.pairs.pipeline is Order Payments; it needs lower-case letters and digits"
                        + " with single hyphens between them, such as order-payments; -pairs is added by itself",
                "pipeline=order-pairs|tidemark.pairs.pipeline is order-pairs; it needs",
                "left.topic=|topic is missing",
                "right.key=|key is missing",
                "right.topic=orders|tidemark.pairs.right.topic is orders; it needs another topic than left.topic",
                "left.topic=order-payments-pairs|tidemark.pairs.left.topic is order-payments-pairs; it needs a topic that"
                        + " the pipeline does not write itself",
                "left.max-size=17MB|tidemark.pairs.left.max-size is 17825792B; it needs at most 16MB, because one row"
                        + " holds both events of a pair",
                "within.after=|tidemark.pairs.within is missing; it needs before or after, such as after: 30m",
                "within.after=-1s|after is -1s; it needs 0s to 366d",
                "within.before=367d|before is 367d; it needs 0s to 366d",
                "grace=-1s|tidemark.pairs.grace is -1s; it needs 0s to 366d",
                "correct-until=-1s|tidemark.pairs.correct-until is -1s; it needs 0s to 3660d",
                "deduplicate-for=0s|tidemark.pairs.deduplicate-for is 0s; it needs 1s to 3660d",
                "slack=0s|tidemark.pairs.slack is 0s; it needs 1s to 366d",
                "idle-after=1ms|tidemark.pairs.idle-after is 1ms; it needs 100ms to 366d",
                "topics.partitions=-1|partitions is -1; it needs 0 to 10000",
            })
    void aWrongSettingIsNamedWithWhatIsAllowed(String setting, String sentence) {
        assertThatThrownBy(() -> Pairs.settings(setting)).rootCause().hasMessageContaining(sentence);
    }

    @Test
    void amountsOfBothSidesHaveTheSameDecimalPlaces() {
        assertThatThrownBy(() -> Pairs.settings(
                        "left.amount=/total", "left.amount-scale=2", "right.amount=/paid", "right.amount-scale=0"))
                .rootCause()
                .hasMessage("tidemark.pairs.right.amount-scale is 0; it needs the same as left.amount-scale, 2");
    }

    @Test
    void theFingerprintChangesWithWhatChangesTheMeaningAndWithNothingElse() {
        String fingerprint = Pairs.settings().fingerprint();

        assertThat(fingerprint).matches("[0-9a-f]{8}");
        assertThat(Pairs.settings("idle-after=1m", "deduplicate-for=2d", "slack=1m", "expect=one-to-one")
                        .fingerprint())
                .isEqualTo(fingerprint);
        assertThat(List.of("grace=6m", "within.after=31m", "within.before=1m", "correct-until=8d", "left.key=/id"))
                .allSatisfy(setting ->
                        assertThat(Pairs.settings(setting).fingerprint()).isNotEqualTo(fingerprint));
    }

    @ParameterizedTest
    @ValueSource(strings = {"order-payments", "order-lines", "search-clicks", "seating-drinks"})
    void theShippedSettingsAreSettingsOfTheApp(String pipeline) throws IOException {
        assertThat(bind(Files.readString(Path.of("settings", pipeline + ".yml")))
                        .pipeline())
                .isEqualTo(pipeline);
    }

    @Test
    void theSettingsOfTheReadmeAreSettingsOfTheApp() throws IOException {
        Matcher yaml = Pattern.compile("```yaml\n(tidemark:\n  pairs:.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("README.md")));
        assertThat(yaml.find()).isTrue();

        assertThat(bind(yaml.group(1)).pipeline()).isEqualTo("order-payments");
    }

    private static PairsProperties bind(String yaml) throws IOException {
        List<PropertySource<?>> sources = new YamlPropertySourceLoader()
                .load("settings", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
        return new Binder(ConfigurationPropertySources.from(sources))
                .bind("tidemark.pairs", PairsProperties.class)
                .get();
    }
}
