package dev.tidemark.demo;

import dev.tidemark.pairs.PairsApplication;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** The pairs app in this JVM, once for each kind of events that the cafés send in pairs. */
final class PairsApps implements AutoCloseable {

    /** Named like their settings. */
    static final List<String> PIPELINES = List.of("order-payments", "order-lines", "search-clicks", "seating-drinks");

    private static final Path SETTINGS = Path.of("apps", "pairs", "settings");

    private final Map<String, App> apps = new ConcurrentHashMap<>();

    /**
     * Starts them one after the other.
     *
     * @param bootstrapServers the broker
     * @param state where their state is or will be
     */
    static PairsApps start(String bootstrapServers, Path state) {
        PairsApps started = new PairsApps();
        try {
            PIPELINES.forEach(pipeline -> started.apps.put(
                    pipeline,
                    App.start(
                            PairsApplication.class,
                            settings(pipeline),
                            bootstrapServers,
                            state,
                            "spring.main.web-application-type=none")));
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
        return started;
    }

    /** The settings of a pipeline. */
    static Path settings(String pipeline) {
        return SETTINGS.resolve(pipeline + ".yml");
    }

    /** The pipelines whose app has ended by itself. */
    List<String> failed() {
        return new TreeMap<>(apps)
                .entrySet().stream()
                        .filter(app -> app.getValue().hasFailed())
                        .map(Map.Entry::getKey)
                        .toList();
    }

    @Override
    public void close() {
        apps.values().parallelStream().forEach(App::close);
    }
}
