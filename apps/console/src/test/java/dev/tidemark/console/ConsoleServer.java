package dev.tidemark.console;

import dev.tidemark.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** A console of this JVM on a free port, over a database of the caller. */
final class ConsoleServer implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final HttpClient http = HttpClient.newHttpClient();

    private ConsoleServer(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** @param settings further ones, as {@code name=value} */
    static ConsoleServer start(EmbeddedDatabase database, String... settings) {
        List<String> arguments = new ArrayList<>(List.of(
                ConsoleApplication.CONFIG_NAMES,
                "--server.port=0",
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.user(),
                "--spring.datasource.password=" + database.password()));
        for (String setting : settings) {
            arguments.add("--" + setting);
        }
        return new ConsoleServer(new SpringApplicationBuilder(ConsoleApplication.class)
                .registerShutdownHook(false)
                .run(arguments.toArray(String[]::new)));
    }

    /** Fills the tables with {@code filled.sql}. */
    static void fill(EmbeddedDatabase database) throws SQLException, IOException {
        fill(database, "/filled.sql");
    }

    static void fill(EmbeddedDatabase database, String resource) throws SQLException, IOException {
        try (InputStream script = ConsoleServer.class.getResourceAsStream(resource);
                var connection = database.dataSource().getConnection();
                var statement = connection.createStatement()) {
            statement.execute(new String(script.readAllBytes(), StandardCharsets.UTF_8));
            statement.execute("analyze");
        }
    }

    int port() {
        return Integer.parseInt(context.getEnvironment().getProperty("local.server.port"));
    }

    String url(String path) {
        return "http://127.0.0.1:" + port() + path;
    }

    String page(String path) {
        HttpResponse<String> response = get(path);
        if (response.statusCode() != 200) {
            throw new AssertionError(path + " says " + response.statusCode() + ": " + response.body());
        }
        return response.body();
    }

    /** @param headers names and values by turns */
    HttpResponse<String> get(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url(path)));
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    HttpResponse<String> post(String path, String form, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url(path)))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form));
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    @Override
    public void close() {
        context.close();
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
