package dev.tidemark.profiles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.common.ExactSum;
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
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** A setting that cannot be is refused in one sentence, and what the documentation tells users to write is not. */
class ProfilesPropertiesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "pipeline=customer-profiles|tidemark.profiles.pipeline is customer-profiles; it needs",
                "input.topic=|topic is missing",
                "input.topic=customers-sessions|tidemark.profiles.input.topic is customers-sessions; it needs a topic"
                        + " that the pipeline does not write itself",
                "table.topic=|topic is missing",
                "table.topic=activities|tidemark.profiles.table.topic is activities; it needs another topic than"
                        + " input.topic",
                "table.topic=customers-profiles|tidemark.profiles.table.topic is customers-profiles; it needs a topic"
                        + " that the pipeline does not write itself",
                "table.take=|take is missing; it needs JSON pointers such as /name",
                "table.take=name|take is name, but a JSON pointer such as /amount begins with a slash",
                "table.take=/a/name,/b/name|take names two fields alike, [name, name]; each is called like its last part",
                "table.event-time=at|event-time is at, but a JSON pointer such as /amount begins with a slash",
                "table.max-size=17MB|tidemark.profiles.table.max-size is 17825792B; it needs at most 16MB",
                "visits.is=|tidemark.profiles.visits.is is missing; it needs what the field has to be",
                "visits.field=kind|tidemark.profiles.visits.field is kind; it needs a JSON pointer such as /kind",
                "zone=|tidemark.profiles.zone is missing; it needs the zone of days and weeks, such as Asia/Tokyo",
                "session.gap=0s|tidemark.profiles.session.gap is 0s; it needs 1s to 366d",
                "session.gap=10s|tidemark.profiles.session.gap is 10s; it needs at least a 20000th of slack, grace and"
                        + " correct-until together",
                "grace=-1s|tidemark.profiles.grace is -1s; it needs 0s to 366d",
            })
    void aWrongSettingIsNamedWithWhatIsAllowed(String setting, String sentence) {
        assertThatThrownBy(() -> Customers.settings(setting)).rootCause().hasMessageContaining(sentence);
    }

    @Test
    void theFingerprintChangesWithWhatChangesTheMeaningAndWithNothingElse() {
        String fingerprint = Customers.settings().fingerprint();

        assertThat(fingerprint).matches("[0-9a-f]{8}");
        assertThat(Customers.settings("idle-after=1m", "deduplicate-for=2d", "slack=1m")
                        .fingerprint())
                .isEqualTo(fingerprint);
        assertThat(List.of(
                        "grace=6m",
                        "session.gap=31m",
                        "zone=Asia/Tokyo",
                        "week-starts=sunday",
                        "correct-until=8d",
                        "visits.is=purchase",
                        "table.take=/name",
                        "table.delete-with-profile=false",
                        "table.event-time="))
                .allSatisfy(setting ->
                        assertThat(Customers.settings(setting).fingerprint()).isNotEqualTo(fingerprint));
    }

    /** Each event comes so long after the one before that it is a session of its own. */
    @Test
    void theLargestRecordHoldsAsManySessionsAsAreRemembered() {
        ProfilesProperties settings = Customers.settings(
                "input.max-size=1KB",
                "table.max-size=1KB",
                "session.gap=1s",
                "slack=1s",
                "grace=0s",
                "correct-until=" + (20_000 - 1) + "s",
                "input.partitioned-by-key=false",
                "table.partitioned-by-key=false");
        long gap = settings.session().gap().toMillis();
        Spans spans = Spans.NONE;
        for (int i = 0; i < 20_100; i++) {
            spans = spans.plus(i * (gap + 1), 1, gap, settings.reach().toMillis());
        }
        Statistics.Mark longest = new Statistics.Mark(0, "x".repeat(768));
        Statistics statistics =
                new Statistics(1, 1, ExactSum.ZERO, 0, 0, longest, longest, spans, 0, PeriodSums.NONE, PeriodSums.NONE);
        byte[] record = Statistics.serde().serializer().serialize("", statistics);

        assertThat(spans.live()).hasSizeBetween(19_900, 20_003);
        assertThat((long) record.length)
                .isBetween(796_000L, settings.largestStatistics().toBytes());
        assertThat(settings.largestRecord()).isGreaterThanOrEqualTo(settings.largestStatistics());
    }

    @Test
    void theShippedSettingsAreSettingsOfTheApp() throws IOException {
        assertThat(bind(Files.readString(Path.of("settings/customers.yml"))).pipeline())
                .isEqualTo("customers");
    }

    @Test
    void theSettingsOfTheReadmeAreSettingsOfTheApp() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        Matcher yaml = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(readme);
        assertThat(yaml.find()).isTrue();

        assertThat(bind(yaml.group(1)).pipeline()).isEqualTo("customers");
        Matcher link = Pattern.compile("]\\((?!https?:)([^)#]+)").matcher(readme);
        while (link.find()) {
            assertThat(Path.of(link.group(1))).exists();
        }
    }

    /** What the README calls a default is the default. */
    @Test
    void theDefaultsOfTheReadmeAreThoseOfTheApp() throws IOException {
        ProfilesProperties settings = bind("""
                tidemark.profiles:
                  pipeline: p
                  zone: UTC
                  input: { topic: a, event-id: /id, key: /k, event-time: /t }
                  table: { topic: c, take: /n }
                """);

        assertThat(List.of(
                        settings.session().gap(),
                        settings.grace(),
                        settings.correctUntil(),
                        settings.weekStarts(),
                        settings.table().deleteWithProfile()))
                .hasToString("[PT30M, PT5M, PT168H, MONDAY, false]");
        String readme = Files.readString(Path.of("README.md"));
        assertThat(readme.lines().filter(line -> line.startsWith("| `")))
                .anyMatch(line -> line.startsWith("| `session.gap`") && line.endsWith("| 30m |"))
                .anyMatch(line -> line.startsWith("| `grace`") && line.endsWith("| 5m |"))
                .anyMatch(line -> line.startsWith("| `correct-until`") && line.endsWith("| 7d |"));
    }

    private static ProfilesProperties bind(String yaml) throws IOException {
        List<PropertySource<?>> sources = new YamlPropertySourceLoader()
                .load("settings", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
        return new Binder(ConfigurationPropertySources.from(sources))
                .bind("tidemark.profiles", ProfilesProperties.class)
                .get();
    }
}
