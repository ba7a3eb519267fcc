package dev.tidemark.reconcile;

import dev.tidemark.common.Completion;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Waits until a pipeline has processed its input, and the sinks have written what came of it. */
final class Arrival {

    private final Map<String, Object> clients;
    private final Duration patience;

    /**
     * @param clients what every client needs to reach the brokers
     * @param patience how long each of them may take
     */
    Arrival(Map<String, Object> clients, Duration patience) {
        this.clients = clients;
        this.patience = patience;
    }

    /**
     * Waits.
     *
     * @param group the app's consumer group
     * @param ends offsets of the input that it has to have come to
     * @param sinks consumer groups of the sinks, by the result topic that they write
     * @throws CouldNotTellException if it takes longer than the patience allows
     */
    void await(String group, Map<TopicPartition, Long> ends, Map<String, String> sinks) {
        waitFor(
                "The app " + group + " has not processed its input",
                "see whether it runs, or set tidemark.reconcile.patience",
                completion -> completion.await(group, ends));
        Predicate<String> isMoved = topic -> topic.startsWith(group + "-") && topic.endsWith("-repartition");
        waitFor(
                "The app " + group + " has not processed the events that it moves",
                "see whether it runs, or set tidemark.reconcile.patience",
                completion -> completion.await(group, isMoved));
        sinks.forEach((topic, sink) -> waitFor(
                "The sink " + sink + " has not written " + topic,
                "see whether it runs, or set tidemark.reconcile.patience or sink-groups",
                completion -> completion.await(sink, topic::equals)));
    }

    private void waitFor(String what, String remedy, Wait wait) {
        long deadline = System.nanoTime() + patience.toNanos();
        Runnable giveUp = () -> {
            if (System.nanoTime() > deadline) {
                throw new CouldNotTellException(what + " within " + patience.toSeconds() + " seconds; " + remedy + ".");
            }
        };
        try (Completion completion = new Completion(clients, giveUp)) {
            wait.run(completion);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CouldNotTellException("The recount was interrupted.", e);
        } catch (KafkaException e) {
            throw new CouldNotTellException(
                    what + ", as far as can be told (" + e.getMessage() + "); see whether the brokers run.", e);
        }
    }

    private interface Wait {
        void run(Completion completion) throws InterruptedException;
    }
}
