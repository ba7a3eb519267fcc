package dev.tidemark.console;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** Asks the running apps, for a short time only where nobody can wait for them. */
@Component
class Apps implements DisposableBean {

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration LONG_PATIENCE = Duration.ofMinutes(2);
    private static final int AT_ONCE = 8;
    /** Numbers keep their digits. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final ConsoleProperties settings;
    private final RestClient http = client(PATIENCE);
    private final RestClient patient = client(LONG_PATIENCE);
    private final ExecutorService asking = Executors.newFixedThreadPool(AT_ONCE, task -> {
        Thread thread = new Thread(task, "ask-apps");
        thread.setDaemon(true);
        return thread;
    });

    Apps(ConsoleProperties settings) {
        this.settings = settings;
    }

    private static RestClient client(Duration patience) {
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(
                HttpClient.newBuilder().connectTimeout(PATIENCE).build());
        requests.setReadTimeout(patience);
        return RestClient.builder()
                .requestFactory(requests)
                // Health that is down comes with status 503 and says why.
                .defaultStatusHandler(status -> true, (request, response) -> {})
                .build();
    }

    /** All apps of the settings, in their order, asked at the same time. */
    List<AppStatus> statuses() {
        List<CompletableFuture<AppStatus>> answers = settings.apps().stream()
                .map(app -> CompletableFuture.supplyAsync(() -> status(app), asking))
                .toList();
        return answers.stream().map(CompletableFuture::join).toList();
    }

    /**
     * What an app says.
     *
     * @param status of HTTP; 0 if it did not answer in time
     * @param body the text, or null
     */
    record Answer(int status, String body) {

        /** The JSON of the text, or null if it is none. */
        JsonNode json() {
            try {
                return body == null ? null : JSON.readTree(body);
            } catch (JacksonException e) {
                return null;
            }
        }
    }

    Answer ask(URI url) {
        return ask(http, url);
    }

    /** As {@link #ask}, of what takes its time. */
    Answer wait(URI url) {
        return ask(patient, url);
    }

    private static Answer ask(RestClient http, URI url) {
        try {
            ResponseEntity<String> response = http.get().uri(url).retrieve().toEntity(String.class);
            return new Answer(response.getStatusCode().value(), response.getBody());
        } catch (RestClientException e) {
            return new Answer(0, null);
        }
    }

    @Override
    public void destroy() {
        asking.shutdownNow();
    }

    private AppStatus status(ConsoleProperties.App app) {
        JsonNode health = ask(under(app.url(), "health")).json();
        if (health == null) {
            return AppStatus.silent(app.name());
        }
        String metrics = ask(under(app.url(), "prometheus")).body();
        JsonNode topology = ask(under(app.url(), "topology")).json();
        return AppStatus.of(
                app.name(),
                health,
                Meters.of(metrics == null ? "" : metrics),
                topology == null ? null : topology.path("description").asString(""));
    }

    private static URI under(URI actuator, String endpoint) {
        return URI.create(actuator.toString().replaceFirst("/+$", "") + "/" + endpoint);
    }
}
