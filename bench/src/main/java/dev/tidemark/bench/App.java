package dev.tidemark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A program that reads the topic of {@link Sales}, in a process of its own. */
final class App implements AutoCloseable {

    /** How long a JVM that writes a cache of its classes may take to end. */
    private static final int PATIENCE_SECONDS = 200;

    private final String group;
    private final Process process;
    private final Path output;

    private App(String group, Process process, Path output) {
        this.group = group;
        this.process = process;
        this.output = output;
    }

    /** Starts {@link PlainTotals}, which writes to a topic of the same name as its group. */
    static App plain(List<String> options, Path directory, String bootstrapServers, boolean keyed) throws IOException {
        String group = "plain-totals";
        List<String> arguments = List.of(
                "-cp",
                System.getProperty("java.class.path"),
                PlainTotals.class.getName(),
                group,
                bootstrapServers,
                state(directory).toString(),
                Boolean.toString(keyed));
        return start(group, java(options, arguments), directory);
    }

    /**
     * Starts an app from its own jar.
     *
     * @param jar the app's jar
     * @param workload what it has to do
     * @param options options of its JVM
     * @param directory where its settings, its output and its state are
     * @param keyed whether the input is partitioned by key as it is, or has to be moved first
     */
    static App start(
            Path jar, Workload workload, List<String> options, Path directory, String bootstrapServers, boolean keyed)
            throws IOException {
        Path settings = directory.resolve("bench.yml");
        Files.writeString(settings, """
                server: { port: 0, address: 127.0.0.1 }
                spring.kafka:
                  bootstrap-servers: %s
                  streams.properties.state.dir: %s
                """.formatted(bootstrapServers, state(directory)) + workload.settings(keyed));
        List<String> arguments = List.of("-jar", jar.toString(), "--spring.config.additional-location=" + settings);
        return start(workload.group(), java(options, arguments), directory);
    }

    private static App start(String group, ProcessBuilder program, Path directory) throws IOException {
        Path output = directory.resolve(group + ".log");
        Process process = program.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                .start();
        return new App(group, process, output);
    }

    /** The program's consumer group. */
    String group() {
        return group;
    }

    static ProcessBuilder java(List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(options);
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    /** How much the state of all runs in this directory takes on disk, in megabytes. */
    static long stateMegabytes(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(state(directory))) {
            return files.mapToLong(file ->
                                    file.toFile().isFile() ? file.toFile().length() : 0)
                            .sum()
                    >> 20;
        }
    }

    static Path state(Path directory) {
        return directory.resolve("state");
    }

    void requireAlive() throws IOException {
        if (!process.isAlive()) {
            throw new IllegalStateException("the app ended: " + Files.readString(output));
        }
    }

    Duration cpu() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** The most memory that the process has had so far, as Linux says it. */
    String peakResident() throws IOException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        if (!Files.exists(status)) {
            return "unknown";
        }
        try (Stream<String> lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("VmHWM"))
                    .findFirst()
                    .map(line -> line.substring(6).strip())
                    .orElse("unknown");
        }
    }

    /** As {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
