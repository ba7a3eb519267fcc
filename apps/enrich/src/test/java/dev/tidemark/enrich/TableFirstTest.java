package dev.tidemark.enrich;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.tidemark.common.AllTasks;
import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.ManualTime;
import dev.tidemark.common.MemoryLog;
import dev.tidemark.common.Rows;
import dev.tidemark.common.TaskFixture;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.StreamsBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What came to the table while the app was stopped is read before any activity is looked up, a late one, too. */
class TableFirstTest {

    private final MemoryLog log = new MemoryLog();
    private final ManualTime time = new ManualTime(Enrich.NOW);
    private long unread = InputPartitions.NOTHING;
    private final AllTasks tasks = new AllTasks(this::build, log, time);
    private final TaskFixture task = tasks.first();

    @BeforeEach
    void stopAtTen() {
        update("tick", "basic", "10:00:00", 0);
        activity("tick", "tick", "10:00:00", 0);
        task.drain();
        task.stop();
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    @Test
    void aLateActivityWaitsForWhatWasSentWhileTheAppWasStopped() {
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

    /** It is judged by the clock with which it came, although that leaps when the table has been read. */
    @Test
    void aLateActivityIsNotTooLateBecauseItHadToWait() {
        update("C1", "gold", "09:00:00", 200);
        update("tick", "basic", "14:00:00", 201);
        activity("A1", "C1", "09:30:00", 100);
        activity("tock", "tick", "14:00:00", 101);
        unread = 2;
        task.start();
        task.drain();
        task.commit();

        assertThat(published()).contains("A1 v1 gold@09:00:00");
        assertThat(Rows.dispositions(rows("what-they-did-exceptions")))
                .filteredOn(text -> text.startsWith("A1 "))
                .singleElement(STRING)
                .startsWith("A1 late v1: ")
                .endsWith(" when the stream time was 2026-07-01T10:00:00.000Z");
    }

    /** More of them than are handed out at once, and no record that follows. */
    @Test
    void veryManyThatWaitedGoOnBitByBit() {
        int many = 25_000;
        for (int i = 0; i < many; i++) {
            activity("A" + i, "C1", "09:%02d:%02d".formatted(10 + i / 60 % 40, i % 60), 100);
        }
        update("C1", "gold", "09:00:00", 200);
        unread = 1;
        task.start();
        task.drain();
        task.commit();
        assertThat(published()).hasSizeBetween(9_000, 11_000);

        for (int i = 0; i < 3; i++) {
            time.advance(Duration.ofMillis(100));
            task.punctuate();
        }
        task.commit();
        assertThat(published())
                .filteredOn(row -> row.endsWith(" v1 gold@09:00:00"))
                .hasSize(many);
    }

    private void build(StreamsBuilder builder) {
        EnrichProperties settings = Enrich.settings("table.history=1h");
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

    private List<JsonNode> rows(String topic) {
        return log.records(topic).stream()
                .map(record -> Rows.json(record.value()))
                .toList();
    }
}
