package dev.tidemark.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Connect's REST interface. A worker that is starting or rebalancing refuses requests for a while; they are repeated
 * until it accepts them or patience ends.
 */
final class ConnectRest {

    static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final URI worker;

    ConnectRest(URI worker) {
        this.worker = worker;
    }

    /** The answer, or a missing node if there is nothing under this path. */
    JsonNode get(String path) {
        HttpResponse<String> answer = send("GET", path, BodyPublishers.noBody());
        return answer.statusCode() == 200 ? parse(answer.body()) : MissingNode.getInstance();
    }

    void put(String path, Object body) {
        repeat("PUT", path, json(body));
    }

    void patch(String path, Object body) {
        repeat("PATCH", path, json(body));
    }

    void put(String path) {
        repeat("PUT", path, BodyPublishers.noBody());
    }

    /** Not repeated, whatever the answer. */
    void postOnce(String path) {
        send("POST", path, BodyPublishers.noBody());
    }

    void delete(String path) {
        repeat("DELETE", path, BodyPublishers.noBody());
    }

    /** Waits until the condition holds. */
    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            pause(what, deadline);
        }
    }

    private void repeat(String method, String path, BodyPublisher body) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            HttpResponse<String> answer = send(method, path, body);
            if (answer.statusCode() < 300) {
                return;
            }
            pause(method + " " + path + ", which was answered " + answer.statusCode() + " " + answer.body(), deadline);
        }
    }

    private static BodyPublisher json(Object body) {
        return BodyPublishers.ofString(JSON.valueToTree(body).toString());
    }

    private HttpResponse<String> send(String method, String path, BodyPublisher body) {
        HttpRequest request = HttpRequest.newBuilder(worker.resolve(path))
                .method(method, body)
                .header("Content-Type", "application/json")
                .timeout(PATIENCE)
                .build();
        try {
            return client.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException("Connect at " + worker + " does not answer; see whether it is closed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for Connect at " + worker, e);
        }
    }

    private static void pause(String what, long deadline) {
        if (System.nanoTime() > deadline || Thread.currentThread().isInterrupted()) {
            throw new IllegalStateException("Gave up after at most " + TimeUnit.SECONDS.convert(PATIENCE)
                    + " s of waiting for Connect: " + what + "; its log says why");
        }
        LockSupport.parkNanos(POLL.toNanos());
    }

    private static JsonNode parse(String body) {
        try {
            return JSON.readTree(body);
        } catch (IOException e) {
            throw new UncheckedIOException("Connect answered something other than JSON: " + body, e);
        }
    }
}
