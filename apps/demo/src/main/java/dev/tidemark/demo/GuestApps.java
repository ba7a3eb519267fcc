package dev.tidemark.demo;

import dev.tidemark.pairs.PairsApplication;
import dev.tidemark.totals.TotalsApplication;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The apps in this JVM that read what the cafés' guests send, and those that read what these apps write. */
final class GuestApps implements AutoCloseable {

    /** The pipelines of the pairs app. */
    static final List<String> PAIRS = List.of("order-payments", "order-lines", "search-clicks", "seating-drinks");

    /** In the order in which they are started: what writes a topic before what reads it. */
    private static final List<Guest> ALL = Stream.concat(
                    PAIRS.stream().map(pipeline -> new Guest(pipeline, "pairs", PairsApplication.class)),
                    Stream.of("searches", "clicks")
                            .map(pipeline -> new Guest(pipeline, "totals", TotalsApplication.class)))
            .toList();

    private final Map<String, App> apps = new ConcurrentHashMap<>();

    /**
     * One app.
     *
     * @param pipeline its pipeline, and the name of its settings
     * @param module where its settings are
     * @param application its main class
     */
    private record Guest(String pipeline, String module, Class<?> application) {

        Path settings() {
            return Path.of("apps", module, "settings", pipeline + ".yml");
        }
    }

    /**
     * Starts them one after the other.
     *
     * @param bootstrapServers the broker
     * @param state where their state is or will be
     */
    static GuestApps start(String bootstrapServers, Path state) {
        GuestApps started = new GuestApps();
        try {
            ALL.forEach(guest -> started.apps.put(
                    guest.pipeline(),
                    App.start(
                            guest.application(),
                            guest.settings(),
                            bootstrapServers,
                            state,
                            "spring.main.web-application-type=none")));
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
        return started;
    }

    /** The pipelines of all of them. */
    static List<String> pipelines() {
        return ALL.stream().map(Guest::pipeline).toList();
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
