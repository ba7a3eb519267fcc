package dev.tidemark.embedded;

import static dev.tidemark.embedded.ResultRows.enriched;
import static dev.tidemark.embedded.ResultRows.profile;
import static dev.tidemark.embedded.ResultRows.profileKey;
import static dev.tidemark.embedded.ResultRows.session;
import static dev.tidemark.embedded.ResultRows.total;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Fifty rows at once, of which somebody else than an app wrote some that no table can hold, and a database that takes
 * nothing for a while.
 */
class UnwritableRowIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String SIXTY_DIGITS = "1234567890".repeat(6) + ".05";
    private static final int REFUSED = 17;
    private static final int INCOMPLETE = 40;

    private static final String ENDED = "select pg_terminate_backend(pid) from pg_stat_activity"
            + " where usename = 'tidemark' and pid <> pg_backend_pid()";

    @TempDir
    private static Path directory;

    private static Servers servers;

    @BeforeAll
    static void start() throws Exception {
        servers = Servers.start(directory);
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    /**
     * What no converter can make a row of is a dead letter. What PostgreSQL refuses stops the sink of its table, and
     * nobody else's, until its offset is skipped as the guide says. No neighbour is lost.
     */
    @ParameterizedTest
    @ValueSource(strings = {"totals", "profiles", "sessions", "enriched"})
    void ofFiftyRowsAllThatATableCanHoldAreWritten(String table) throws Exception {
        TopicPartition partition = new TopicPartition("sales-" + table, 0);
        long first = servers.written(partition.topic());
        long deadLetters = servers.written("tidemark-sink-dead-letters");
        servers.write(IntStream.rangeClosed(1, 50)
                .mapToObj(number -> row(table, number))
                .toList());
        await().atMost(PATIENCE).until(() -> servers.connect.state(table).equals("FAILED"));
        assertThat(servers.connect.state("ledger")).isEqualTo("RUNNING");

        SinkConnector connector = shipped(table);
        servers.connect.install(connector.with("consumer.override.max.poll.records", "1"));
        await().atMost(PATIENCE).until(() -> servers.committed(table) == first + REFUSED - 1);
        servers.connect.goOnAt(table, partition, first + REFUSED);
        servers.connect.install(connector);

        await().atMost(PATIENCE).until(() -> servers.caughtUp(table));
        assertThat(servers.rows("select key from " + table + " where key like 'row %' order by key"))
                .isEqualTo(IntStream.rangeClosed(1, 50)
                        .filter(number -> number != REFUSED && number != INCOMPLETE)
                        .mapToObj(UnwritableRowIT::key)
                        .toList());
        assertThat(servers.written("tidemark-sink-dead-letters")).isGreaterThan(deadLetters);
        assertThat(servers.deadLetters()
                        .subList((int) deadLetters, servers.deadLetters().size()))
                .containsOnly(partition.topic() + "/" + (first + INCOMPLETE - 1));
        if (!table.equals("enriched")) {
            String amount = table.equals("totals") ? "total" : "amount";
            assertThat(servers.rows("select " + amount + " from " + table + " where key = 'row 30'"))
                    .containsExactly(SIXTY_DIGITS);
        }
    }

    @Test
    void whileTheDatabaseTakesNothingNoRowIsADeadLetterAndNoOffsetMoves() throws Exception {
        servers.write("sales-profiles", profileKey("changed"), profile("changed", 1, "1.00", "null"));
        servers.write("sales-profiles", profileKey("deleted"), profile("deleted", 1, "1.00", "null"));
        servers.write("sales-sessions", session("before", "10:00", 1, "final", 1, "1.00", "null"));
        servers.write("sales-enriched", enriched("before", 1, null, "{}"));
        List<String> sinks = List.of("profiles", "sessions", "enriched");
        await().atMost(PATIENCE).until(() -> sinks.stream().allMatch(servers::caughtUp));
        long deadLetters = servers.written("tidemark-sink-dead-letters");
        List<Long> offsets = sinks.stream().map(servers::committed).toList();

        servers.execute("alter database tidemark set default_transaction_read_only to on", ENDED);
        servers.write("sales-profiles", profileKey("changed"), profile("changed", 2, "2.00", "null"));
        servers.write("sales-profiles", profileKey("deleted"), null);
        servers.write("sales-profiles", profileKey("new"), profile("new", 1, "3.00", "null"));
        servers.write("sales-sessions", session("during", "10:00", 1, "final", 1, "2.00", "null"));
        servers.write("sales-enriched", enriched("during", 1, null, "{}"));
        sinks.forEach(sink -> await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50)) // it is started again every second
                .until(() -> servers.connect.state(sink).equals("FAILED")));
        assertThat(sinks.stream().map(servers::committed).toList()).isEqualTo(offsets);
        servers.execute("begin read write; alter database tidemark reset default_transaction_read_only; commit", ENDED);

        await().atMost(PATIENCE).until(() -> sinks.stream().allMatch(servers::caughtUp));
        assertThat(servers.rows("select key, revision, amount from profiles where key in ('changed', 'deleted', 'new')"
                        + " order by key"))
                .containsExactly("changed|2|2.00", "new|1|3.00");
        assertThat(servers.rows("select key, amount from sessions where key in ('before', 'during') order by key"))
                .containsExactly("before|1.00", "during|2.00");
        assertThat(servers.rows(
                        "select event_id from enriched where event_id in ('before', 'during') order by event_id"))
                .containsExactly("before", "during");
        assertThat(servers.written("tidemark-sink-dead-letters")).isEqualTo(deadLetters);
        await().atMost(PATIENCE).until(() -> sinks.stream()
                .allMatch(sink -> servers.connect.state(sink).equals("RUNNING")));
    }

    private static SinkConnector shipped(String table) {
        return SinkConnector.shipped().stream()
                .filter(connector -> connector.name().equals(table))
                .findFirst()
                .orElseThrow()
                .writingTo(servers.database);
    }

    private static String key(int number) {
        return "row %02d".formatted(number);
    }

    private static ProducerRecord<String, String> row(String table, int number) {
        String amount = number == 30 ? SIXTY_DIGITS : "1.00";
        String row =
                switch (table) {
                    case "totals" -> total(key(number), 1, amount);
                    case "profiles" -> profile(key(number), 1, amount, "null");
                    case "sessions" -> session(key(number), "10:00", 1, "final", 1, amount, "null");
                    default ->
                        enriched("A" + number, 1, null, "{}")
                                .replace("\"key\":\"C1\"", "\"key\":\"" + key(number) + "\"");
                };
        String recordKey = table.equals("profiles") ? profileKey(key(number)) : null;
        if (number == REFUSED) {
            return new ProducerRecord<>("sales-" + table, recordKey == null ? null : withNul(recordKey), withNul(row));
        }
        return new ProducerRecord<>(
                "sales-" + table, recordKey, number == INCOMPLETE ? row.replace("\"7f3a9c21\"", "null") : row);
    }

    private static String withNul(String row) {
        return row.replace("row ", "row \\u0000");
    }
}
