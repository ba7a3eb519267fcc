package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several copies of the app share the partitions, but never a state directory. */
@Tag("thorough")
class CopiesIT {

    private static final Duration PATIENCE = Duration.ofMinutes(6);

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
    void aStateDirectoryHasRoomForSeveralPipelinesButOneCopyOfEach() {
        Path state = directory.resolve("state");
        broker.createTopic("alone", 1);
        broker.createTopic("other", 1);
        broker.sale("alone", "e1", "10:01:00", "1.50");
        broker.sale("other", "e1", "10:01:00", "1.50");
        try (AppProcess first = broker.startProcess("alone", state)) {
            await().atMost(PATIENCE).until(() -> broker.processed("alone", "alone") == 1);
            Broker.whileRunning(broker.settings("other", state), () -> await().atMost(PATIENCE)
                    .until(() -> broker.processed("other", "other") == 1));
            try (AppProcess second = broker.startProcess("alone", state)) {
                assertThat(second.exitCode()).isEqualTo(1);
                assertThat(second.output())
                        .contains("The state directory " + state.resolve("alone-totals")
                                + " is in use by another process; stop that one, or give this one its own"
                                + " spring.kafka.streams.properties.state.dir.")
                        .doesNotContain("\tat ");
            }
            first.kill();
            broker.sale("alone", "e2", "10:02:00", "1.50");
            Broker.whileRunning(broker.settings("alone", state), () -> await().atMost(PATIENCE)
                    .until(() -> broker.processed("alone", "alone") == 2));
        }
    }

    @ParameterizedTest
    @CsvSource({"false, 0", "true, 1"})
    void partitionsThatMoveToAnotherCopyAndBackAreCountedOnce(boolean killed, int standbys) {
        String pipeline = killed ? "moved-by-kill" : "moved";
        try (SteadySales sales = new SteadySales(broker, pipeline);
                AppProcess one = start(pipeline, "one", standbys)) {
            sales.awaitProcessed();
            try (AppProcess two = start(pipeline, "two", standbys)) {
                awaitWorkers(pipeline, 2);
                sales.awaitProcessed();

                end(one, killed);
                sales.awaitProcessed();
                try (AppProcess again = start(pipeline, "one", standbys)) {
                    awaitWorkers(pipeline, 2);
                    sales.awaitProcessed();
                    end(two, killed);

                    sales.awaitProcessed();
                    sales.endAndAssertTotals();
                    assertThat(again.isAlive()).isTrue();
                }
            }
        }
    }

    private static void awaitWorkers(String pipeline, int count) {
        await().atMost(PATIENCE).until(() -> broker.workers(pipeline) == count);
    }

    private static AppProcess start(String pipeline, String copy, int standbys) {
        String streams = "spring.kafka.streams.properties.";
        Stream<String> settings = Stream.of(
                streams + "num.stream.threads=1",
                streams + "num.standby.replicas=" + standbys,
                streams + "commit.interval.ms=200",
                streams + "consumer.session.timeout.ms=6000");
        return broker.startProcess(
                pipeline,
                directory.resolve(pipeline).resolve(copy),
                Stream.concat(settings, Stream.of(SteadySales.SETTINGS)).toArray(String[]::new));
    }

    private static void end(AppProcess app, boolean killed) {
        if (killed) {
            app.kill();
        } else {
            app.close();
        }
    }
}
