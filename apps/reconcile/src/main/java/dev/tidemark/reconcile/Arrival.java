package dev.tidemark.reconcile;

import dev.tidemark.common.Completion;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Waits until a pipeline has processed its input, and the sinks have written what came of it. */
final class Arrival {

    private static final String APP = "see whether it runs, or set tidemark.reconcile.patience";
    private static final String SINK = "see whether it runs, or set tidemark.reconcile.patience or sink-groups";

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
        Waiting waiting = new Waiting();
        try (Completion completion = new Completion(clients, waiting::failIfOver)) {
            waiting.begin("The app " + group + " has not processed its input", APP);
            completion.await(group, ends);
            waiting.begin("The app " + group + " has not processed the events that it moves", APP);
            completion.await(group, topic -> topic.startsWith(group + "-") && topic.endsWith("-repartition"));
            for (Map.Entry<String, String> sink : sinks.entrySet()) {
                waiting.begin("The sink " + sink.getValue() + " has not written " + sink.getKey(), SINK);
                completion.await(sink.getValue(), sink.getKey()::equals);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CouldNotTellException("The recount was interrupted.", e);
        } catch (KafkaException e) {
            throw new CouldNotTellException(
                    waiting.what + ", as far as can be told (" + e.getMessage() + "); see whether the brokers run.", e);
        }
    }

    /** What is being waited for, and until when. */
    private final class Waiting {

        private String what;
        private String remedy;
        private long deadline;

        void begin(String otherwise, String toDo) {
            what = otherwise;
            remedy = toDo;
            deadline = System.nanoTime() + patience.toNanos();
        }

        void failIfOver() {
            if (System.nanoTime() > deadline) {
                throw new CouldNotTellException(what + " within " + patience.toSeconds() + " seconds; " + remedy + ".");
            }
        }
    }
}
