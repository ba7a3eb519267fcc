package dev.tidemark.profiles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;

/** What instances say of keys over HTTP: the row, that there is none, or that it cannot be told now; never anything else. */
class LookupIT {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
    private static final int PARTITIONS = 4;
    private static final int LARGEST = 512 * 1024;

    @TempDir
    static Path directory;

    private static Broker broker;

    @BeforeAll
    static void startBroker() {
        broker = new Broker(directory.resolve("kafka"));
    }

    @AfterAll
    static void stopBroker() throws IOException {
        broker.close();
    }

    @Test
    void anyKeyIsFoundByItsPathAndAnUnknownOneIsNot() throws IOException {
        List<String> keys = List.of("C1", "a/b", "100%", "é-Ω-日本 😀", "..", "a\\b;c?d#e", "a+b c", "%2F");
        broker.createInputs("odd", 1, 1);
        keys.forEach(key ->
                broker.activity("odd", "a" + key.hashCode(), key.replace("\\", "\\\\"), "visit", "1.00", "10:00:00"));
        broker.customer("odd", "C1", "gold", "09:00:00");
        broker.topics().producer().flush();
        try (ConfigurableApplicationContext app = Broker.start(broker.settings("odd", directory.resolve("odd")))) {
            Lookup lookup = new Lookup(Integer.parseInt(app.getEnvironment().getProperty("local.server.port")));
            await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
                for (String key : keys) {
                    HttpResponse<String> answer = lookup.get(key);
                    assertThat(answer.statusCode()).as(key).isEqualTo(200);
                    assertThat(Customers.json(answer.body()).get("key").asString())
                            .isEqualTo(key);
                }
                assertThat(lookup.get("C1").body()).contains("gold");
            });

            assertThat(lookup.ask("/profiles?key=a%2Fb").body())
                    .isEqualTo(lookup.get("a/b").body());
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.topics().read("odd-profiles"))
                            .contains(lookup.get("C1").body()));
            for (String unknown : List.of("C2", "a", "a%2Fb", "../C1", " ")) {
                HttpResponse<String> answer = lookup.get(unknown);
                assertThat(answer.statusCode()).as(unknown).isEqualTo(404);
                assertThat(Customers.json(answer.body()).get("detail").asString())
                        .isEqualTo("there is no profile with this key");
            }
            assertThat(lookup.get("C1").headers().firstValue("Tidemark-Application"))
                    .contains("odd-profiles");
            for (String none : List.of("/profiles/", "/profiles?key=", "/profiles")) {
                HttpResponse<String> answer = lookup.ask(none);
                assertThat(answer.statusCode()).as(none).isEqualTo(400);
                assertThat(Customers.json(answer.body()).get("detail").asString())
                        .isEqualTo("there is no key");
            }
            assertThat(lookup.ask("/profiles/%E9").statusCode()).isEqualTo(400);
            assertThat(lookup.ask("/profiles?key=C1&partitions=").statusCode()).isEqualTo(400);
            HttpResponse<String> elsewhere = lookup.ask("/profiles?key=C1&partitions=77");
            assertThat(elsewhere.statusCode()).isEqualTo(503);
            assertThat(elsewhere.headers().firstValue("Retry-After")).contains("1");
        }
    }

    /** What is longer as a text within the row than it is in its record, up to the last byte that is read. */
    @Test
    void theLargestProfileMakesARowWhateverItConsistsOf() {
        broker.createInputs("large", 1, 1);
        List<String> fills =
                List.of("\\\"", "\\\\", "\\u0001", "\\u0000", "\\n", "\u007f", "é", "\ud83d\ude00", "\ufffd");
        for (int i = 0; i < fills.size(); i++) {
            String profile = Customers.customerJson("C" + i, "gold", "09:00:00");
            broker.topics().producer().send(new ProducerRecord<>("large-c", "C" + i, filled(profile, fills.get(i))));
            broker.activity("large", "a" + i, "C" + i, "visit", "1.00", "10:00:00");
        }
        broker.topics().producer().flush();
        Map<String, String> settings = broker.settings(
                "large",
                directory.resolve("large"),
                // Otherwise the broker measures what compression makes of it.
                "spring.kafka.streams.properties.producer.compression.type=none");
        try (ConfigurableApplicationContext app = Broker.start(settings)) {
            Lookup lookup = new Lookup(Integer.parseInt(app.getEnvironment().getProperty("local.server.port")));
            // There may be a row before its profile has come.
            await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
                Map<String, String> rows = broker.topics().readLatest("large-profiles");
                assertThat(rows).hasSize(fills.size());
                assertThat(rows.values()).allSatisfy(row -> {
                    JsonNode published = Customers.json(row);
                    assertThat(published.get("count").intValue()).isEqualTo(1);
                    assertThat(Customers.json(published.get("profile").asString())
                                    .get("plan")
                                    .asString())
                            .isEqualTo("gold");
                });
                assertThat(rows.values())
                        .anyMatch(row -> row.getBytes(StandardCharsets.UTF_8).length > 2 * LARGEST - 1_000)
                        .contains(lookup.get("C0").body());
            });
        }
    }

    /** JSON that is as large as can be, because the name begins with many of the same. */
    private static String filled(String json, String fill) {
        int room = LARGEST - json.getBytes(StandardCharsets.UTF_8).length;
        int bytes = fill.getBytes(StandardCharsets.UTF_8).length;
        String before = "\"name\":\"";
        return json.replace(before, before + fill.repeat(room / bytes) + "x".repeat(room % bytes));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whileAnInstanceIsKilledAndComesBackNoAnswerIsWrong(boolean partitionedByKey) throws IOException {
        String pipeline = "killed-" + partitionedByKey;
        List<String> keys =
                IntStream.range(0, 40).mapToObj(i -> "customer/%é 日本 " + i).toList();
        broker.createInputs(pipeline, PARTITIONS, partitionedByKey ? PARTITIONS : 1);
        for (int i = 0; i < keys.size(); i++) {
            for (int n = 0; n <= i; n++) {
                broker.activity(pipeline, "a" + i + "-" + n, keys.get(i), "purchase", "1.00", "10:00:00");
            }
        }
        broker.topics().producer().flush();
        AppProcess one = start(pipeline, "one", partitionedByKey);
        AppProcess two = start(pipeline, "two", partitionedByKey);
        try {
            Lookup survivor = new Lookup(portOf(one));
            Lookup victim = new Lookup(portOf(two));
            await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
                assertThat(answers(survivor, keys)).containsOnly("right");
                assertThat(answers(victim, keys)).containsOnly("right");
                assertThat(IntStream.range(0, PARTITIONS).filter(p -> has(survivor, p)))
                        .as("partitions of the one")
                        .hasSizeBetween(1, PARTITIONS - 1);
            });

            two.kill();
            List<String> seen = new ArrayList<>();
            try (Stranger stranger = new Stranger(victim.port())) {
                await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(() -> {
                    List<String> round = answers(survivor, keys);
                    seen.addAll(round);
                    return round.stream().allMatch("right"::equals);
                });
                assertThat(stranger.asked()).isGreaterThan(1);
            }
            assertThat(seen).containsOnly("right", "not now").contains("not now");

            seen.clear();
            two = start(pipeline, "two", partitionedByKey);
            Lookup returning = new Lookup(portOf(two));
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(() -> {
                boolean shared = IntStream.range(0, PARTITIONS).anyMatch(p -> has(returning, p));
                List<String> round = answers(survivor, keys);
                round.addAll(answers(returning, keys));
                seen.addAll(round);
                return shared && round.stream().allMatch("right"::equals);
            });
            assertThat(seen).contains("right").isSubsetOf("right", "not now");
        } finally {
            one.close();
            two.close();
        }
    }

    private static AppProcess start(String pipeline, String name, boolean partitionedByKey) {
        return AppProcess.start(
                Path.of(""),
                broker.settings(
                        pipeline,
                        directory.resolve(pipeline).resolve(name),
                        "tidemark.profiles.input.partitioned-by-key=" + partitionedByKey,
                        "tidemark.profiles.table.partitioned-by-key=" + partitionedByKey,
                        "spring.kafka.streams.properties.num.stream.threads=1",
                        "spring.kafka.streams.properties.consumer.session.timeout.ms=6000"),
                directory.resolve("processes"));
    }

    private static int portOf(AppProcess app) {
        return await().atMost(PATIENCE)
                .until(
                        () -> {
                            Matcher port = PORT.matcher(app.output());
                            return port.find() ? Integer.parseInt(port.group(1)) : 0;
                        },
                        port -> port > 0);
    }

    private static boolean has(Lookup instance, int partition) {
        try {
            return instance.has(partition);
        } catch (IOException e) {
            return false;
        }
    }

    /** What is said of each key: right, not now, or what else it was. */
    private static List<String> answers(Lookup instance, List<String> keys) throws IOException {
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            HttpResponse<String> answer = instance.get(keys.get(i));
            if (answer.statusCode() == 503) {
                answers.add("not now");
            } else if (answer.statusCode() == 200 && isRight(Customers.json(answer.body()), keys.get(i), i + 1)) {
                answers.add("right");
            } else {
                answers.add(answer.statusCode() + " " + answer.body());
            }
        }
        return answers;
    }

    private static boolean isRight(JsonNode row, String key, int count) {
        return row.get("key").asString().equals(key)
                && row.get("count").intValue() == count
                && row.get("amount").decimalValue().intValueExact() == count;
    }
}
