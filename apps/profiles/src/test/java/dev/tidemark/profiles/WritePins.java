package dev.tidemark.profiles;

import dev.tidemark.common.TopologyFixture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WritePins {
    @Test
    void write() throws Exception {
        for (var pin : Map.of(
                        "profiles-topology.txt", Customers.settings(),
                        "profiles-topology-by-key.txt",
                                Customers.settings("input.partitioned-by-key=false", "table.partitioned-by-key=false"))
                .entrySet()) {
            String text = TopologyFixture.topology(
                            new ProfilesTopology(
                                            pin.getValue(),
                                            Customers.partitions(pin.getValue(), 1),
                                            new SimpleMeterRegistry())::build,
                            TopologyFixture.properties(Path.of("target/pins")))
                    .describe()
                    .toString();
            Files.writeString(Path.of("src/test/resources", pin.getKey()), text);
            Files.writeString(Path.of("target/test-classes", pin.getKey()), text);
        }
    }
}
