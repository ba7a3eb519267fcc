package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.JsonRow;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.RecordMetadata;
import tools.jackson.databind.JsonNode;

/**
 * Sales of many stores that keep coming, each a second of event time after the one before, so that windows close all the
 * time and none of the sales is late. The input topic has the pipeline's name.
 */
final class SteadySales implements AutoCloseable {

    static final int PARTITIONS = 4;
    /** The windows that the sales are meant for. */
    static final String[] SETTINGS = {
        "tidemark.totals.window.size=1m",
        "tidemark.totals.grace=10s",
        "tidemark.totals.idle-after=1h" // only sales move the clock
    };

    private static final Duration PATIENCE = Duration.ofMinutes(6);
    private static final int STORES = 20;
    private static final int PER_SECOND = 200;
    private static final long WINDOW = 60_000;
    private static final Instant START = Instant.parse("2026-07-01T00:00:00Z");

    private final Broker broker;
    private final String pipeline;
    private final Map<String, BigDecimal> totals = new TreeMap<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final ScheduledFuture<?> sending;
    private final List<Future<RecordMetadata>> records = new ArrayList<>();
    private volatile int sent;

    SteadySales(Broker broker, String pipeline) {
        this.broker = broker;
        this.pipeline = pipeline;
        broker.createTopic(pipeline, PARTITIONS);
        sending = thread.scheduleAtFixedRate(this::send, 0, 1_000_000 / PER_SECOND, TimeUnit.MICROSECONDS);
    }

    private void send() {
        String store = "S" + sent * 7 % STORES;
        Instant time = START.plusSeconds(sent);
        BigDecimal amount = BigDecimal.valueOf(sent % 100, 2);
        records.add(broker.sendLater(
                pipeline,
                store,
                "{\"event_id\":\"e%d\",\"store_id\":\"%s\",\"event_time\":\"%s\",\"amount\":%s}"
                        .formatted(sent, store, time, amount)));
        String start = JsonRow.timeText(time.toEpochMilli() / WINDOW * WINDOW);
        totals.merge(store + " " + start, amount, BigDecimal::add);
        sent = records.size();
    }

    /** Waits until all that has been sent so far has been processed. */
    void awaitProcessed() {
        int now = sent;
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> broker.processed(pipeline, pipeline) > now);
    }

    /** Ends the input, and waits until each window has its one final, which is right, and each sale is accounted for. */
    void endAndAssertTotals() {
        stop();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            broker.endInput(pipeline, partition);
        }
        List<String> expected = new ArrayList<>();
        totals.forEach((window, total) -> expected.add(window + " v1 " + total));

        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).untilAsserted(() -> assertThat(published())
                .hasSizeGreaterThanOrEqualTo(expected.size()));

        assertThat(published()).isEqualTo(expected);
        assertThat(broker.read(pipeline + "-exceptions")).isEmpty();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(ledger()).isEqualTo(Map.of("received", sent, "counted", sent)));
        assertThat(published()).as("nothing more since").isEqualTo(expected);
    }

    private void stop() {
        assertThat(sending.cancel(false)).as("sales were still coming").isTrue();
        thread.shutdown();
        try {
            assertThat(thread.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        Broker.await(records);
    }

    private List<String> published() {
        return broker.read(pipeline + "-totals").stream()
                .map(Totals::json)
                .filter(row -> row.get("version").intValue() > 0)
                .map(row -> row.get("key").asString() + " "
                        + row.get("window_start").asString() + " v" + row.get("version") + " " + row.get("total"))
                .sorted()
                .toList();
    }

    /** The sums over all partitions of the latest counts that are not zero. */
    private Map<String, Integer> ledger() {
        Map<Integer, JsonNode> latest = new LinkedHashMap<>();
        broker.read(pipeline + "-ledger").stream()
                .map(Totals::json)
                .forEach(row -> latest.put(row.get("source_partition").intValue(), row));
        Map<String, Integer> sums = new TreeMap<>();
        for (JsonNode row : latest.values()) {
            for (String count : List.of("received", "counted", "late", "duplicate")) {
                if (row.get(count).intValue() > 0) {
                    sums.merge(count, row.get(count).intValue(), Integer::sum);
                }
            }
        }
        return sums;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
