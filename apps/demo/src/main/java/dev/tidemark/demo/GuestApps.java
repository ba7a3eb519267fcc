package dev.tidemark.demo;

import dev.tidemark.embedded.FreePort;
import dev.tidemark.enrich.EnrichApplication;
import dev.tidemark.pairs.PairsApplication;
import dev.tidemark.profiles.ProfilesApplication;
import dev.tidemark.totals.TotalsApplication;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** The apps in this JVM that read what the cafés' guests and customers send, and those that read what these apps write. */
final class GuestApps implements AutoCloseable {

    /** The pipelines of the pairs app. */
    static final List<String> PAIRS = List.of("order-payments", "order-lines", "search-clicks", "seating-drinks");

    /** The pipeline of the profiles app, which can be asked. */
    static final String PROFILES = "customers";

    /** In the order in which they are started: what writes a topic before what reads it. */
    private static final List<Guest> ALL = Stream.of(
                    PAIRS.stream().map(pipeline -> new Guest(pipeline, "pairs", PairsApplication.class)),
                    Stream.of("searches", "clicks")
                            .map(pipeline -> new Guest(pipeline, "totals", TotalsApplication.class)),
                    Stream.of(
                            new Guest("customer-activities", "enrich", EnrichApplication.class),
                            new Guest(PROFILES, "profiles", ProfilesApplication.class)))
            .flatMap(Function.identity())
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
     * @param ports on which port each pipeline answers
     */
    static GuestApps start(String bootstrapServers, Path state, Map<String, Integer> ports) {
        GuestApps started = new GuestApps();
        try {
            ALL.forEach(guest -> started.apps.put(
                    guest.pipeline(),
                    App.start(
                            guest.application(),
                            guest.settings(),
                            bootstrapServers,
                            state,
                            "server.port=" + ports.get(guest.pipeline()))));
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
        return started;
    }

    /** A free port for each pipeline, so that others can be told of it before it is there. */
    static Map<String, Integer> ports() {
        List<Integer> free = FreePort.several(ALL.size());
        Map<String, Integer> ports = new LinkedHashMap<>();
        pipelines().forEach(pipeline -> ports.put(pipeline, free.get(ports.size())));
        return ports;
    }

    /** Where it is told what is known of a customer, whose id follows behind a slash. */
    static String profilesUrl(Map<String, Integer> ports) {
        return "http://127.0.0.1:%d/profiles".formatted(ports.get(PROFILES));
    }

    /** The pipelines of all of them. */
    static List<String> pipelines() {
        return ALL.stream().map(Guest::pipeline).toList();
    }

    /** The settings of those that can be recounted. */
    static List<Path> recounted() {
        return ALL.stream()
                .filter(guest ->
                        guest.module().equals("pairs") || guest.module().equals("totals"))
                .map(Guest::settings)
                .toList();
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
