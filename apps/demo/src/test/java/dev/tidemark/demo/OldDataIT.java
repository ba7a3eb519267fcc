package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.ReferenceData;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVRecord;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Events of years ago, replayed today: neither the broker nor the app takes them for expired. */
@ExtendWith(Servers.Shared.class)
@Timeout(900)
class OldDataIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Path RETAIL = Path.of("settings", "online-retail.yml");
    private static final Instant LONG_AGO = Instant.parse("2011-11-01T00:00:00Z");

    private static Servers servers;

    @BeforeAll
    static void use(Servers shared) {
        servers = shared;
    }

    @Test
    void nothingIsLostWhenTheStateIsDeletedInTheMiddle() throws Exception {
        int count = 20_000;
        Duration window = Duration.ofHours(1);
        Duration grace = Duration.ofMinutes(30);
        List<Sale> sales = Sale.generate(3, count, LONG_AGO, Duration.ofDays(10), window, grace);
        Expected expected = new Expected(sales, window, grace);
        try (SalesPipeline pipeline = servers.pipeline(
                "long-ago",
                "tidemark.totals.window.size=1h",
                "tidemark.totals.grace=30m",
                "tidemark.totals.deduplicate-for=10d")) {
            pipeline.start();
            pipeline.send(sales.subList(0, count / 2));
            pipeline.awaitApp();
            pipeline.stop();
            pipeline.deleteState();
            awaitRetention("expired-long-ago");

            pipeline.start();
            pipeline.send(sales.subList(count / 2, count));
            pipeline.endInput();
            pipeline.awaitTables();

            assertThat(pipeline.rows(Expected.CURRENT)).isEqualTo(expected.current());
            assertThat(pipeline.rows(Expected.FINALS)).isEqualTo(expected.finals());
            assertThat(pipeline.rows(Expected.EXCEPTIONS)).isEqualTo(expected.exceptions());
            assertThat(pipeline.rows(Expected.LEDGER)).isEqualTo(expected.ledger());
            assertThat(pipeline.rows(Expected.WHAT_IF)).isEqualTo(expected.whatIf());
            assertThat(pipeline.rows(Expected.BALANCE)).containsExactly("0|0.00");
        }
    }

    @Test
    void aResultTopicThatWouldRefuseOldRowsIsNamed() {
        try (SalesPipeline pipeline = servers.pipeline("refusing")) {
            servers.createTopic("refusing-totals", 1, Map.of());

            assertThatThrownBy(pipeline::start)
                    .hasStackTraceContaining("The topic refusing-totals refuses records older than 86400000 ms"
                            + " (message.timestamp.before.max.ms), but rows bear the times of their events; set its"
                            + " message.timestamp.type to LogAppendTime.");
        }
    }

    @Test
    void aYearOfAShopIsExactToTheLastDigit(@TempDir Path directory) throws Exception {
        Path file = ReferenceData.file("online-retail.csv.gz");
        List<String> expected = dailyTotals(ReferenceData.file("online-retail.daily-by-country.csv"));
        try (SalesPipeline pipeline = servers.pipeline("online-retail");
                FeedFile rows = FeedFile.open(file)) {
            pipeline.startWith(RETAIL);
            send(rows, 300_000, pipeline);
            pipeline.awaitProcessed(200_000);
            pipeline.stop();
            pipeline.deleteState();
            awaitRetention("expired-retail");

            pipeline.startWith(RETAIL);
            send(rows, Long.MAX_VALUE, pipeline);
            pipeline.endInput();
            pipeline.awaitTables();

            assertThat(pipeline.rows("""
                    select key, (window_start at time zone 'UTC')::text, total, count from totals_current
                    where pipeline = ? order by key, window_start""")).isEqualTo(expected).hasSize(1716);
            assertThat(pipeline.rows("select sum(total), sum(count) from totals_current where pipeline = ?"))
                    .containsExactly("9747747.934|541909");
            assertThat(pipeline.rows("select sum(received), sum(counted) from ledger where pipeline = ?"))
                    .containsExactly("541909|541909");
            assertThat(pipeline.rows(Expected.BALANCE)).containsExactly("0|0.000");
            assertThatTheRecountAgrees(directory);
        }
    }

    private static void assertThatTheRecountAgrees(Path directory) {
        Recount equal = Recount.inProcess(servers, RETAIL, directory);
        assertThat(equal.text())
                .contains(
                        "541,909 records: 0 duplicate, 0 conflicting, 0 refused",
                        "1,716 compared: 1,716 equal, 0 explained, 0 different, 0 missing, 0 unexpected",
                        "Nothing differs.");
        assertThat(equal.exitCode()).isZero();

        assertThat(Recount.inProcess(servers, RETAIL, directory, "--until=2011-12-01")
                        .exitCode())
                .isEqualTo(2);
    }

    /** Waits until the broker has deleted what came after all that the test has written, because of its timestamp. */
    private static void awaitRetention(String topic) throws ExecutionException, InterruptedException {
        TopicPartition partition = new TopicPartition(topic, 0);
        servers.createTopic( // as a changelog of windows
                topic,
                1,
                Map.of(
                        "cleanup.policy",
                        "compact,delete",
                        "message.timestamp.before.max.ms",
                        Long.toString(Long.MAX_VALUE)));
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", servers.kafka.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, 0, LONG_AGO.toEpochMilli(), "old", "old"))
                    .get();
        }
        await().atMost(PATIENCE)
                .until(() -> servers.admin
                                .listOffsets(Map.of(partition, OffsetSpec.earliest()))
                                .partitionResult(partition)
                                .get()
                                .offset()
                        == 1);
    }

    private static void send(FeedFile rows, long until, SalesPipeline pipeline) {
        Pattern country = Pattern.compile("\"Country\":\"([^\"]*)\"");
        while (rows.rows() < until) {
            byte[] row = rows.next();
            if (row == null) {
                return;
            }
            Matcher key = country.matcher(new String(row, StandardCharsets.UTF_8));
            assertThat(key.find()).isTrue();
            pipeline.send(key.group(1), row);
        }
    }

    private static List<String> dailyTotals(Path file) throws IOException {
        List<String> rows = new ArrayList<>();
        try (var reader = Files.newBufferedReader(file);
                var csv = CSVFormat.DEFAULT
                        .builder()
                        .setHeader()
                        .setSkipHeaderRecord(true)
                        .get()
                        .parse(reader)) {
            for (CSVRecord row : csv) {
                String total = new BigDecimal(row.get("total")).setScale(3).toPlainString();
                rows.add(row.get("country") + "|" + row.get("day_utc") + " 00:00:00|" + total + "|" + row.get("lines"));
            }
        }
        rows.sort(null);
        return rows;
    }
}
