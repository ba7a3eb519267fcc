package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoPropertiesTest {

    @TempDir
    Path directory;

    private final Map<String, String> given = new HashMap<>();

    @BeforeEach
    void settingsAreThere() throws IOException {
        given.put(
                "demo.settings",
                Files.createFile(directory.resolve("sales.yml")).toString());
    }

    @Test
    void withoutOptionsCafesAreSimulatedOnFreePortsInATemporaryDirectory() {
        DemoProperties properties = DemoProperties.of(given);

        assertThat(properties)
                .isEqualTo(new DemoProperties(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        directory.resolve("sales.yml"),
                        0,
                        0,
                        0,
                        0,
                        Optional.empty(),
                        Optional.empty(),
                        false));
    }

    @Test
    void allOptionsAreRead() throws IOException {
        Path file = Files.createFile(directory.resolve("sales.csv"));
        given.put("feed.file", file.toString());
        given.put("feed.rate", "2.5");
        given.put("feed.speed", " ");
        given.put("demo.kafka-port", "9092");
        given.put("demo.connect-port", "8083");
        given.put("demo.postgres-port", "5432");
        given.put("demo.http-port", "8080");
        given.put("demo.console-port", "8081");
        given.put("demo.data", directory.toString());
        given.put("demo.stay", "true");

        assertThat(DemoProperties.of(given))
                .isEqualTo(new DemoProperties(
                        Optional.of(file),
                        Optional.of(2.5),
                        Optional.empty(),
                        directory.resolve("sales.yml"),
                        9092,
                        8083,
                        5432,
                        8080,
                        Optional.of(8081),
                        Optional.of(directory.toAbsolutePath()),
                        true));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    feed.rate       | 0     | -Dfeed.rate=0 is not a number above 0.
                    feed.speed      | fast  | -Dfeed.speed=fast is not a number above 0.
                    demo.kafka-port | 70000 | -Ddemo.kafka-port=70000 is not a port; give a number from 1 to 65535, or 0 for a free one.
                    demo.http-port  | 80.5  | -Ddemo.http-port=80.5 is not a port; give a number from 1 to 65535, or 0 for a free one.
                    demo.stay       | yes   | -Ddemo.stay=yes is neither true nor false.
                    feed.file       | gone  | -Dfeed.file=gone is not a file that can be read.
                    demo.settings   | gone  | -Ddemo.settings=gone is not a file that can be read.
                    """)
    void aBadValueIsOneSentence(String option, String value, String sentence) {
        given.put(option, value);

        assertThatThrownBy(() -> DemoProperties.of(given))
                .isInstanceOf(DemoException.class)
                .hasMessage(sentence);
    }

    @Test
    void anUnknownOptionIsRefused() {
        given.put("feed.sped", "60");

        assertThatThrownBy(() -> DemoProperties.of(given))
                .isInstanceOf(DemoException.class)
                .hasMessageStartingWith("There is no option -Dfeed.sped; there are demo.connect-port, ");
    }

    @Test
    void aDirectoryForDataThatIsAFileIsRefused() {
        given.put("demo.data", given.get("demo.settings"));

        assertThatThrownBy(() -> DemoProperties.of(given))
                .isInstanceOf(DemoException.class)
                .hasMessage("-Ddemo.data=%s is not a directory.", given.get("demo.settings"));
    }

    @Test
    void aFileWithoutSettingsOfItsNameAsksForThem() throws IOException {
        given.remove("demo.settings");
        given.put(
                "feed.file",
                Files.createFile(directory.resolve("orders.2026.csv.gz")).toString());

        assertThatThrownBy(() -> DemoProperties.of(given))
                .isInstanceOf(DemoException.class)
                .hasMessage("There are no settings %s; say with -Ddemo.settings=FILE how to read the events."
                        .formatted(Path.of("apps", "demo", "settings", "orders.yml")));
    }

    @Test
    void aFileIsNotPacedInTwoWays() throws IOException {
        given.put("feed.file", Files.createFile(directory.resolve("sales.csv")).toString());
        given.put("feed.rate", "10");
        given.put("feed.speed", "60");

        assertThatThrownBy(() -> DemoProperties.of(given))
                .isInstanceOf(DemoException.class)
                .hasMessage("A file is sent either at -Dfeed.rate or at -Dfeed.speed; give one of them.");
    }
}
