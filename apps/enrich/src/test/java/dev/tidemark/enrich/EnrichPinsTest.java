package dev.tidemark.enrich;

import dev.tidemark.common.TopologyFixture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class EnrichPinsTest {

    @Test
    void write() throws Exception {
        write("enrich-topology.txt", Enrich.settings());
        write(
                "enrich-topology-by-key.txt",
                Enrich.settings("input.partitioned-by-key=false", "table.partitioned-by-key=false"));
        write("enrich-topology-events-by-key.txt", Enrich.settings("input.partitioned-by-key=false"));
        write("enrich-topology-broadcast.txt", Enrich.settings("table.broadcast=true"));
    }

    private static void write(String file, EnrichProperties settings) throws Exception {
        Files.writeString(
                Path.of("src/test/resources").resolve(file),
                TopologyFixture.topology(
                                new EnrichTopology(settings, Enrich.partitions(settings, 1), new SimpleMeterRegistry())
                                        ::build,
                                TopologyFixture.properties(Path.of("target")))
                        .describe()
                        .toString());
    }
}
