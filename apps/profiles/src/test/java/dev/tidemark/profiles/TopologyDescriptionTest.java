package dev.tidemark.profiles;

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
    void whatIsPartitionedByKeyIsJoinedWhereItIsRead() {
        assertThatTheTopologyIs("profiles-topology.txt", Customers.settings());
    }

    @Test
    void otherInputsAreMovedToThePartitionOfTheirKey() {
        assertThatTheTopologyIs(
                "profiles-topology-by-key.txt",
                Customers.settings("input.partitioned-by-key=false", "table.partitioned-by-key=false"));
    }

    @Test
    void whereIdsAreGlobalEventsAreMovedTwice() {
        assertThatTheTopologyIs("profiles-topology-global.txt", Customers.settings("deduplicate-scope=global"));
    }

    private void assertThatTheTopologyIs(String file, ProfilesProperties settings) {
        new PinnedTopology(file)
                .assertIs(TopologyFixture.topology(
                        new ProfilesTopology(settings, Customers.partitions(settings, 1), new SimpleMeterRegistry())
                                ::build,
                        TopologyFixture.properties(state)));
    }
}
