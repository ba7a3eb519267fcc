package dev.tidemark.profiles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Counts many activities of many customers and prints what that costs; broker and app share the machine. */
@Tag("thorough")
@Timeout(900)
class ThroughputIT {

    private static final int ACTIVITIES = Integer.getInteger("throughput.activities", 500_000);
    private static final int CUSTOMERS = Integer.getInteger("throughput.customers", 100_000);
    private static final int PARTITIONS = 4;

    @TempDir
    Path directory;

    @Test
    void manyActivitiesOfManyCustomers() throws IOException {
        try (Broker broker = new Broker(directory.resolve("kafka"))) {
            broker.createInputs("many", PARTITIONS, PARTITIONS);
            Instant start = Instant.parse("2026-07-01T00:00:00Z");
            for (int i = 0; i < CUSTOMERS; i++) {
                broker.customer("many", "C" + i, "plan" + i % 3, start.toString());
            }
            for (int i = 0; i < ACTIVITIES; i++) {
                String time = start.plusMillis(i * 86_400_000L / ACTIVITIES).toString();
                broker.activity("many", "a" + i, "C" + (i * 7919L) % CUSTOMERS, "visit", "1.00", time);
            }
            broker.topics().producer().flush();
            Path state = directory.resolve("state");
            AppProcess app = AppProcess.start(
                    Path.of(""),
                    broker.settings(
                            "many",
                            state,
                            "tidemark.profiles.input.partitioned-by-key=true",
                            "tidemark.profiles.table.partitioned-by-key=true"),
                    directory.resolve("processes"));
            ProcessHandle process = ProcessHandle.current()
                    .children()
                    .filter(ProcessHandle::isAlive)
                    .findFirst()
                    .orElseThrow();
            await().atMost(Duration.ofMinutes(2)).until(() -> broker.processed("many", "-[ac]") > 0);
            long begin = System.nanoTime();
            long before = broker.processed("many", "-[ac]");
            Duration cpuBefore = process.info().totalCpuDuration().orElseThrow();
            await().atMost(Duration.ofMinutes(10))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> broker.processed("many", "-[ac]") >= ACTIVITIES + CUSTOMERS);
            double seconds = (System.nanoTime() - begin) / 1e9;
            double cpu = process.info()
                            .totalCpuDuration()
                            .orElseThrow()
                            .minus(cpuBefore)
                            .toMillis()
                    / 1e3;
            long records = ACTIVITIES + CUSTOMERS - before;
            app.close();
            long bytes;
            try (Stream<Path> files = Files.walk(state)) {
                bytes = files.filter(Files::isRegularFile)
                        .mapToLong(file -> file.toFile().length())
                        .sum();
            }
            System.out.printf(
                    Locale.ROOT,
                    "profiles: %,d records in %.1f s, %,.0f records/s, %.1f CPU s per million records,"
                            + " %,d bytes of state for %,d keys, %,.0f per million keys%n",
                    records,
                    seconds,
                    records / seconds,
                    cpu * 1e6 / records,
                    bytes,
                    CUSTOMERS,
                    bytes * 1e6 / CUSTOMERS);
            assertThat(records).isPositive();
            assertThat(broker.topics().readLatest("many-profiles")).hasSize(CUSTOMERS);
        }
    }
}
