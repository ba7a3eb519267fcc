package dev.tidemark.common;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * What an app on this machine says of itself over HTTP.
 *
 * @param port where it listens; 0: nowhere yet
 */
public record Health(int port) {

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    /** Whether it says that it may be relied on; false if it says nothing. */
    public boolean isReady() {
        return answers("/health/readiness");
    }

    /** Whether it says that it is not dead; false if it says nothing. */
    public boolean isAlive() {
        return answers("/health/liveness");
    }

    private boolean answers(String path) {
        try {
            return port != 0 && get(path).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Asks an endpoint of the actuator.
     *
     * @throws IOException if there is no answer
     */
    public HttpResponse<String> get(String path) throws IOException {
        try {
            return CLIENT.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator" + path))
                            .timeout(PATIENCE)
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
