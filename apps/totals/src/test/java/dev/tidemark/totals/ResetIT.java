package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.Rows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.FileSystemUtils;

/** A pipeline that is reset as the README says counts anew, under settings that its old state could not take. */
class ResetIT {

    private static final Duration PATIENCE = Duration.ofSeconds(600);

    private static final String SINK = "connect-totals";

    @TempDir
    static Path directory;

    private static Broker broker;

    @BeforeAll
    static void startBroker() {
        broker = new Broker(directory.resolve("kafka"));
    }

    @AfterAll
    static void stopBroker() throws IOException {
        broker.close();
    }

    /** Where ids are unique among all events, there are all of the internal topics that can be. */
    @ParameterizedTest
    @ValueSource(strings = {"key", "global"})
    void afterAResetAllIsCountedAnew(String scope) throws ExecutionException, InterruptedException, IOException {
        String pipeline = "reset-" + scope;
        Path state = directory.resolve("state");
        String scopeSetting = "tidemark.totals.deduplicate-scope=" + scope;
        Map<String, String> before = broker.settings(pipeline, state, scopeSetting);
        Map<String, String> after = broker.settings(pipeline, state, scopeSetting, "tidemark.totals.window.size=1h");
        broker.createTopic(pipeline, 2);
        broker.sendTo(pipeline, 0, Broker.saleJson("e1", "10:01:00", "1.00"));
        broker.sendTo(pipeline, 0, Broker.saleJson("e2", "10:31:00", "2.00"));
        broker.sendTo(pipeline, 0, Broker.saleJson("e2", "10:31:00", "2.00"));
        broker.sendTo(pipeline, 0, "rubbish");
        broker.endInput(pipeline, 0);
        broker.endInput(pipeline, 1);
        runUntilPublished(pipeline, before, "10:00 v1 1.00", "10:30 v1 2.00");
        assertThatThrownBy(() -> Broker.start(after).close())
                .hasStackTraceContaining("was written with window 10m and is now 1h");

        TopicPartition read = new TopicPartition(pipeline + "-totals", 0);
        broker.admin()
                .alterConsumerGroupOffsets(SINK, Map.of(read, new OffsetAndMetadata(1)))
                .all()
                .get();

        reset(pipeline, state);

        // A sink that was stopped begins with the first row.
        await().atMost(PATIENCE).until(() -> broker.admin()
                .listConsumerGroupOffsets(SINK)
                .partitionsToOffsetAndMetadata()
                .get()
                .isEmpty());

        runUntilPublished(pipeline, after, "10:00 v1 3.00");
        Rows.assertLedgerBalances(
                broker.read(pipeline + "-ledger").stream().map(Totals::json).toList(), 4);
    }

    private static void runUntilPublished(String pipeline, Map<String, String> settings, String... rows) {
        Broker.whileRunning(settings, () -> await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(broker.published(pipeline)).containsExactlyInAnyOrder(rows);
            assertThat(broker.read(pipeline + "-dead-letters")).containsExactly("rubbish");
        }));
    }

    private static void reset(String pipeline, Path state)
            throws ExecutionException, InterruptedException, IOException {
        List<String> topics = new ArrayList<>(topicsInReadme(pipeline));
        assertThat(topics).hasSize(6);
        topicsOfBroker().stream()
                .filter(topic -> topic.startsWith(pipeline + "-totals-"))
                .forEach(topics::add);
        broker.admin().deleteTopics(topics).all().get();
        broker.admin().deleteConsumerGroups(List.of(pipeline + "-totals")).all().get();
        FileSystemUtils.deleteRecursively(state.resolve(pipeline + "-totals"));

        await().untilAsserted(() -> assertThat(topicsOfBroker()).noneMatch(topic -> topic.startsWith(pipeline + "-")));
    }

    private static List<String> topicsInReadme(String pipeline) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("README.md"))) {
            return lines.filter(line -> line.startsWith("| `<pipeline>-"))
                    .map(line -> line.substring(3, line.indexOf('`', 3)).replace("<pipeline>", pipeline))
                    .toList();
        }
    }

    private static Set<String> topicsOfBroker() throws ExecutionException, InterruptedException {
        return broker.admin().listTopics().names().get();
    }
}
