package dev.tidemark.demo;

import dev.tidemark.common.AppProcess;
import dev.tidemark.reconcile.ReconcileApplication;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A recount, as a user sees it.
 *
 * @param exitCode what the process would exit with
 * @param text what it has printed, without its progress
 */
record Recount(int exitCode, String text) {

    /** Recounts a pipeline of the servers. */
    static Recount of(Servers servers, SalesPipeline pipeline, String... more) {
        return of(servers, pipeline.settings(), more);
    }

    /** Recounts what the settings say. */
    static Recount of(Servers servers, Map<String, String> settings, String... more) {
        List<String> arguments = arguments(servers, settings);
        arguments.addAll(Arrays.asList(more));
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        int exitCode = ReconcileApplication.once(
                new PrintStream(printed, false, StandardCharsets.UTF_8), arguments.toArray(String[]::new));
        return new Recount(exitCode, withoutProgress(printed.toString(StandardCharsets.UTF_8)));
    }

    private static String withoutProgress(String printed) {
        return Arrays.stream(printed.split("\n"))
                .map(line -> line.substring(line.lastIndexOf('\r') + 1))
                .reduce("", (text, line) -> text + line + "\n");
    }

    /**
     * Recounts with the app's jar in a process of its own, of 512 MiB of heap.
     *
     * @param settings the file with the pipeline's settings
     * @param directory where the process may write
     */
    static Recount inProcess(Servers servers, Path settings, Path directory, String... more) {
        Map<String, String> properties = Map.of(
                "tidemark.reconcile.pipelines", settings.toAbsolutePath().toString(),
                "tidemark.reconcile.directory", directory.resolve("recounts").toString(),
                "spring.kafka.bootstrap-servers", servers.kafka.bootstrapServers(),
                "spring.datasource.url", servers.database.jdbcUrl(),
                "spring.datasource.username", servers.database.user(),
                "spring.datasource.password", servers.database.password());
        List<String> arguments = new ArrayList<>(List.of("--once"));
        arguments.addAll(Arrays.asList(more));
        try (AppProcess process =
                AppProcess.start(Path.of("..", "reconcile"), properties, directory, arguments.toArray(String[]::new))) {
            return new Recount(process.exitCode(), withoutProgress(process.output()));
        }
    }

    /** What to say to recount a pipeline of the servers once. */
    static List<String> arguments(Servers servers, Map<String, String> settings) {
        List<String> arguments = new ArrayList<>(List.of(
                "--once",
                "--spring.kafka.bootstrap-servers=" + servers.kafka.bootstrapServers(),
                "--spring.datasource.url=" + servers.database.jdbcUrl(),
                "--spring.datasource.username=" + servers.database.user(),
                "--spring.datasource.password=" + servers.database.password()));
        settings.forEach((name, value) -> arguments.add("--" + name + "=" + value));
        return arguments;
    }
}
