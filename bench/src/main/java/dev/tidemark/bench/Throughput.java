package dev.tidemark.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * How fast an app gets through a backlog, with every promise on, and how fast it is back after a {@code kill -9}: a
 * broker, the app's own jar, and this program run as three processes. Prints events per second from the first commit to
 * the last, CPU seconds of the app's process per million events, its greatest resident memory and its state; then the time
 * from the kill to the commit of what came meanwhile; of pairs, also how soon an event without a partner is published.
 *
 * <p>Arguments: name of the app, its jar, number of events before the kill and meanwhile, partitions, whether the input is
 * partitioned by key, whether, of totals, {@link PlainTotals} is measured first, further JVM options of both.
 */
final class Throughput {

    /** A moved input is never quite at its end: every second its readers say how far they are. */
    private static final int RESTLESS = 100;

    private final Workload workload;
    private final Path jar;
    private final List<String> options;
    private final Path directory;
    private final String bootstrapServers;
    private final boolean keyed;
    private final Admin admin;

    private Throughput(
            Workload workload,
            Path jar,
            List<String> options,
            Path directory,
            String bootstrapServers,
            boolean keyed,
            Admin admin) {
        this.workload = workload;
        this.jar = jar;
        this.options = options;
        this.directory = directory;
        this.bootstrapServers = bootstrapServers;
        this.keyed = keyed;
        this.admin = admin;
    }

    public static void main(String[] args) throws Exception {
        Workload workload = Workload.of(args[0]);
        Path jar = Path.of(args[1]);
        int events = Integer.parseInt(args[2]);
        int meanwhile = Integer.parseInt(args[3]);
        int partitions = Integer.parseInt(args[4]);
        boolean keyed = Boolean.parseBoolean(args[5]);
        boolean plain = Boolean.parseBoolean(args[6]) && workload instanceof Sales;
        List<String> options = args.length > 7 && !args[7].isBlank() ? List.of(args[7].split(" ")) : List.of();
        Path directory = Files.createTempDirectory("tidemark-bench");
        Process broker = App.java(
                        List.of("-Xmx1g"),
                        List.of(
                                "-cp",
                                System.getProperty("java.class.path"),
                                Broker.class.getName(),
                                directory.resolve("kafka").toString()))
                .redirectError(directory.resolve("broker.log").toFile())
                .start();
        try {
            BufferedReader said =
                    new BufferedReader(new InputStreamReader(broker.getInputStream(), StandardCharsets.UTF_8));
            String bootstrapServers = said.readLine();
            while (bootstrapServers != null && !bootstrapServers.startsWith("127.0.0.1:")) {
                bootstrapServers = said.readLine();
            }
            for (String topic : workload.topics()) {
                Sender.createTopic(bootstrapServers, topic, partitions);
            }
            workload.produce(bootstrapServers, 0, events, events, keyed);
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
                Throughput run = new Throughput(workload, jar, options, directory, bootstrapServers, keyed, admin);
                if (plain) {
                    run.measurePlain(partitions);
                }
                run.measure(events, meanwhile, partitions);
            }
        } finally {
            broker.getOutputStream().close();
            broker.waitFor(20, TimeUnit.SECONDS);
            broker.destroyForcibly();
            delete(directory);
        }
    }

    private void measurePlain(int partitions) throws IOException, InterruptedException, ExecutionException {
        try (App app = App.plain(options, directory, bootstrapServers, keyed)) {
            Sender.createTopic(bootstrapServers, app.group(), partitions);
            System.out.print("a plain program: ");
            throughput(app);
            app.kill();
        }
        delete(App.state(directory));
    }

    private void measure(int events, int meanwhile, int partitions)
            throws IOException, InterruptedException, ExecutionException {
        try (App app = start()) {
            throughput(app);
            app.kill();
        }
        long killed = System.nanoTime();
        workload.produce(bootstrapServers, events, events + meanwhile, events, keyed);
        try (App app = start()) {
            awaitCommits(app, end());
            awaitMoved(app);
            System.out.printf(
                    "seconds from kill -9 until what came meanwhile was committed %.1f%n", secondsSince(killed));
            if (workload instanceof Orders) {
                UnmatchedDelay.measure(bootstrapServers, partitions);
            }
        }
    }

    private void throughput(App app) throws IOException, InterruptedException, ExecutionException {
        long end = end();
        long started = System.nanoTime();
        long firstCommitted = awaitCommits(app, 1);
        long first = System.nanoTime();
        Duration firstCpu = app.cpu();
        awaitCommits(app, end);
        awaitMoved(app);
        double seconds = secondsSince(first);
        Duration cpu = app.cpu();
        System.out.printf(
                "events %d, seconds from start %.1f, events per second after the first commit %.0f, CPU seconds per"
                        + " million: whole process %.2f, after the first commit %.2f; peak resident %s, state %d MB%n",
                end,
                secondsSince(started),
                (end - firstCommitted) / seconds,
                cpu.toMillis() / 1e3 / end * 1e6,
                cpu.minus(firstCpu).toMillis() / 1e3 / (end - firstCommitted) * 1e6,
                app.peakResident(),
                App.stateMegabytes(directory));
    }

    private App start() throws IOException {
        return App.start(jar, workload, options, directory, bootstrapServers, keyed);
    }

    /** Waits until at least so many records are committed, and says how many are. */
    private long awaitCommits(App app, long records) throws IOException, InterruptedException, ExecutionException {
        long committed = committed(app);
        while (committed < records) {
            app.requireAlive();
            TimeUnit.MILLISECONDS.sleep(200);
            committed = committed(app);
        }
        return committed;
    }

    /** Waits until what was moved to the partition of its key is committed there, too. */
    private void awaitMoved(App app) throws IOException, InterruptedException, ExecutionException {
        for (String topic : admin.listTopics().names().get()) {
            if (topic.startsWith(app.group()) && topic.endsWith("-repartition")) {
                while (committed(app, topic) < end(topic) - RESTLESS) {
                    app.requireAlive();
                    TimeUnit.MILLISECONDS.sleep(200);
                }
            }
        }
    }

    private long end() throws ExecutionException, InterruptedException {
        long end = 0;
        for (String topic : workload.topics()) {
            end += end(topic);
        }
        return end;
    }

    private long committed(App app) throws ExecutionException, InterruptedException {
        long committed = 0;
        for (String topic : workload.topics()) {
            committed += committed(app, topic);
        }
        return committed;
    }

    private long end(String topic) throws ExecutionException, InterruptedException {
        int partitions = admin.describeTopics(List.of(topic))
                .topicNameValues()
                .get(topic)
                .get()
                .partitions()
                .size();
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        for (int p = 0; p < partitions; p++) {
            latest.put(new TopicPartition(topic, p), OffsetSpec.latest());
        }
        return admin.listOffsets(latest).all().get().values().stream()
                .mapToLong(ListOffsetsResultInfo::offset)
                .sum();
    }

    private long committed(App app, String topic) throws ExecutionException, InterruptedException {
        return admin.listConsumerGroupOffsets(app.group()).partitionsToOffsetAndMetadata().get().entrySet().stream()
                .filter(committed -> committed.getKey().topic().equals(topic))
                .mapToLong(committed -> committed.getValue().offset())
                .sum();
    }

    private static double secondsSince(long nanoTime) {
        return (System.nanoTime() - nanoTime) / 1e9;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
