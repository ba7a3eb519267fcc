package dev.tidemark.profiles;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.common.StartRefusedException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the app refuses at its start. */
class ProfilesStartIT {

    @TempDir
    Path directory;

    @Test
    void topicsThatCannotBePartitionedAlikeAreNamedWithBothNumbers() throws IOException {
        try (Broker broker = new Broker(directory.resolve("kafka"))) {
            broker.createInputs("uneven", 4, 3);

            assertThatThrownBy(() -> Broker.start(broker.settings(
                                    "uneven",
                                    directory.resolve("uneven"),
                                    "tidemark.profiles.input.partitioned-by-key=true",
                                    "tidemark.profiles.table.partitioned-by-key=true"))
                            .close())
                    .hasRootCauseInstanceOf(StartRefusedException.class)
                    .rootCause()
                    .hasMessage(
                            "The input topics have different numbers of partitions, uneven-a 4 and uneven-c 3, so not"
                                    + " all events of a key are in the same partition of each, as partitioned-by-key: true says; set"
                                    + " it to false, or give them the same number.");
        }
    }
}
