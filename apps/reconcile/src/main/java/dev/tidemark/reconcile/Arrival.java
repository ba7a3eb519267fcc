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
    private final String sinkGroups;
    private final Duration patience;

    /**
     * @param clients what every client needs to reach the brokers
     * @param sinkGroups what stands before the name of a table in the consumer group of its sink
     * @param patience how long each of them may take
     */
    Arrival(Map<String, Object> clients, String sinkGroups, Duration patience) {
        this.clients = clients;
        this.sinkGroups = sinkGroups;
        this.patience = patience;
    }

    /**
     * Waits.
     *
     * @param ends offsets of the inputs that the app has to have come to
     * @throws CouldNotTellException if it takes longer than the patience allows
     */
    void await(Target target, Map<TopicPartition, Long> ends) {
        String group = target.group();
        Waiting waiting = new Waiting();
        try (Completion completion = new Completion(clients, waiting::failIfOver)) {
            waiting.begin("The app " + group + " has not processed its input", APP);
            completion.await(group, ends);
            waiting.begin("The app " + group + " has not processed the events that it moves", APP);
            // What is moved by event id first is moved by key after that.
            completion.await(group, topic -> isMoving(topic, group) && topic.contains("-by-event-id"));
            completion.await(group, topic -> isMoving(topic, group));
            if (target.totals() != null) {
                waiting.begin("The app " + group + " has not processed what recounts have asked for", APP);
                completion.await(group, target.totals().recountsTopic()::equals);
            }
            for (Map.Entry<String, String> table : target.tables().entrySet()) {
                String sink = sinkGroups + table.getValue();
                waiting.begin("The sink " + sink + " has not written " + table.getKey(), SINK);
                completion.await(sink, table.getKey()::equals);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CouldNotTellException("The recount was interrupted.", e);
        } catch (KafkaException e) {
            throw new CouldNotTellException(
                    waiting.what + ", as far as can be told (" + e.getMessage() + "); see whether the brokers run.", e);
        }
    }

    private static boolean isMoving(String topic, String group) {
        return topic.startsWith(group + "-") && topic.endsWith("-repartition");
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
