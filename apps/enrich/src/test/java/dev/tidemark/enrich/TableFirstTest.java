package dev.tidemark.enrich;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.AllTasks;
import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.Rows;
import dev.tidemark.common.TaskFixture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.StreamsBuilder;
import org.junit.jupiter.api.Test;

/** What came to the table while the app was stopped is read before any activity is looked up, a late one, too. */
class TableFirstTest {

    private final MemoryLog log = new MemoryLog();
    private final ManualTime time = new ManualTime(Enrich.NOW);
    private long unread = InputPartitions.NOTHING;

    @Test
    void aLateActivityWaitsForWhatWasSentWhileTheAppWasStopped() {
        try (AllTasks tasks = new AllTasks(this::build, log, time)) {
            TaskFixture task = tasks.first();
            update("tick", "basic", "10:00:00", 0);
            activity("tick", "tick", "10:00:00", 0);
            task.drain();
            task.stop();

            update("C1", "gold", "09:54:00", 200);
            activity("A1", "C1", "09:54:30", 100); // read first, because it is older
            unread = 1;
            task.start();
            task.process();
            task.commit();
            task.crash();
            assertThat(published()).noneMatch(row -> row.startsWith("A1"));

            task.drain();
            task.commit();
            assertThat(published()).contains("A1 v1 gold@09:54:00");
            Rows.assertLedgerBalances(rows("what-they-did-ledger"), 4);
        }
    }

    private void build(StreamsBuilder builder) {
        EnrichProperties settings = Enrich.settings();
        InputPartitions partitions = Enrich.partitions(settings, 1);
        partitions.askForUnread(
                partition -> CompletableFuture.completedFuture(
                        partition.topic().equals("customers") ? unread : InputPartitions.NOTHING),
                0);
        new EnrichTopology(settings, partitions, new SimpleMeterRegistry()).build(builder);
    }

    private void update(String customer, String plan, String from, long millis) {
        append("customers", customer, Enrich.customerJson(customer, plan, from), millis);
    }

    private void activity(String id, String customer, String at, long millis) {
        append("activities", null, Enrich.activityJson(id, customer, at), millis);
    }

    private void append(String topic, String key, String value, long millis) {
        byte[] bytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
        Instant timestamp = Enrich.NOW.plusMillis(millis);
        log.append(topic, 0, bytes, value.getBytes(StandardCharsets.UTF_8), new RecordHeaders(), timestamp);
    }

    private List<String> published() {
        return rows("what-they-did-enriched").stream().map(Enrich::brief).toList();
    }

    private List<tools.jackson.databind.JsonNode> rows(String topic) {
        return log.records(topic).stream()
                .map(record -> Rows.json(record.value()))
                .toList();
    }
}
