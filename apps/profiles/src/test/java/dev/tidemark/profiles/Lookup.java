package dev.tidemark.profiles;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Asks an instance on this machine for rows, as a user would.
 *
 * @param port where it listens
 */
record Lookup(int port) {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    HttpResponse<String> get(String key) throws IOException {
        return ask("/profiles/" + URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20"));
    }

    /** Whether the instance has a partition itself. */
    boolean has(int partition) throws IOException {
        return ask("/profiles?key=nobody&partitions=" + partition).statusCode() == 404;
    }

    HttpResponse<String> ask(String path) throws IOException {
        try {
            return CLIENT.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .timeout(Duration.ofSeconds(10))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
