package dev.tidemark.console;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** Asks the running apps how they are, all at the same time, each for a short time only. */
@Component
class Apps implements DisposableBean {

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final int AT_ONCE = 8;
    /** Numbers keep their digits. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final ConsoleProperties settings;
    private final RestClient http;
    private final ExecutorService asking = Executors.newFixedThreadPool(AT_ONCE, task -> {
        Thread thread = new Thread(task, "ask-apps");
        thread.setDaemon(true);
        return thread;
    });

    Apps(ConsoleProperties settings) {
        this.settings = settings;
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(
                HttpClient.newBuilder().connectTimeout(PATIENCE).build());
        requests.setReadTimeout(PATIENCE);
        this.http = RestClient.builder()
                .requestFactory(requests)
                // Health that is down comes with status 503 and says why.
                .defaultStatusHandler(status -> true, (request, response) -> {})
                .build();
    }

    /** All apps of the settings, in their order. */
    List<AppStatus> statuses() {
        List<CompletableFuture<AppStatus>> answers = settings.apps().stream()
                .map(app -> CompletableFuture.supplyAsync(() -> status(app), asking))
                .toList();
        return answers.stream().map(CompletableFuture::join).toList();
    }

    /** The JSON at a URL, or null if there is none. */
    JsonNode json(URI url) {
        String text = text(url);
        try {
            return text == null ? null : JSON.readTree(text);
        } catch (JacksonException e) {
            return null;
        }
    }

    @Override
    public void destroy() {
        asking.shutdownNow();
    }

    private AppStatus status(ConsoleProperties.App app) {
        JsonNode health = json(under(app.url(), "health"));
        if (health == null) {
            return AppStatus.silent(app.name());
        }
        String metrics = text(under(app.url(), "prometheus"));
        JsonNode topology = json(under(app.url(), "topology"));
        return AppStatus.of(
                app.name(),
                health,
                Meters.of(metrics == null ? "" : metrics),
                topology == null ? null : topology.path("description").asString(""));
    }

    /** Null if nobody answers in time. */
    private String text(URI url) {
        try {
            return http.get().uri(url).retrieve().body(String.class);
        } catch (RestClientException e) {
            return null;
        }
    }

    private static URI under(URI actuator, String endpoint) {
        return URI.create(actuator.toString().replaceFirst("/+$", "") + "/" + endpoint);
    }
}
