package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.TotalsProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** What the documentation tells a user to write is what the app accepts. */
class ReadmeTest {

    private static final Path ROOT = Path.of("../..");

    @Test
    void theSettingsOfTheReadmeAreSettingsOfTheApp() throws IOException {
        Matcher yaml = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(readme());
        assertThat(yaml.find()).isTrue();

        assertThat(bind(yaml.group(1)).pipeline()).isEqualTo("sales");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "apps/totals/settings/sales.yml",
                "apps/totals/settings/searches.yml",
                "apps/totals/settings/clicks.yml",
                "apps/demo/settings/cafes.yml",
                "apps/demo/settings/online-retail.yml"
            })
    void theShippedSettingsAreSettingsOfTheApp(String file) throws IOException {
        assertThat(shipped(file).fingerprint()).isNotBlank();
    }

    static TotalsProperties shipped(String file) throws IOException {
        return bind(Files.readString(ROOT.resolve(file)));
    }

    private static TotalsProperties bind(String yaml) throws IOException {
        List<PropertySource<?>> sources = new YamlPropertySourceLoader()
                .load("settings", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
        return new Binder(ConfigurationPropertySources.from(sources))
                .bind("tidemark.totals", TotalsProperties.class)
                .get();
    }

    @Test
    void theWholeCheckIsTheTestCommandOfTheReadme() throws IOException {
        assertThat(readme())
                .contains("    ./mvnw verify\n")
                .contains("`-B -ntp`")
                .contains("`-T 2`");
        assertThat(Files.readAllLines(ROOT.resolve(".ci/run"))).contains("./mvnw -B -ntp -T 2 verify");
    }

    @Test
    void filesThatTheReadmesLinkToExist() throws IOException {
        try (Stream<Path> apps = Files.list(ROOT.resolve("apps"))) {
            for (Path page : Stream.concat(Stream.of(ROOT), apps)
                    .map(directory -> directory.resolve("README.md"))
                    .filter(Files::exists)
                    .toList()) {
                Matcher link = Pattern.compile("]\\((?!https?:|#)([^)#]+)").matcher(Files.readString(page));
                while (link.find()) {
                    assertThat(page.resolveSibling(link.group(1))).exists();
                }
            }
        }
    }

    private static String readme() throws IOException {
        return Files.readString(ROOT.resolve("README.md"));
    }
}
