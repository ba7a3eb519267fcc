package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console shares a class path with the apps, and is itself there. */
class ConsoleAppIT {

    @Test
    @SuppressWarnings("try") // The port only has to be held.
    void theConsoleAnswersOnAnotherPortWhenTheUsualOneIsInUse(@TempDir Path directory)
            throws IOException, InterruptedException {
        try (EmbeddedDatabase database = EmbeddedDatabase.start(directory, 0);
                ServerSocket inUse = occupied(8080)) {
            assertThat(inUse.isClosed()).isFalse();
            database.migrate();
            try (ConsoleApp console = ConsoleApp.start(
                    database, Map.of("totals", "http://127.0.0.1:9/actuator"), Map.of(), Optional.empty())) {
                HttpResponse<String> page = HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create(console.url()))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString());

                assertThat(console.url()).startsWith("http://127.0.0.1:").doesNotEndWith(":8080");
                assertThat(page.statusCode()).isEqualTo(200);
                assertThat(page.body()).contains("There are no totals yet");
            }
        }
    }

    /** Somebody else may have it already, which does as well. */
    private static ServerSocket occupied(int port) throws IOException {
        try {
            return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            return new ServerSocket();
        }
    }
}
