package dev.tidemark.demo;

import dev.tidemark.reconcile.ReconcileApplication;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
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
        String[] lines = printed.toString(StandardCharsets.UTF_8).split("\n");
        return new Recount(
                exitCode,
                Arrays.stream(lines)
                        .map(line -> line.substring(line.lastIndexOf('\r') + 1))
                        .reduce("", (text, line) -> text + line + "\n"));
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
