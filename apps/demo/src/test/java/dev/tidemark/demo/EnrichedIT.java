package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.Completion;
import dev.tidemark.enrich.EnrichApplication;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What the cafés' customers do gets into PostgreSQL with who they were then, with the shipped settings. */
@ExtendWith(Servers.Shared.class)
@Timeout(900)
class EnrichedIT {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant OPENING = Instant.parse("2026-07-01T08:00:00Z");
    private static final Duration PROMPT = Duration.ofSeconds(60);

    private static Servers servers;

    @TempDir
    Path directory;

    private final List<Sending> sent = sent();

    @BeforeAll
    static void use(Servers shared) {
        servers = shared;
    }

    @Test
    void activitiesOfFourHoursHaveThePlanAndTheCountryOfTheirTime() throws InterruptedException {
        EventSender.createTopics(servers.kafka.bootstrapServers(), Map.of(CafeCustomers.ACTIVITIES, 1));
        EventSender.createTables(servers.kafka.bootstrapServers(), Map.of(CafeCustomers.CUSTOMERS, 1));
        send();
        try (App app = App.start(
                        EnrichApplication.class,
                        Path.of("..", "enrich", "settings", "customer-activities.yml"),
                        servers.kafka.bootstrapServers(),
                        directory,
                        "spring.main.web-application-type=none",
                        "tidemark.enrich.accept-end-of-input=true",
                        "tidemark.enrich.idle-after=1h");
                Completion completion =
                        new Completion(servers.kafka.bootstrapServers(), () -> assertThat(app.hasFailed())
                                .isFalse())) {
            completion.await(app.applicationId(), CafeCustomers.ACTIVITIES::equals);
            completion.await(app.applicationId(), CafeCustomers.CUSTOMERS::equals);
        }
        servers.awaitSinks("customer-activities");

        Map<String, String> published = new TreeMap<>();
        servers.rows("select event_id, coalesce(profile ->> 'plan' || '/' || (profile ->> 'country'), 'missing')"
                        + " from enriched_current where pipeline = 'customer-activities'")
                .forEach(row -> published.put(row.substring(0, row.indexOf('|')), row.substring(row.indexOf('|') + 1)));
        Map<String, String> expected = expected();
        assertThat(published.keySet()).isEqualTo(activities().keySet());
        assertThat(expected).hasSizeGreaterThan(published.size() * 9 / 10).containsValue("missing");
        assertThat(published).containsAllEntriesOf(expected);
        assertThat(servers.rows("select difference from ledger_balance where pipeline = 'customer-activities'"))
                .containsExactly("0", "0");
        // Whether any is late depends on how much was read before the table was.
        assertThat(servers.rows("select distinct disposition from exceptions where pipeline = 'customer-activities'"
                        + " order by disposition"))
                .contains("duplicate")
                .isSubsetOf("duplicate", "late");
    }

    private void send() {
        try (EventSender sender = new EventSender(servers.kafka.bootstrapServers(), CafeCustomers.ACTIVITIES)) {
            for (Sending sending : sent) {
                byte[] value = sending.value() == null ? null : sending.value().getBytes(StandardCharsets.UTF_8);
                sender.send(sending.topic(), sending.key(), value, sending.time());
            }
            sender.endInput();
        }
        try (EventSender sender = new EventSender(servers.kafka.bootstrapServers(), CafeCustomers.CUSTOMERS)) {
            sender.endInput();
        }
    }

    /** Of the activities of customers of whom no record was sent late, what the last record before each said. */
    private Map<String, String> expected() {
        Map<String, TreeMap<Long, String>> profiles = new HashMap<>();
        Set<String> late = new HashSet<>();
        for (Sending sending : sent) {
            if (sending.topic().equals(CafeCustomers.CUSTOMERS)) {
                long time =
                        sending.value() == null ? sending.time() : time(JSON.readTree(sending.value()), "updated_at");
                TreeMap<Long, String> known = profiles.computeIfAbsent(sending.key(), key -> new TreeMap<>());
                if (!known.containsKey(time) && sending.time() - time > PROMPT.toMillis()) {
                    late.add(sending.key());
                }
                known.put(time, profile(sending.value()));
            }
        }
        Map<String, String> expected = new TreeMap<>();
        activities().forEach((id, activity) -> {
            String customer = activity.get("customer_id").asString();
            if (!late.contains(customer)) {
                Map.Entry<Long, String> then =
                        profiles.getOrDefault(customer, new TreeMap<>()).floorEntry(time(activity, "at"));
                expected.put(id, then == null ? "missing" : then.getValue());
            }
        });
        return expected;
    }

    private static String profile(String value) {
        if (value == null) {
            return "missing";
        }
        JsonNode json = JSON.readTree(value);
        return json.get("plan").asString() + "/" + json.get("country").asString();
    }

    private Map<String, JsonNode> activities() {
        Map<String, JsonNode> activities = new TreeMap<>();
        for (Sending sending : sent) {
            if (sending.topic().equals(CafeCustomers.ACTIVITIES)) {
                JsonNode json = JSON.readTree(sending.value());
                activities.put(json.get("activity_id").asString(), json);
            }
        }
        return activities;
    }

    private static long time(JsonNode json, String field) {
        return Instant.parse(json.get(field).asString()).toEpochMilli();
    }

    private static List<Sending> sent() {
        CafeChain chain = new CafeChain(7, OPENING, Duration.ofSeconds(2));
        Instant end = OPENING.plus(Duration.ofHours(4));
        return Stream.generate(chain::next)
                .takeWhile(sending -> sending.time() < end.toEpochMilli())
                .filter(sending -> sending.topic().equals(CafeCustomers.CUSTOMERS)
                        || sending.topic().equals(CafeCustomers.ACTIVITIES))
                .toList();
    }
}
