package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.common.AppProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An app that was frozen or without its broker works again by itself, and its totals do not show it. */
@Tag("thorough")
class OutageIT {

    private static final Duration PATIENCE = Duration.ofMinutes(6);

    @TempDir
    static Path directory;

    private static Broker broker;

    @BeforeAll
    static void startBroker() {
        broker = new Broker(
                directory.resolve("kafka"),
                Map.of("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000"));
    }

    @AfterAll
    static void stopBroker() throws IOException {
        broker.close();
    }

    /** Starts an app that commits often, and that is given up by the broker, and gives it up, after some seconds. */
    private static AppProcess start(String pipeline, String copy, String... more) {
        String streams = "spring.kafka.streams.properties.";
        Stream<String> settings = Stream.of(
                streams + "commit.interval.ms=200",
                streams + "consumer.session.timeout.ms=6000",
                streams + "consumer.heartbeat.interval.ms=1000",
                streams + "producer.transaction.timeout.ms=6000",
                streams + "producer.max.block.ms=6000");
        return broker.startProcess(
                pipeline,
                directory.resolve(pipeline).resolve(copy),
                Stream.of(settings, Stream.of(SteadySales.SETTINGS), Stream.of(more))
                        .flatMap(part -> part)
                        .toArray(String[]::new));
    }

    private static void awaitReady(AppProcess app, boolean ready) {
        await().atMost(PATIENCE).until(() -> app.health().isReady() == ready);
    }

    @Test
    void anAppThatWasFrozenForLongerThanItsSessionAndItsTransactionGoesOn() {
        try (SteadySales sales = new SteadySales(broker, "frozen");
                AppProcess app = start("frozen", "one")) {
            sales.awaitProcessed();
            awaitReady(app, true);

            app.freeze();
            await().atMost(PATIENCE).until(() -> broker.workers("frozen") == 0 && broker.openTransactions() == 0);
            assertThat(app.health().isReady()).isFalse();
            app.goOn();

            sales.awaitProcessed();
            awaitReady(app, true);
            sales.endAndAssertTotals();
        }
    }

    @Test
    void anAppThatWakesUpWhenAnotherCopyHasTakenOverDisturbsNothing() {
        try (SteadySales sales = new SteadySales(broker, "taken-over");
                AppProcess one = start("taken-over", "one")) {
            sales.awaitProcessed();

            one.freeze();
            try (AppProcess two = start("taken-over", "two")) {
                sales.awaitProcessed();
                one.goOn();

                awaitReady(one, true);
                awaitReady(two, true);
                sales.awaitProcessed();
                sales.endAndAssertTotals();
            }
        }
    }

    @Test
    void anAppWhoseBrokerWasAwayGoesOn() {
        try (SteadySales sales = new SteadySales(broker, "away");
                AppProcess app = start("away", "one")) {
            sales.awaitProcessed();
            awaitReady(app, true);

            broker.stop();
            try {
                awaitReady(app, false);
                assertThat(app.health().isAlive()).isTrue();
            } finally {
                broker.startAgain();
            }

            sales.awaitProcessed();
            awaitReady(app, true);
            sales.endAndAssertTotals();
            assertThat(app.output().lines()).as("lines of the log").hasSizeLessThan(10_000);
        }
    }

    /** The clients wait for two minutes, here for five seconds; then a thread fails, and another takes its place. */
    @Test
    void anAppWhoseClientsHaveGivenUpWaitingBeginsAnewFromItsLastCommit() {
        try (SteadySales sales = new SteadySales(broker, "given-up");
                AppProcess app = start(
                        "given-up",
                        "one",
                        "spring.kafka.streams.properties.producer.delivery.timeout.ms=5000",
                        "spring.kafka.streams.properties.producer.request.timeout.ms=4000")) {
            sales.awaitProcessed();

            broker.stop();
            try {
                awaitOutput(app, "A task failed and starts anew on a new thread from its last commit");
            } finally {
                broker.startAgain();
            }

            sales.awaitProcessed();
            awaitReady(app, true);
            sales.endAndAssertTotals();
        }
    }

    private static void awaitOutput(AppProcess app, String text) {
        await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).until(() -> app.output()
                .contains(text));
    }

    @Test
    void anAppWhoseBrokerIsAwayEndsSoonWhenItIsAskedTo() {
        broker.createTopic("asked", 1);
        broker.sale("asked", "e1", "10:01:00", "1.50");
        AppProcess app = start("asked", "one");
        awaitReady(app, true);
        broker.stop();
        try {
            long start = System.nanoTime();
            app.close();

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
            assertThat(app.exitCode()).isEqualTo(143);
        } finally {
            broker.startAgain();
        }
    }
}
