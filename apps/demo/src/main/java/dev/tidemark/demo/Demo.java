package dev.tidemark.demo;

import dev.tidemark.common.Completion;
import dev.tidemark.embedded.EmbeddedConnect;
import dev.tidemark.embedded.EmbeddedDatabase;
import dev.tidemark.embedded.EmbeddedKafka;
import dev.tidemark.embedded.FreePort;
import dev.tidemark.embedded.SinkConnector;
import dev.tidemark.reconcile.ReconcileApplication;
import dev.tidemark.totals.TotalsApplication;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Starts everything, feeds events, shows what becomes of them, and stops everything again. */
final class Demo implements AutoCloseable {

    private static final int PARTITIONS = 4;
    private static final long REFRESH_MILLIS = 500;
    private static final long LINES_MILLIS = 1000;
    private static final long FEED_PATIENCE_MILLIS = 3000;

    private final DemoProperties properties;
    private final DemoSettings settings;
    private final Path directory;
    private final DemoLog log;
    private final PrintStream out;
    private final Parts parts = new Parts();
    private final long begin = System.nanoTime();

    private EmbeddedKafka kafka;
    private EmbeddedConnect connect;
    private EmbeddedDatabase database;
    private App app;
    private volatile CompletableFuture<GuestApps> guests;
    private volatile Map<String, Integer> guestPorts = Map.of();
    private int recountPort;
    private volatile CompletableFuture<ConsoleApp> console;
    private Feed feed;
    private volatile String phase = "";

    /**
     * @param directory where all data is or will be
     * @param log where libraries log to
     * @param out where results are shown
     */
    Demo(DemoProperties properties, Path directory, DemoLog log, PrintStream out) {
        this.properties = properties;
        this.settings = DemoSettings.read(properties.settings());
        this.directory = directory;
        this.log = log;
        this.out = out;
    }

    /** Starts everything and feeds events until there are no more and all of them have been processed. */
    void run() throws InterruptedException {
        feed = feed();
        startServers();
        if (properties.file().isEmpty()) {
            guestPorts = GuestApps.ports();
            recountPort = FreePort.several(1).get(0);
        }
        startConsole();
        startView();
        startGuestApps();
        startRecounts();
        Thread feeding = Thread.currentThread();
        CountDownLatch ended = new CountDownLatch(1);
        parts.start(Parts.Part.FEED, () -> () -> {
            feeding.interrupt();
            ended.await(FEED_PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        });
        try {
            feedEvents();
        } finally {
            ended.countDown();
        }
    }

    /** Stops everything, at any moment and from any thread. */
    @Override
    public void close() {
        parts.close();
    }

    private Feed feed() {
        double speed = properties.speed().orElse(CafeFeed.SPEED);
        if (properties.file().isEmpty()) {
            return new CafeFeed(
                    directory.resolve("cafes-until"), speed, properties.rate().orElse(CafeFeed.RATE));
        }
        return new FileFeed(properties.file().get(), settings.input(), properties.rate(), properties.speed());
    }

    private void startServers() throws InterruptedException {
        say("Starting; libraries log to %s".formatted(log.file()));
        CompletableFuture<EmbeddedDatabase> startedDatabase = parts.startAside(Parts.Part.DATABASE, () -> {
            EmbeddedDatabase starting =
                    EmbeddedDatabase.start(directory.resolve("postgres"), properties.postgresPort());
            starting.migrate();
            return starting;
        });
        kafka = parts.start(
                Parts.Part.BROKER, () -> EmbeddedKafka.start(directory.resolve("kafka"), properties.kafkaPort()));
        say("Kafka is up.");
        CompletableFuture<EmbeddedConnect> startedConnect = parts.startAside(
                Parts.Part.CONNECT, () -> EmbeddedConnect.start(kafka.bootstrapServers(), properties.connectPort()));
        EventSender.createTopics(kafka.bootstrapServers(), inputTopics());
        createCustomers();
        app = parts.start(
                Parts.Part.APP,
                () -> App.start(
                        TotalsApplication.class,
                        properties.settings(),
                        kafka.bootstrapServers(),
                        directory.resolve("streams"),
                        "server.port=" + properties.httpPort()));
        say("The totals app is up.");
        database = Parts.join(startedDatabase);
        say("PostgreSQL is up.");
        connect = Parts.join(startedConnect);
        createDeadLetterTopics();
        connect.install(database);
        failIfHopeless();
        // Sinks of an earlier start look for its database until they are told of this one.
        log.forget();
        say("The sinks are up.");
    }

    /** Guests are few, and each partition costs the apps that read it memory and open files. */
    private Map<String, Integer> inputTopics() {
        Map<String, Integer> topics = new HashMap<>();
        if (properties.file().isEmpty()) {
            CafeGuests.TOPICS.forEach(topic -> topics.put(topic, 1));
            topics.put(CafeCustomers.ACTIVITIES, 1);
        }
        topics.put(settings.input().topic(), PARTITIONS);
        return topics;
    }

    private void createCustomers() throws InterruptedException {
        if (properties.file().isEmpty()) {
            EventSender.createTables(kafka.bootstrapServers(), Map.of(CafeCustomers.CUSTOMERS, 1));
        }
    }

    /** Connect would create them too, but calls that an error. */
    private void createDeadLetterTopics() throws InterruptedException {
        EventSender.createTopics(
                kafka.bootstrapServers(),
                SinkConnector.shipped().stream()
                        .map(sink -> sink.config().get("errors.deadletterqueue.topic.name"))
                        .filter(Objects::nonNull)
                        .distinct()
                        .collect(Collectors.toMap(topic -> topic, topic -> PARTITIONS)));
    }

    /** Aside, because nobody has to wait for them: what is sent meanwhile waits in their topics. */
    private void startGuestApps() {
        if (properties.file().isEmpty()) {
            guests = parts.startAside(
                    Parts.Part.GUEST_APPS,
                    () -> GuestApps.start(kafka.bootstrapServers(), directory.resolve("streams"), guestPorts));
        }
    }

    /** Aside as well; what they find is in the tables. A file is over before there is anything to recount again. */
    private void startRecounts() {
        if (properties.file().isEmpty()) {
            List<Path> pipelines = new ArrayList<>(List.of(properties.settings()));
            pipelines.addAll(GuestApps.recounted());
            parts.startAside(Parts.Part.RECOUNTS, () -> ReconcileApplication.start(recountSettings(pipelines)));
        }
    }

    private String[] recountSettings(List<Path> pipelines) {
        return new String[] {
            "--tidemark.reconcile.every=1m",
            // However far simulated time is behind.
            "--tidemark.reconcile.last=3660d",
            "--tidemark.reconcile.pipelines="
                    + pipelines.stream().map(Path::toString).collect(Collectors.joining(",")),
            "--tidemark.reconcile.directory=" + directory.resolve("recounts"),
            "--spring.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
            "--spring.datasource.url=" + database.jdbcUrl(),
            "--spring.datasource.username=" + database.user(),
            "--spring.datasource.password=" + database.password(),
            "--server.port=" + recountPort,
            App.WITH_DATABASE_ONLY,
            "--spring.main.register-shutdown-hook=false"
        };
    }

    /** Aside, because events need not wait for it. */
    private void startConsole() {
        Map<String, String> actuators = new LinkedHashMap<>();
        actuators.put(settings.pipeline(), app.actuator());
        guestPorts.forEach((pipeline, port) -> actuators.put(pipeline, "http://127.0.0.1:%d/actuator".formatted(port)));
        Map<String, String> others = guestPorts.isEmpty()
                ? Map.of()
                : Map.of(
                        "profiles", GuestApps.profilesUrl(guestPorts),
                        "events", "http://127.0.0.1:%d/events".formatted(recountPort));
        console = parts.startAside(
                Parts.Part.CONSOLE, () -> ConsoleApp.start(database, actuators, others, properties.consolePort()));
        if (!Terminal.isPresent()) {
            console.thenAccept(started -> say("open " + started.url()));
        }
    }

    private void startView() {
        boolean terminal = Terminal.isPresent();
        Results results = new Results(database.dataSource(), settings.pipeline());
        View view = terminal
                ? new TerminalView(out, results, pairPipelines(), this::head, this::troubles)
                : new LineView(out, results, pairPipelines(), this::progress, this::troubles);
        if (!terminal) {
            head().forEach(out::println);
        }
        parts.start(Parts.Part.VIEW, () -> new Refresher(view, terminal ? REFRESH_MILLIS : LINES_MILLIS));
    }

    /** There is nothing to pair in a file. */
    private List<String> pairPipelines() {
        return properties.file().isEmpty() ? GuestApps.PAIRS : List.of();
    }

    private void feedEvents() throws InterruptedException {
        try (EventSender sender =
                new EventSender(kafka.bootstrapServers(), settings.input().topic())) {
            long start = System.nanoTime();
            feed.run(sender);
            if (settings.acceptEndOfInput()) {
                sender.endInput();
            }
            sender.flush();
            phase = "waiting for the app";
            awaitCompletion();
            summarise(sender.sent(), (System.nanoTime() - start) / 1e9);
        }
        if (properties.stay()) {
            out.println("Everything keeps running; press Ctrl-C to stop.");
            out.flush();
            new CountDownLatch(1).await();
        }
    }

    /** The app first, then its own repartitioned topics, then the sinks, so that each finds what the one before made. */
    private void awaitCompletion() throws InterruptedException {
        String group = app.applicationId();
        try (Completion completion = new Completion(kafka.bootstrapServers(), this::failIfHopeless)) {
            completion.await(group, settings.input().topic()::equals);
            completion.await(group, topic -> topic.startsWith(group + "-") && topic.endsWith("-repartition"));
            phase = "waiting for the sinks";
            for (SinkConnector sink : SinkConnector.shipped()) {
                String topic = settings.pipeline() + "-" + sink.name();
                completion.await("connect-" + sink.name(), topic::equals);
            }
        }
    }

    private void failIfHopeless() {
        if (app.hasFailed()) {
            throw new DemoException("The totals app has failed; see its last errors in the log.");
        }
        for (SinkConnector sink : SinkConnector.shipped()) {
            if (connect.state(sink.name()).equals("FAILED")) {
                throw new DemoException(
                        "The sink %s has failed; see its last errors in the log.".formatted(sink.name()));
            }
        }
    }

    private void summarise(long sent, double seconds) throws InterruptedException {
        phase = "done";
        try (Results results = new Results(database.dataSource(), settings.pipeline())) {
            Results.Summary summary = results.summary();
            Ledger ledger = results.ledger();
            parts.stop(Parts.Part.VIEW);
            out.printf(
                    Locale.ROOT,
                    "%n%,d events sent, %,d windows in totals_current, grand total %s%n%s%n%s%n"
                            + "%.1f s from the first event to the last row, %,.0f events/s%n",
                    sent,
                    summary.windows(),
                    summary.total().toPlainString(),
                    ledger.counts(),
                    ledger.amounts(),
                    seconds,
                    sent / seconds);
            out.flush();
        } catch (SQLException e) {
            throw new DemoException("PostgreSQL does not tell the totals: " + e.getMessage(), e);
        }
    }

    private List<String> head() {
        String url = "postgresql://%s:%s@127.0.0.1:%d%s"
                .formatted(
                        database.user(),
                        database.password(),
                        database.port(),
                        database.jdbcUrl().replaceFirst("\\?.*", "").replaceFirst(".*/", "/"));
        List<String> head = new ArrayList<>(List.of(
                "PostgreSQL  psql " + url,
                "Kafka       " + kafka.bootstrapServers(),
                "App         " + app.url(),
                "Feed        " + feed.progress()));
        if (guestPorts.containsKey(GuestApps.PROFILES)) {
            head.add(3, "Profiles    " + GuestApps.profilesUrl(guestPorts) + "/C0001");
        }
        if (console.isDone() && !console.isCompletedExceptionally()) {
            head.add("Console     open " + console.join().url());
        }
        if (!phase.isEmpty()) {
            head.add("            " + phase);
        }
        return head;
    }

    private String progress() {
        return phase.isEmpty() ? feed.progress() : feed.progress() + ", " + phase;
    }

    private List<String> troubles() {
        List<String> troubles = new ArrayList<>();
        if (app.hasFailed()) {
            troubles.add("The totals app has failed.");
        }
        failedGuests().forEach(pipeline -> troubles.add("The app of %s has failed.".formatted(pipeline)));
        if (console.isCompletedExceptionally()) {
            troubles.add("The console has not started.");
        }
        if (log.trouble() != null) {
            troubles.add(log.trouble());
        }
        return troubles;
    }

    private List<String> failedGuests() {
        if (guests == null || !guests.isDone()) {
            return List.of();
        }
        return guests.isCompletedExceptionally()
                ? GuestApps.pipelines()
                : guests.join().failed();
    }

    private void say(String what) {
        out.printf(Locale.ROOT, "%5.1f s  %s%n", (System.nanoTime() - begin) / 1e9, what);
    }
}
