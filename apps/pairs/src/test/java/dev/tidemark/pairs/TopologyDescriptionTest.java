package dev.tidemark.pairs;

import dev.tidemark.common.PairsProperties;
import dev.tidemark.common.PinnedTopology;
import dev.tidemark.common.TopologyFixture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of operators, stores and topics are durable: state is found by them. A change here needs a migration. */
class TopologyDescriptionTest {

    @TempDir
    Path state;

    @Test
    void inputsThatArePartitionedByKeyArePairedWhereTheyAreRead() {
        assertThatTheTopologyIs("pairs-topology.txt", Pairs.settings());
    }

    @Test
    void otherInputsAreMovedToThePartitionOfTheirKey() {
        assertThatTheTopologyIs(
                "pairs-topology-by-key.txt",
                Pairs.settings("left.partitioned-by-key=false", "right.partitioned-by-key=false"));
    }

    @Test
    void oneInputCanBeMovedToWhereTheOtherIs() {
        assertThatTheTopologyIs("pairs-topology-right-by-key.txt", Pairs.settings("right.partitioned-by-key=false"));
    }

    @Test
    void toBeUniqueAmongAllEventsTheyAreMovedToThePartitionOfTheirIdBefore() {
        assertThatTheTopologyIs("pairs-topology-global.txt", Pairs.settings("deduplicate-scope=global"));
    }

    private void assertThatTheTopologyIs(String file, PairsProperties settings) {
        new PinnedTopology(file)
                .assertIs(TopologyFixture.topology(
                        new PairsTopology(settings, Pairs.partitions(settings, 1), new SimpleMeterRegistry())::build,
                        TopologyFixture.properties(state)));
    }
}
