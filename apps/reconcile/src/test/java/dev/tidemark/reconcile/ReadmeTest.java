package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The page says what the app takes. */
class ReadmeTest {

    private final String page = read();

    @Test
    void theSettingsAreThoseOfTheApp() {
        String table = page.substring(page.indexOf("| `tidemark.reconcile.…`"), page.indexOf("| table, view |"));
        List<String> named = Pattern.compile("^\\| `([a-z-]+)` \\|", Pattern.MULTILINE)
                .matcher(table)
                .results()
                .map(found -> found.group(1))
                .toList();

        assertThat(named)
                .containsExactlyElementsOf(Arrays.stream(ReconcileProperties.class.getRecordComponents())
                        .map(RecordComponent::getName)
                        .map(name -> name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                        .toList());
    }

    @Test
    void theOptionsAreThoseOfTheApp() {
        String table = page.substring(page.indexOf("| option |"), page.indexOf("| `tidemark.reconcile.…`"));
        String[] options = Pattern.compile("`(--[^`]+)`")
                .matcher(table)
                .results()
                .map((MatchResult found) -> found.group(1))
                .flatMap(option -> Arrays.stream(option.split(" ")))
                .map(option -> option.endsWith("=…") ? option.replace("…", "2026-07-01") : option)
                .toArray(String[]::new);

        String[] others = Arrays.stream(options)
                .filter(option -> !option.equals("--correct"))
                .toArray(String[]::new);
        assertThat(CommandLine.parse(others).rest()).isEmpty();
        assertThat(CommandLine.parse("--once", "--correct").correct()).isTrue();
        assertThat(options).hasSize(7);
    }

    @Test
    void theDatabaseIsThatOfSpring() {
        var yaml = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(yaml.find()).isTrue();

        Map<String, Map<String, Map<String, String>>> settings = new Yaml().load(new StringReader(yaml.group(1)));
        assertThat(settings.get("spring").get("datasource")).containsOnlyKeys("url", "username", "password");
    }

    private static String read() {
        try {
            return Files.readString(Path.of("README.md"));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
