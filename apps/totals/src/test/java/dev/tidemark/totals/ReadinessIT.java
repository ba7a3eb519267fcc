package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.Health;
import dev.tidemark.common.JsonRow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.LagInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;
import org.springframework.util.FileSystemUtils;

/** An app says that it is ready only while it works. */
class ReadinessIT {

    private static final Duration PATIENCE = Duration.ofMinutes(6);

    @TempDir
    static Path directory;

    private static Broker broker;

    @BeforeAll
    static void startBroker() {
        broker = new Broker(directory.resolve("kafka"), Map.of("group.min.session.timeout.ms", "1000"));
    }

    @AfterAll
    static void stopBroker() throws IOException {
        broker.close();
    }

    private static Health healthOf(ConfigurableApplicationContext app) {
        return new Health(((WebServerApplicationContext) app).getWebServer().getPort());
    }

    /**
     * What was seen at about the same time.
     *
     * @param lagBefore records that were still to be restored before the app was asked
     * @param ready what it said
     * @param lagAfter records that were still to be restored afterwards
     */
    private record Sample(long lagBefore, boolean ready, long lagAfter) {}

    @Test
    void anAppIsNotReadyBeforeAllItsStateIsRestored() throws IOException {
        int count = 30_000;
        broker.createTopic("restored", 1);
        List<Future<RecordMetadata>> sales = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String time = JsonRow.timeText(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli() + i * 60_000L);
            sales.add(broker.sendLater(
                    "restored",
                    "A",
                    "{\"event_id\":\"e%d\",\"store_id\":\"A\",\"event_time\":\"%s\",\"amount\":1}".formatted(i, time)));
        }
        Broker.await(sales);
        String[] settings = {"tidemark.totals.window.size=1m", "tidemark.totals.correct-until=366d"};
        Path state = directory.resolve("restored");
        Broker.whileRunning(broker.settings("restored", state, settings), () -> await().atMost(PATIENCE)
                .until(() -> broker.processed("restored", "restored") == count));
        FileSystemUtils.deleteRecursively(state);

        ConfigurableApplicationContext app = Broker.start(broker.settings("restored", state, settings));
        try {
            Health health = healthOf(app);
            KafkaStreams streams = app.getBean(StreamsBuilderFactoryBean.class).getKafkaStreams();
            List<Sample> samples = new ArrayList<>();
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(() -> {
                Sample sample = new Sample(lag(streams), health.isReady(), lag(streams));
                samples.add(sample);
                return sample.ready;
            });

            assertThat(samples).anyMatch(sample -> sample.lagBefore > 0 && !sample.ready);
            assertThat(samples).noneMatch(sample -> sample.ready && sample.lagAfter > 0);
            broker.send(
                    "restored",
                    "A",
                    "{\"event_id\":\"late\",\"store_id\":\"A\",\"event_time\":\"2026-01-01T00:00:30Z\",\"amount\":1}");
            await().atMost(PATIENCE)
                    .until(() -> broker.published("restored").stream().anyMatch("00:00 v2 2.00"::equals));
        } finally {
            app.close();
        }
    }

    private static long lag(KafkaStreams streams) {
        return streams.allLocalStorePartitionLags().values().stream()
                .flatMap(partitions -> partitions.values().stream())
                .mapToLong(LagInfo::offsetLag)
                .sum();
    }

    @Test
    void anAppWhoseThreadIsBlockedIsNotReadyUntilItGoesOn() {
        broker.createTopic("blocked", 1);
        ConfigurableApplicationContext app = Broker.start(broker.settings(
                "blocked",
                directory.resolve("blocked"),
                "spring.kafka.streams.properties.num.stream.threads=1",
                "spring.kafka.streams.properties.consumer.session.timeout.ms=3000",
                "spring.kafka.streams.properties.consumer.heartbeat.interval.ms=500",
                "spring.kafka.streams.properties.main.consumer.max.poll.interval.ms=3000",
                "spring.kafka.streams.properties.main.consumer.interceptor.classes=" + Gate.class.getName()));
        try {
            Health health = healthOf(app);
            await().atMost(PATIENCE).until(health::isReady);

            broker.sale("blocked", "blocking", "10:01:00", "1.50");
            await().atMost(PATIENCE).until(() -> !health.isReady());
            assertThat(health.isAlive()).isTrue();
            Gate.OPEN.countDown();

            await().atMost(PATIENCE).until(health::isReady);
            broker.sale("blocked", "e2", "10:16:00", "1.50");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(broker.published("blocked")).containsExactly("10:00 v1 1.50"));
        } finally {
            Gate.OPEN.countDown();
            app.close();
        }
    }

    /** Holds the thread that has read a certain sale until it is opened. */
    public static final class Gate implements ConsumerInterceptor<byte[], byte[]> {

        private static final CountDownLatch OPEN = new CountDownLatch(1);

        @Override
        public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
            records.forEach(record -> {
                if (new String(record.value(), StandardCharsets.UTF_8).contains("blocking")) {
                    awaitOpen();
                }
            });
            return records;
        }

        private static void awaitOpen() {
            try {
                OPEN.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

        @Override
        public void configure(Map<String, ?> settings) {}

        @Override
        public void close() {}
    }
}
