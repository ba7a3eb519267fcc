package dev.tidemark.enrich;

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
    void topicsThatArePartitionedByKeyAreJoinedWhereTheyAreRead() {
        assertThatTheTopologyIs("enrich-topology.txt", Enrich.settings());
    }

    @Test
    void otherTopicsAreMovedToThePartitionOfTheirKey() {
        assertThatTheTopologyIs(
                "enrich-topology-by-key.txt",
                Enrich.settings("input.partitioned-by-key=false", "table.partitioned-by-key=false"));
    }

    @Test
    void eventsCanBeMovedToWhereTheTableIs() {
        assertThatTheTopologyIs("enrich-topology-events-by-key.txt", Enrich.settings("input.partitioned-by-key=false"));
    }

    @Test
    void whereIdsAreGlobalEventsAreMovedTwice() {
        assertThatTheTopologyIs("enrich-topology-global.txt", Enrich.settings("deduplicate-scope=global"));
    }

    @Test
    void aBroadcastTableIsReadByEveryInstance() {
        assertThatTheTopologyIs("enrich-topology-broadcast.txt", Enrich.settings("table.broadcast=true"));
    }

    private void assertThatTheTopologyIs(String file, EnrichProperties settings) {
        new PinnedTopology(file)
                .assertIs(TopologyFixture.topology(
                        new EnrichTopology(settings, Enrich.partitions(settings, 1), new SimpleMeterRegistry())::build,
                        TopologyFixture.properties(state)));
    }
}
