package dev.tidemark.enrich;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** A setting that cannot be is refused in one sentence, and what the documentation says to write is accepted. */
class EnrichPropertiesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "pipeline=What They Did|tidemark.enrich.pipeline is What They Did; it needs lower-case letters and digits"
                        + " with single hyphens between them, such as customer-activities; -enrich is added by itself",
                "input.topic=|topic is missing",
                "input.topic=what-they-did-enriched|tidemark.enrich.input.topic is what-they-did-enriched; it needs a"
                        + " topic that the pipeline does not write itself",
                "table.topic=what-they-did-ledger|tidemark.enrich.table.topic is what-they-did-ledger; it needs a topic"
                        + " that the pipeline does not write itself",
                "table.topic=activities|tidemark.enrich.table.topic is activities; it needs another topic than"
                        + " input.topic",
                "table.topic=|topic is missing",
                "table.take=|take is missing; it needs JSON pointers such as /name",
                "table.take=name|take is name, but a JSON pointer such as /amount begins with a slash",
                "table.take=/a/name,/b/name|take names two fields alike, [name, name]; each is called like its last part",
                "table.take=/a,/a/b|take, key and event-time have /a/b within /a; no field may lie in another",
                "table.event-time=at|event-time is at, but a JSON pointer such as /amount begins with a slash",
                "table.max-size=17MB|tidemark.enrich.table.max-size is 17825792B; it needs at most 16MB, because one row"
                        + " holds an event and its profile",
                "table.history=0s|tidemark.enrich.table.history is 0s; it needs 1s to 3660d",
                "re-enrich-until=31d|tidemark.enrich.re-enrich-until is 31d; it needs 0s to 30d",
                "grace=-1s|tidemark.enrich.grace is -1s; it needs 0s to 366d",
                "deduplicate-for=0s|tidemark.enrich.deduplicate-for is 0s; it needs 1s to 3660d",
                "slack=0s|tidemark.enrich.slack is 0s; it needs 1s to 366d",
                "idle-after=1ms|tidemark.enrich.idle-after is 1ms; it needs 100ms to 366d",
            })
    void aWrongSettingIsNamedWithWhatIsAllowed(String setting, String sentence) {
        assertThatThrownBy(() -> Enrich.settings(setting)).rootCause().hasMessageContaining(sentence);
    }

    @Test
    void whatABroadcastTableCannotDoIsRefused() {
        assertThatThrownBy(() -> Enrich.settings("table.broadcast=true", "table.key=/id"))
                .rootCause()
                .hasMessage(
                        "tidemark.enrich.table.key is [/id]; it needs to be left out with broadcast: true, which looks"
                                + " up record keys");
        assertThatThrownBy(() -> Enrich.settings("table.broadcast=true", "re-enrich-until=1h"))
                .rootCause()
                .hasMessage(
                        "tidemark.enrich.re-enrich-until is 1h; it needs to be 0s with broadcast: true, which tells of"
                                + " no update");
    }

    @Test
    void theFingerprintChangesWithWhatChangesTheMeaningAndWithNothingElse() {
        String fingerprint = Enrich.settings().fingerprint();

        assertThat(fingerprint).matches("[0-9a-f]{8}");
        assertThat(Enrich.settings("idle-after=1m", "deduplicate-for=2d", "slack=1m", "re-enrich-until=1d")
                        .fingerprint())
                .isEqualTo(fingerprint);
        assertThat(List.of("grace=6m", "table.history=1d", "table.take=/name", "table.key=/id", "table.topic=others"))
                .allSatisfy(setting ->
                        assertThat(Enrich.settings(setting).fingerprint()).isNotEqualTo(fingerprint));
    }

    @Test
    void theShippedSettingsAreSettingsOfTheApp() throws IOException {
        assertThat(bind(Files.readString(Path.of("settings", "customer-activities.yml")))
                        .pipeline())
                .isEqualTo("customer-activities");
    }

    @Test
    void theSettingsOfTheReadmeAreSettingsOfTheApp() throws IOException {
        Matcher yaml = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(readme());
        List<String> pipelines = new ArrayList<>();
        while (yaml.find()) {
            pipelines.add(bind(yaml.group(1)).pipeline());
        }

        assertThat(pipelines).containsExactly("customer-activities", "sales-by-country");
    }

    @Test
    void theReadmeExplainsEverySetting() throws IOException {
        String readme = readme();

        assertThat(List.of(
                        "pipeline",
                        "input.…",
                        "table.topic",
                        "table.partitioned-by-key",
                        "table.key",
                        "table.event-time",
                        "table.take",
                        "table.history",
                        "table.broadcast",
                        "grace",
                        "re-enrich-until"))
                .allSatisfy(setting -> assertThat(readme).contains("`" + setting + "`"));
    }

    @Test
    void filesThatTheReadmeLinksToExist() throws IOException {
        Matcher link = Pattern.compile("]\\((?!https?:)([^)#]+)[^)]*\\)").matcher(readme());
        while (link.find()) {
            assertThat(Path.of(link.group(1))).exists();
        }
    }

    private static String readme() throws IOException {
        return Files.readString(Path.of("README.md"));
    }

    private static EnrichProperties bind(String yaml) throws IOException {
        List<PropertySource<?>> sources = new YamlPropertySourceLoader()
                .load("settings", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
        return new Binder(ConfigurationPropertySources.from(sources))
                .bind("tidemark.enrich", EnrichProperties.class)
                .get();
    }
}
