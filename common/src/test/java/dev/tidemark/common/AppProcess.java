package dev.tidemark.common;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** An app's own jar in a process of its own, to be killed and started again. */
public final class AppProcess implements AutoCloseable {

    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

    private final Process process;
    private final Path output;

    private AppProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Starts the jar that the build put into a module's target directory.
     *
     * @param module directory of the app's module
     * @param settings Spring properties of this run
     * @param directory where the settings and the output are written
     * @param arguments further ones
     */
    public static AppProcess start(Path module, Map<String, String> settings, Path directory, String... arguments) {
        try {
            Files.createDirectories(directory);
            Path file = Files.createTempFile(directory, "settings", ".properties");
            Files.writeString(
                    file,
                    settings.entrySet().stream()
                            .map(setting -> setting.getKey() + "=" + setting.getValue())
                            .reduce("", (a, b) -> a + b + "\n"));
            Path output = Files.createTempFile(directory, "output", ".log");
            List<String> command = new ArrayList<>();
            command.add(ProcessHandle.current().info().command().orElse("java"));
            command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-jar"));
            command.add(jar(module).toString());
            command.add("--spring.config.additional-location=" + file);
            command.addAll(List.of(arguments));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            return new AppProcess(process, output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path jar(Path module) throws IOException {
        try (Stream<Path> files = Files.list(module.resolve("target"))) {
            return files.filter(file -> file.toString().endsWith("-app.jar"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no app jar in " + module + "; run mvn package"));
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** As {@code kill -9} does; returns when the process is gone. */
    public void kill() {
        process.destroyForcibly();
        exitCode();
    }

    /**
     * Kills the process when it has run on for this time.
     *
     * @throws IllegalStateException if it ends before that
     */
    public void killAfter(Duration time) {
        if (endsWithin(time)) {
            throw new IllegalStateException("the app has ended by itself; it said:\n" + output());
        }
        kill();
    }

    /** As {@code kill -STOP} does: the process has no time until it {@link #goOn goes on}. */
    public void freeze() {
        signal("STOP");
    }

    /** As {@code kill -CONT} does. */
    public void goOn() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Its health, once it has a port for it. */
    public Health health() {
        Matcher port = PORT.matcher(output());
        return new Health(port.find() ? Integer.parseInt(port.group(1)) : 0);
    }

    /** Waits up to four minutes for the end of the process. */
    public int exitCode() {
        if (!endsWithin(Duration.ofMinutes(4))) {
            throw new IllegalStateException("the app still runs; it said:\n" + output());
        }
        return process.exitValue();
    }

    private boolean endsWithin(Duration time) {
        try {
            return process.waitFor(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** What the process has printed so far. */
    public String output() {
        try {
            return Files.readString(output, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asks the process to end, and waits until it has. */
    @Override
    public void close() {
        process.destroy();
        goOn(); // one that is frozen hears nothing
        exitCode();
    }
}
