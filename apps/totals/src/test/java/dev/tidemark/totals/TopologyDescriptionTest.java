package dev.tidemark.totals;

import dev.tidemark.common.PinnedTopology;
import dev.tidemark.common.TopologyFixture;
import dev.tidemark.common.TotalsProperties;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of operators, stores and topics are durable: state is found by them. A change here needs a migration. */
class TopologyDescriptionTest {

    @TempDir
    Path state;

    @Test
    void inputThatIsPartitionedByKeyIsCountedWhereItIsRead() {
        assertThatTheTopologyIs("totals-topology.txt", Totals.settings());
    }

    @Test
    void otherInputIsMovedToThePartitionOfItsKey() {
        assertThatTheTopologyIs("totals-topology-by-key.txt", Totals.settings("input.partitioned-by-key=false"));
    }

    @Test
    void toBeUniqueAmongAllEventsTheyAreMovedToThePartitionOfTheirIdBefore() {
        assertThatTheTopologyIs("totals-topology-global.txt", Totals.settings("deduplicate-scope=global"));
    }

    private void assertThatTheTopologyIs(String file, TotalsProperties settings) {
        new PinnedTopology(file)
                .assertIs(TopologyFixture.topology(
                        new TotalsTopology(settings, Totals.partitions(settings), new SimpleMeterRegistry())::build,
                        TopologyFixture.properties(state)));
    }
}
