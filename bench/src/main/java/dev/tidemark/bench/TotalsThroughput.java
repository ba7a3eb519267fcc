package dev.tidemark.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * How fast the totals app gets through a backlog, with every promise on: a broker, the app's own jar, and this program
 * run as three processes. Prints events per second from the first commit to the last, and CPU seconds of the app's
 * process per million events.
 *
 * <p>Arguments: path of the app's jar, number of events (2,000,000), partitions (4), further JVM options of the app.
 */
final class TotalsThroughput {

    private static final String GROUP = "sales-totals";

    private TotalsThroughput() {}

    public static void main(String[] args) throws Exception {
        Path jar = Path.of(args[0]);
        int events = args.length > 1 ? Integer.parseInt(args[1]) : 2_000_000;
        int partitions = args.length > 2 ? Integer.parseInt(args[2]) : 4;
        List<String> options = args.length > 3 && !args[3].isBlank() ? List.of(args[3].split(" ")) : List.of();
        Path directory = Files.createTempDirectory("tidemark-bench");
        Process broker = java(
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
            Sales.produce(bootstrapServers, events, partitions);
            measure(jar, options, directory, bootstrapServers);
        } finally {
            broker.getOutputStream().close();
            broker.waitFor(20, TimeUnit.SECONDS);
            broker.destroyForcibly();
            delete(directory);
        }
    }

    private static void measure(Path jar, List<String> options, Path directory, String bootstrapServers)
            throws IOException, InterruptedException, ExecutionException {
        Path settings = directory.resolve("bench.yml");
        Files.writeString(settings, """
                server: { port: 0, address: 127.0.0.1 }
                spring.kafka:
                  bootstrap-servers: %s
                  streams.properties.state.dir: %s
                tidemark.totals:
                  pipeline: sales
                  input:
                    topic: sales
                    partitioned-by-key: true
                    event-id: /event_id
                    key: /store_id
                    event-time: /event_time
                    amount: /amount
                    amount-scale: 2
                  window: { size: 10m }
                  grace: 5m
                """.formatted(bootstrapServers, directory.resolve("state")));
        Process app = java(options, List.of("-jar", jar.toString(), "--spring.config.additional-location=" + settings))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("app.log").toFile())
                .start();
        Properties config = new Properties();
        config.put("bootstrap.servers", bootstrapServers);
        try (Admin admin = Admin.create(config)) {
            long end = ends(admin);
            long started = System.nanoTime();
            long first = 0;
            long firstCommitted = 0;
            Duration firstCpu = Duration.ZERO;
            long committed = 0;
            while (committed < end) {
                if (!app.isAlive()) {
                    throw new IllegalStateException("the app ended: " + Files.readString(directory.resolve("app.log")));
                }
                TimeUnit.MILLISECONDS.sleep(200);
                committed = committed(admin);
                if (first == 0 && committed > 0) {
                    first = System.nanoTime();
                    firstCommitted = committed;
                    firstCpu = cpu(app);
                }
            }
            double seconds = (System.nanoTime() - first) / 1e9;
            Duration cpu = cpu(app);
            System.out.printf(
                    "events %d, seconds from start %.1f, events per second after the first commit %.0f, CPU seconds per"
                            + " million: whole process %.2f, after the first commit %.2f; resident %s%n",
                    end,
                    (System.nanoTime() - started) / 1e9,
                    (end - firstCommitted) / seconds,
                    cpu.toMillis() / 1e3 / end * 1e6,
                    cpu.minus(firstCpu).toMillis() / 1e3 / (end - firstCommitted) * 1e6,
                    resident(app));
        } finally {
            app.destroy();
            app.waitFor(20, TimeUnit.SECONDS);
            app.destroyForcibly();
        }
    }

    private static long ends(Admin admin) throws ExecutionException, InterruptedException {
        int partitions = admin.describeTopics(List.of(Sales.TOPIC))
                .topicNameValues()
                .get(Sales.TOPIC)
                .get()
                .partitions()
                .size();
        Map<TopicPartition, OffsetSpec> latest = new java.util.HashMap<>();
        for (int p = 0; p < partitions; p++) {
            latest.put(new TopicPartition(Sales.TOPIC, p), OffsetSpec.latest());
        }
        return admin.listOffsets(latest).all().get().values().stream()
                .mapToLong(ListOffsetsResultInfo::offset)
                .sum();
    }

    private static long committed(Admin admin) throws ExecutionException, InterruptedException {
        return admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata().get().values().stream()
                .mapToLong(OffsetAndMetadata::offset)
                .sum();
    }

    private static Duration cpu(Process process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private static String resident(Process process) throws IOException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        if (!Files.exists(status)) {
            return "unknown";
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmRSS"))
                .findFirst()
                .map(line -> line.substring(6).strip())
                .orElse("unknown");
    }

    private static ProcessBuilder java(List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(options);
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
