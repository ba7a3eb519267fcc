package dev.tidemark.totals;

import dev.tidemark.common.InMemoryStores;
import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.TaskFixture;
import dev.tidemark.common.TopologyFixture;
import dev.tidemark.common.TotalsProperties;
import dev.tidemark.totals.RunSettings.Storage;
import dev.tidemark.totals.Step.Crash;
import dev.tidemark.totals.Step.Frozen;
import dev.tidemark.totals.Step.Input;
import dev.tidemark.totals.Step.Quiet;
import dev.tidemark.totals.Step.Restart;
import dev.tidemark.totals.Transcript.Commit;
import dev.tidemark.totals.Transcript.Received;
import dev.tidemark.totals.Transcript.Row;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.StreamsConfig;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.JsonNode;

/** Does to the topology, and to the {@link TotalsOracle}, what a {@link Run} says. */
final class Execution implements AutoCloseable {

    private final TotalsProperties settings;
    private final Path directory;
    private final MemoryLog log = new MemoryLog();
    private final ManualTime time = new ManualTime(Totals.NOW);
    private final Map<String, Integer> seen = new HashMap<>();
    private final List<Received> inputs = new ArrayList<>();
    private final List<Commit> commits = new ArrayList<>();
    private final TotalsOracle oracle;
    private final TaskFixture task;

    private Execution(RunSettings settings) throws IOException {
        this.settings = settings.properties();
        this.directory = settings.storage() == Storage.ON_DISK ? Files.createTempDirectory("invariants") : Path.of("");
        InputPartitions partitions = Totals.partitions(this.settings);
        this.oracle = new TotalsOracle(settings, time.now());
        this.task = new TaskFixture(
                builder -> new TotalsTopology(this.settings, partitions, new SimpleMeterRegistry()).build(builder),
                properties(settings),
                log,
                time);
    }

    /** What came of a run. It ends with a commit. */
    static Transcript of(Run run) throws IOException {
        try (Execution execution = new Execution(run.settings())) {
            run.steps().forEach(execution::perform);
            execution.commit();
            return new Transcript(execution.inputs, execution.commits);
        }
    }

    private Properties properties(RunSettings run) {
        Properties properties = TopologyFixture.properties(directory);
        properties.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, run.cacheBytes());
        if (run.storage() == Storage.IN_MEMORY) {
            properties.putAll(InMemoryStores.SETTINGS);
        }
        return properties;
    }

    private void perform(Step step) {
        if (step instanceof Input input) {
            read(input);
        } else if (step instanceof Quiet quiet) {
            for (int second = 0; second < quiet.seconds(); second++) {
                pass(Duration.ofSeconds(1));
            }
        } else if (step instanceof Frozen frozen) {
            pass(Duration.ofSeconds(frozen.seconds()));
        } else if (step instanceof Restart restart) {
            restart(restart.downtime());
        } else if (step instanceof Crash crash) {
            crash(crash.downtime());
        } else {
            commit();
        }
    }

    private void read(Input input) {
        String value = input.value(time.now());
        inputs.add(new Received(input, value));
        if (value == null) {
            log.endInput(settings.input().topic(), 0, time.now());
        } else {
            log.append(settings.input().topic(), 0, value.getBytes(StandardCharsets.UTF_8), time.now());
        }
        task.drain();
        oracle.read(input, time.now());
    }

    private void pass(Duration wallTime) {
        time.advance(wallTime);
        task.punctuate();
        oracle.quiet(time.now());
    }

    private void restart(Duration downtime) {
        commit();
        task.stop();
        time.advance(downtime);
        task.start();
        oracle.restart(time.now());
    }

    private void crash(Duration downtime) {
        task.kill();
        time.advance(downtime);
        task.start();
        task.drain();
        oracle.crash(time.now());
    }

    private void commit() {
        task.commit();
        commits.add(new Commit(
                news(settings.totalsTopic()).stream()
                        .map(record -> Row.of(json(record)))
                        .toList(),
                news(settings.exceptionsTopic()).stream().map(Execution::json).toList(),
                news(settings.ledgerTopic()).stream().map(Execution::json).toList(),
                news(settings.deadLettersTopic()),
                oracle.commit()));
    }

    /** The records that a topic got since the last call. */
    private List<ConsumerRecord<byte[], byte[]>> news(String topic) {
        List<ConsumerRecord<byte[], byte[]>> records = log.records(topic);
        Integer from = seen.put(topic, records.size());
        return List.copyOf(records.subList(from == null ? 0 : from, records.size()));
    }

    private static JsonNode json(ConsumerRecord<byte[], byte[]> record) {
        return Totals.json(new String(record.value(), StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        task.close();
        if (!directory.toString().isEmpty()) {
            FileSystemUtils.deleteRecursively(directory);
        }
    }
}
