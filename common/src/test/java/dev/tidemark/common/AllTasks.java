package dev.tidemark.common;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyDescription;
import org.apache.kafka.streams.processor.TaskId;

/** All tasks of a topology on one log, with stores in memory: each part of it on each partition. */
public final class AllTasks implements AutoCloseable {

    private static final int ROUNDS_TO_THE_END = 8;
    private static final Duration QUIET = Duration.ofMillis(250);

    private final ManualTime time;
    private final List<TaskFixture> tasks = new ArrayList<>();

    /**
     * @param topology adds the topology to a builder
     * @param log where they read and write; it says how many partitions the topics have
     * @param time the wall clock of all of them
     */
    public AllTasks(Consumer<StreamsBuilder> topology, MemoryLog log, ManualTime time) {
        this.time = time;
        Properties properties = TopologyFixture.properties(Path.of(""));
        String application = properties.getProperty(StreamsConfig.APPLICATION_ID_CONFIG);
        for (TopologyDescription.Subtopology part :
                TopologyFixture.topology(topology, properties).describe().subtopologies()) {
            int partitions = topicsOf(part)
                    .mapToInt(topic -> Math.max(log.partitions(topic), log.partitions(application + "-" + topic)))
                    .max()
                    .orElseThrow();
            for (int partition = 0; partition < partitions; partition++) {
                tasks.add(new TaskFixture(topology, properties, new TaskId(part.id(), partition), log, time));
            }
        }
    }

    private static Stream<String> topicsOf(TopologyDescription.Subtopology part) {
        return part.nodes().stream()
                .filter(TopologyDescription.Source.class::isInstance)
                .flatMap(node -> ((TopologyDescription.Source) node).topicSet().stream());
    }

    /** The task that reads the first partition. */
    public TaskFixture first() {
        return tasks.get(0);
    }

    /** One of the tasks processes some records; then it commits, restarts or crashes, or time goes on. */
    public void step(Random random) {
        TaskFixture task = tasks.get(random.nextInt(tasks.size()));
        for (int records = random.nextInt(12); records > 0 && task.process(); records--) {
            // What it does is in the condition.
        }
        switch (random.nextInt(8)) {
            case 0 -> task.crash();
            case 1 -> task.restart();
            case 2, 3, 4 -> task.commit();
            default -> time.advance(Duration.ofMillis(random.nextInt(200)));
        }
    }

    /** Wall time goes on while nothing is read; of the tasks, most do what is due each time. */
    public void quiet(Random random) {
        for (int times = random.nextInt(10); times > 0; times--) {
            time.advance(QUIET);
            for (TaskFixture task : tasks) {
                if (random.nextInt(8) > 0) {
                    task.punctuate();
                }
            }
        }
    }

    /** All of them process what lies there, and what comes of it. */
    public void settle() {
        for (int round = 0; round < ROUNDS_TO_THE_END; round++) {
            tasks.forEach(TaskFixture::drain);
            tasks.forEach(TaskFixture::commit);
        }
    }

    /** The task that reads a partition of an input topic. */
    public TaskFixture reading(String topic, int partition) {
        return tasks.stream()
                .filter(task -> task.reads(new TopicPartition(topic, partition)))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Wall time goes on; then the tasks do what is due and process what lies there.
     *
     * @param stopped the one that stands still in that time; null: none
     */
    public void pass(Duration by, TaskFixture stopped) {
        time.advance(by);
        for (TaskFixture task : tasks) {
            if (task != stopped) {
                task.punctuate();
                task.drain();
                task.commit();
            }
        }
    }

    @Override
    public void close() {
        tasks.forEach(TaskFixture::close);
    }
}
