package dev.tidemark.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The files that people deploy agree with one another. */
class DeploymentTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final List<String> APPS = List.of("totals", "pairs", "enrich", "profiles", "reconcile", "console");
    private static final Set<String> BUILT_ELSEWHERE =
            APPS.stream().map(DeploymentTest::jar).collect(Collectors.toSet());
    private static final int CONNECT = 8083;
    private static final Pattern ADDRESS = Pattern.compile("(?<![\\w.@])([a-z]+):(\\d{4,5})");

    private final Map<String, Map<String, Object>> services = services();

    @Test
    void everyImageHasAVersion() {
        services.values()
                .forEach(service -> assertThat(service.get("image").toString()).matches(".+:\\d[\\w.-]*"));
    }

    @Test
    void everyPortIsOpenToThisMachineOnly() {
        List<String> ports = services.values().stream()
                .flatMap(service -> strings(service, "ports").stream())
                .toList();

        assertThat(ports).isNotEmpty().allMatch(port -> port.matches("127\\.0\\.0\\.1:\\d+:\\d+"));
    }

    @Test
    void everyAddressNamesAServiceThatListensThere() {
        Map<String, Set<String>> listening = new HashMap<>(
                Map.of("kafka", Set.of("19092", "19093"), "postgres", Set.of("5432"), "connect", Set.of("" + CONNECT)));
        APPS.forEach(app -> listening.put(app, Set.of(Integer.toString(port(app)))));
        List<String> addresses = new ArrayList<>();
        Matcher found = ADDRESS.matcher(services.toString());
        while (found.find()) {
            addresses.add(found.group());
            assertThat(services).containsKey(found.group(1));
            assertThat(listening.get(found.group(1))).contains(found.group(2));
        }

        assertThat(addresses).contains("kafka:19092", "postgres:5432", "connect:8083");
        assertThat(environment("kafka").get("KAFKA_LISTENERS"))
                .isEqualTo("HOST://:9092,PLAINTEXT://:19092,CONTROLLER://:19093");
    }

    @Test
    void everyServiceWaitsForServicesThatExistAndCanBecomeHealthy() {
        services.values().forEach(service -> map(service.get("depends_on")).forEach((name, how) -> {
            assertThat(services).containsKey(name);
            if (map(how).get("condition").equals("service_healthy")) {
                assertThat(services.get(name)).containsKey("healthcheck");
            }
        }));
    }

    @Test
    void everyMountedFileExists() {
        List<String> files = services.values().stream()
                .flatMap(service -> strings(service, "volumes").stream())
                .map(volume -> volume.split(":")[0])
                .filter(source -> source.startsWith("."))
                .toList();

        assertThat(files).containsAll(BUILT_ELSEWHERE).contains("./deploy/sql", "./deploy/connect");
        assertThat(files)
                .allMatch(file -> BUILT_ELSEWHERE.contains(file)
                        || Files.exists(ROOT.resolve(file).normalize()));
    }

    @Test
    void theConnectorsOfTheDirectoryAreTheShippedOnesAndTheWatchedOnes() throws IOException {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.list(ROOT.resolve("deploy/connect"))) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .forEach(name -> names.add(name.replace(".json", "")));
        }

        assertThat(SinkConnector.shipped()).extracting(SinkConnector::name).containsExactlyInAnyOrderElementsOf(names);
        Matcher watched = Pattern.compile("for connector in ([a-z ]+);")
                .matcher(services.get("connect-watch").toString());
        assertThat(watched.find()).isTrue();
        assertThat(watched.group(1).split(" ")).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void aConnectorReadsTheTopicsOfItsTableInEveryPipelineAndNoOthers() {
        for (SinkConnector connector : SinkConnector.shipped()) {
            String topics = connector.config().get("topics.regex");

            assertThat(connector.config()).containsEntry("collection.name.format", connector.name());
            assertThat(Stream.of(
                                    "totals",
                                    "pairs",
                                    "enriched",
                                    "profiles",
                                    "sessions",
                                    "exceptions",
                                    "ledger",
                                    "dead-letters",
                                    "lateness")
                            .map("sales-"::concat)
                            .filter(topic -> topic.matches(topics)))
                    .containsExactly("sales-" + connector.name());
            assertThat(connector.config().get("errors.deadletterqueue.topic.name"))
                    .doesNotMatch(topics);
        }
    }

    /** A multi-row insert that holds the same key twice is refused by PostgreSQL as a whole, for ever. */
    @Test
    void theSinkWritesOneRowPerStatement() {
        assertThat(environment("connect").get("TIDEMARK_JDBC_URL").toString()).doesNotContain("reWriteBatchedInserts");
        assertThat(SinkConnector.shipped())
                .allMatch(connector -> !connector.config().containsKey("use.reduction.buffer")
                        && !connector.config().containsKey("dialect.postgres.unnest.insert"));
    }

    @Test
    void everyVariableOfAConnectorIsSetAndAllowed() {
        Map<String, Object> environment = environment("connect");
        Set<String> variables = new HashSet<>();
        Matcher found = Pattern.compile("\\$\\{env:(\\w+)}")
                .matcher(SinkConnector.shipped().toString());
        while (found.find()) {
            variables.add(found.group(1));
        }

        assertThat(variables).hasSize(3);
        assertThat(environment).containsKeys(variables.toArray(String[]::new));
        assertThat(variables)
                .allMatch(variable -> variable.matches(environment
                        .get("CONNECT_CONFIG_PROVIDERS_ENV_PARAM_ALLOWLIST_PATTERN")
                        .toString()));
    }

    @Test
    void theSinkReachesTheMigratedDatabase() {
        Map<String, Object> server = environment("postgres");
        Map<String, Object> migrate = environment("migrate");
        Map<String, Object> connect = environment("connect");

        assertThat(migrate)
                .containsEntry("FLYWAY_URL", "jdbc:postgresql://postgres:5432/" + server.get("POSTGRES_DB"))
                .containsEntry("FLYWAY_USER", server.get("POSTGRES_USER"))
                .containsEntry("FLYWAY_PASSWORD", server.get("POSTGRES_PASSWORD"));
        assertThat(connect)
                .containsEntry("TIDEMARK_JDBC_USER", server.get("POSTGRES_USER"))
                .containsEntry("TIDEMARK_JDBC_PASSWORD", server.get("POSTGRES_PASSWORD"));
        assertThat(connect.get("TIDEMARK_JDBC_URL").toString())
                .startsWith(migrate.get("FLYWAY_URL").toString());
    }

    @Test
    void migrationsAreNumberedWithoutGaps() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("deploy/sql"))) {
            List<Integer> numbers = files.map(file -> file.getFileName().toString())
                    .map(name -> {
                        assertThat(name).matches("V\\d+__[a-z_]+\\.sql");
                        return Integer.valueOf(name.substring(1, name.indexOf('_')));
                    })
                    .sorted()
                    .toList();
            for (int i = 0; i < numbers.size(); i++) {
                assertThat(numbers.get(i)).isEqualTo(i + 1);
            }
            assertThat(numbers).isNotEmpty();
        }
    }

    @Test
    void everyAppHasAPortOfItsOwnByDefaultAsTheReadmeSays() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md")).replace('\n', ' ');

        assertThat(APPS)
                .extracting(DeploymentTest::port)
                .doesNotHaveDuplicates()
                .doesNotContain(CONNECT);
        assertThat(APPS).allSatisfy(app -> assertThat(readme)
                .containsPattern("\\b" + app + "( listens on port | on )" + port(app) + "\\b"));
    }

    @Test
    void everyAppRunsFromItsJarAndAnswersThisMachineOnItsPort() {
        for (String app : APPS) {
            assertThat(strings(services.get(app), "volumes")).contains(jar(app) + ":/app/" + app + ".jar:ro");
            assertThat(services.get(app).get("command")).hasToString("[java, -jar, /app/" + app + ".jar]");
            assertThat(strings(services.get(app), "ports")).containsExactly("127.0.0.1:%1$d:%1$d".formatted(port(app)));
        }
        services.forEach((name, service) -> {
            String state = name + "-state:/state";
            boolean streams =
                    environment(name) != null && environment(name).containsKey("SPRING_KAFKA_STREAMS_STATE_DIR");
            assertThat(strings(service, "volumes").contains(state)).as(name).isEqualTo(streams);
        });
    }

    private static String jar(String app) {
        return "./apps/" + app + "/target/" + app + "-0.1.0-SNAPSHOT-app.jar";
    }

    /** Where an app listens unless it is told otherwise. */
    private static int port(String app) {
        Path resources = ROOT.resolve("apps").resolve(app).resolve("src/main/resources");
        Path own = resources.resolve(app + ".yml");
        try (Reader file = Files.newBufferedReader(Files.exists(own) ? own : resources.resolve("application.yml"))) {
            for (Object document : new Yaml().loadAll(file)) {
                if (map(document).get("server") instanceof Map<?, ?> server
                        && server.get("port") instanceof Integer port) {
                    return port;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new AssertionError(app + " has no port of its own");
    }

    private Map<String, Object> environment(String service) {
        return map(services.get(service).get("environment"));
    }

    private static Map<String, Map<String, Object>> services() {
        try (Reader file = Files.newBufferedReader(ROOT.resolve("docker-compose.yml"))) {
            Map<String, Map<String, Map<String, Object>>> compose = new Yaml().load(file);
            return compose.get("services");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<String> strings(Map<String, Object> service, String name) {
        return (List<String>) service.getOrDefault(name, List.of());
    }
}
