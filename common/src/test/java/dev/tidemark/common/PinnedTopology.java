package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.kafka.streams.Topology;

/**
 * A description of a topology among the resources of a test. Names of operators, stores and topics are durable: state is found
 * by them. A change of it needs a migration.
 *
 * @param file the resource
 */
public record PinnedTopology(String file) {

    public void assertIs(Topology topology) {
        String described = topology.describe().toString();
        String pinned = read();
        // The order of a node's stores is that of a hash set.
        assertThat(described.replaceAll("stores: \\[.*?]", "stores"))
                .isEqualToNormalizingWhitespace(pinned.replaceAll("stores: \\[.*?]", "stores"));
        assertThat(described.lines().flatMap(PinnedTopology::stores).sorted())
                .containsExactlyElementsOf(
                        pinned.lines().flatMap(PinnedTopology::stores).sorted().toList());
    }

    private static Stream<String> stores(String line) {
        int start = line.indexOf("stores: [");
        return start < 0
                ? Stream.empty()
                : Arrays.stream(
                        line.substring(start + 9, line.indexOf(']', start)).split(", "));
    }

    private String read() {
        try (InputStream in = PinnedTopology.class.getResourceAsStream("/" + file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
