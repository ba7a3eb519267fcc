package dev.tidemark.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.TopologyFixture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of operators, stores and topics are durable: state is found by them. A change here needs a migration. */
class TopologyDescriptionTest {

    @TempDir
    Path state;

    @Test
    void inputsThatArePartitionedByKeyArePairedWhereTheyAreRead() throws IOException {
        assertThatTheTopologyIs("pairs-topology.txt", Pairs.settings());
    }

    @Test
    void otherInputsAreMovedToThePartitionOfTheirKey() throws IOException {
        assertThatTheTopologyIs(
                "pairs-topology-by-key.txt",
                Pairs.settings("left.partitioned-by-key=false", "right.partitioned-by-key=false"));
    }

    @Test
    void oneInputCanBeMovedToWhereTheOtherIs() throws IOException {
        assertThatTheTopologyIs("pairs-topology-right-by-key.txt", Pairs.settings("right.partitioned-by-key=false"));
    }

    @Test
    void toBeUniqueAmongAllEventsTheyAreMovedToThePartitionOfTheirIdBefore() throws IOException {
        assertThatTheTopologyIs("pairs-topology-global.txt", Pairs.settings("deduplicate-scope=global"));
    }

    private void assertThatTheTopologyIs(String file, PairsProperties settings) throws IOException {
        String described = TopologyFixture.topology(
                        new PairsTopology(settings, Pairs.partitions(settings, 1), new SimpleMeterRegistry())::build,
                        TopologyFixture.properties(state))
                .describe()
                .toString();

        String pinned = pinned(file);
        // The order of a node's stores is that of a hash set.
        assertThat(described.replaceAll("stores: \\[.*?]", "stores"))
                .isEqualToNormalizingWhitespace(pinned.replaceAll("stores: \\[.*?]", "stores"));
        assertThat(described.lines().flatMap(TopologyDescriptionTest::stores).sorted())
                .containsExactlyElementsOf(pinned.lines()
                        .flatMap(TopologyDescriptionTest::stores)
                        .sorted()
                        .toList());
    }

    private static Stream<String> stores(String line) {
        int start = line.indexOf("stores: [");
        return start < 0
                ? Stream.empty()
                : Arrays.stream(
                        line.substring(start + 9, line.indexOf(']', start)).split(", "));
    }

    private static String pinned(String file) throws IOException {
        try (InputStream in = TopologyDescriptionTest.class.getResourceAsStream("/" + file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
