package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.console.TopologyPicture.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyPictureTest {

    private static final String SMALL = """
            Topologies:
               Sub-topology: 0
                Source: read-sales (topics: [sales])
                  --> count-sales
                Processor: count-sales (stores: [counts, seen])
                  --> write-counts, write-dead
                  <-- read-sales
                Sink: write-counts (topic: counts-topic)
                  <-- count-sales
                Sink: write-dead (topic: dead)
                  <-- count-sales
              Sub-topology: 1
                Source: read-counts (topics: [counts-topic])
                  --> none
            """;

    @Test
    void everyStepStandsRightOfWhatItFollows() {
        Map<String, Step> steps = steps(TopologyPicture.of(SMALL));

        assertThat(steps.keySet())
                .containsExactlyInAnyOrder(
                        "sales",
                        "read-sales",
                        "count-sales",
                        "write-counts",
                        "write-dead",
                        "counts-topic",
                        "dead",
                        "read-counts");
        assertThat(steps.get("read-sales").x()).isGreaterThan(steps.get("sales").x());
        assertThat(steps.get("read-counts").x())
                .isGreaterThan(steps.get("counts-topic").x());
        assertThat(steps.get("count-sales").detail()).isEqualTo("counts, seen");
        assertThat(steps.get("counts-topic").kind()).isEqualTo("topic");
        assertThat(TopologyPicture.of(SMALL).lines()).hasSize(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"../totals/src/test/resources", "../pairs/src/test/resources"})
    void noTwoBoxesOfTheAppsTopologiesOverlap(String directory) throws IOException {
        try (var files = Files.list(Path.of(directory))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".txt")).toList()) {
                TopologyPicture picture = TopologyPicture.of(Files.readString(file));

                assertThat(picture.steps()).as(file.toString()).hasSizeGreaterThan(8);
                assertThat(picture.steps().stream().map(step -> step.x() + " " + step.y()))
                        .as(file.toString())
                        .doesNotHaveDuplicates();
                assertThat(picture.lines())
                        .hasSizeGreaterThanOrEqualTo(picture.steps().size() - 1);
            }
        }
    }

    private static Map<String, Step> steps(TopologyPicture picture) {
        return picture.steps().stream().collect(Collectors.toMap(Step::name, step -> step));
    }
}
