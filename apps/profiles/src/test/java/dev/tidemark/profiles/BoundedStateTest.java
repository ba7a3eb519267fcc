package dev.tidemark.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What is kept is bounded by the number of keys and, of sessions, by how long they may still change. */
class BoundedStateTest {

    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");
    private static final int KEYS = 3;

    @TempDir
    Path state;

    /** Sessions may change for an hour, which is as nothing beside the days. */
    @Test
    void manyDaysLeaveNoMoreThanAFewOfThem() {
        try (Customers customers = new Customers(state, "correct-until=1h")) {
            List<Map<String, Integer>> sizes = new ArrayList<>();
            for (int day = 0; day <= 30; day++) {
                for (int i = 0; i < 4 * KEYS; i++) {
                    String customer = "C" + i % KEYS;
                    String time = START.plusSeconds(86_400L * day + 3_600L * i).toString();
                    customers.buy("a" + day + "-" + i, customer, "1.00", time);
                    if (i < KEYS) {
                        customers.customer(customer, "plan" + day, time);
                    }
                }
                if (day == 10 || day == 30) {
                    sizes.add(sizes(customers));
                }
            }

            assertThat(sizes.get(1)).isEqualTo(sizes.get(0));
            assertThat(sizes.get(0))
                    .containsEntry("statistics", KEYS)
                    .containsEntry("profiles", KEYS)
                    // The ends of the day and of the week, and the next of both.
                    .hasEntrySatisfying("days-to-turn", size -> assertThat(size).isLessThanOrEqualTo(4 * KEYS))
                    // Four a day and key.
                    .hasEntrySatisfying(
                            "published-sessions", size -> assertThat(size).isBetween(1, 4 * KEYS * 4))
                    .hasEntrySatisfying(
                            "remembered sessions", size -> assertThat(size).isBetween(KEYS, 3 * KEYS))
                    .allSatisfy((store, size) -> assertThat(size).as(store).isLessThan(200));
        }
    }

    /** What is known of a key does not grow with its events, nor with its sessions beyond those that may change. */
    @Test
    void twentyThousandEventsOfAKeyAreKnownByTheLastOfThem() {
        int events = 20_000;
        try (Customers customers = new Customers(Path.of(""), "correct-until=1h")) {
            for (int i = 0; i < events; i++) {
                long sessions = i / 100;
                String time = START.plusSeconds(10L * i + 3_600L * sessions).toString();
                customers.buy("a" + i, "C1", "1.00", time);
            }

            JsonNode row = customers.row("C1");
            assertThat(row.get("count").intValue()).isEqualTo(events);
            assertThat(row.get("amount").toString()).isEqualTo("20000.00");
            assertThat(row.get("session_count").intValue()).isEqualTo(100);
            assertThat(customers.sessions())
                    .hasSize(events / 100 - 1)
                    .allMatch(session -> session.endsWith(" 100 100.00"));
            KeyValueStore<String, ValueAndTimestamp<Statistics>> statistics =
                    customers.fixture().driver().getTimestampedKeyValueStore(ProfilesTopology.STATISTICS);
            byte[] known = Statistics.serde()
                    .serializer()
                    .serialize("", statistics.get("C1").value());
            assertThat(known).hasSizeLessThan(600);
            assertThat(sizes(customers).get("published-sessions")).isLessThan(100);
        }
    }

    /** How many entries can be read from each store, and how many sessions the statistics remember. */
    private static Map<String, Integer> sizes(Customers customers) {
        Map<String, Integer> sizes = customers.fixture().sizes();
        int remembered = 0;
        KeyValueStore<String, ValueAndTimestamp<Statistics>> statistics =
                customers.fixture().driver().getTimestampedKeyValueStore(ProfilesTopology.STATISTICS);
        try (KeyValueIterator<String, ValueAndTimestamp<Statistics>> all = statistics.all()) {
            while (all.hasNext()) {
                KeyValue<String, ValueAndTimestamp<Statistics>> next = all.next();
                remembered += next.value.value().spans().live().size();
            }
        }
        sizes.put("remembered sessions", remembered);
        return sizes;
    }
}
