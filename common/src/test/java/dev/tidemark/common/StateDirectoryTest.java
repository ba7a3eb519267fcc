package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateDirectoryTest {

    @TempDir
    Path directory;

    private static StateDirectory of(Path directory, String application) {
        Properties properties = new Properties();
        properties.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
        return new StateDirectory(properties);
    }

    @Test
    void oneHolderAtATimeMayUseIt() throws IOException {
        try (StateDirectory first = of(directory, "sales-totals");
                StateDirectory second = of(directory, "sales-totals")) {
            first.hold();

            assertThatThrownBy(second::hold)
                    .isInstanceOf(StartRefusedException.class)
                    .hasMessage("The state directory " + directory.resolve("sales-totals")
                            + " is in use by another process; stop that one, or give this one its own"
                            + " spring.kafka.streams.properties.state.dir.");
        }
        try (StateDirectory next = of(directory, "sales-totals")) {
            next.hold();
        }
    }

    @Test
    void pipelinesShareADirectoryWithoutMeeting() throws IOException {
        try (StateDirectory sales = of(directory, "sales-totals");
                StateDirectory refunds = of(directory, "refunds-totals")) {
            sales.hold();
            refunds.hold();

            assertThat(directory.resolve("sales-totals")).isDirectory();
            assertThat(directory.resolve("refunds-totals")).isDirectory();
        }
    }

    @Test
    void oneThatCannotBeMadeIsRefusedByName() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));

        try (StateDirectory state = of(file, "sales-totals")) {
            assertThatThrownBy(state::hold)
                    .isInstanceOf(StartRefusedException.class)
                    .hasMessageStartingWith(
                            "Cannot write to the state directory " + file.resolve("sales-totals") + " (")
                    .hasMessageEndingWith(
                            "); set spring.kafka.streams.properties.state.dir to one that this process may write to.");
        }
    }

    @Test
    void oneThatIsALinkToADirectoryIsUsed() throws IOException {
        Path real = Files.createDirectory(directory.resolve("disk"));
        Files.createSymbolicLink(directory.resolve("sales-totals"), real);

        try (StateDirectory state = of(directory, "sales-totals")) {
            state.hold();

            assertThat(real).isNotEmptyDirectory();
        }
    }
}
