package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.console.Publishable.Kind;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.ByteArrayResource;

/** What the page about the console says is so. */
class ReadmeTest {

    private static final Path README = Path.of("README.md");

    @Test
    void theExampleIsReadAsItSays() throws IOException {
        String yaml = Files.readString(README).replaceFirst("(?s).*?```yaml\n(.*?)```.*", "$1");

        ConsoleProperties settings = new Binder(ConfigurationPropertySources.from(
                        new YamlPropertySourceLoader().load("README.md", new ByteArrayResource(yaml.getBytes()))))
                .bind("tidemark.console", ConsoleProperties.class)
                .get();

        assertThat(settings.apps()).extracting(ConsoleProperties.App::name).containsExactly("totals");
        assertThat(settings.budgetOf("sales")).isEqualByComparingTo(new BigDecimal("500"));
    }

    @Test
    void everySettingIsInTheTable() throws IOException {
        String readme = Files.readString(README);

        assertThat(Arrays.stream(ConsoleProperties.class.getRecordComponents())
                        .map(RecordComponent::getName)
                        .map(name -> name.replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT)))
                .allMatch(name -> readme.contains("`" + name + "`")
                        || readme.contains("`" + name + "[].name`")
                        || readme.contains("`" + name + ".<pipeline>`"));
    }

    @Test
    void everyQuestionAndEveryConditionIsThere() throws IOException {
        String readme = Files.readString(README);

        assertThat(Question.values()).allMatch(question -> readme.contains("| `" + question.path() + "` |"));
        assertThat(readme.replaceFirst("(?s).*A day may be published when(.*?)\n\n## .*", "$1")
                        .split("\n- "))
                .hasSize(Kind.values().length + 1);
    }
}
