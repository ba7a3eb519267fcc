package dev.tidemark.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.cli.ConnectDistributed;
import org.apache.kafka.connect.runtime.Connect;

/**
 * A Connect worker in this JVM. Its connectors, their offsets and states are kept in topics of the broker, so a
 * worker that is started again with the same broker goes on where the last one stopped.
 *
 * <p>A task that fails stays failed, as in every Connect cluster; {@link ConnectWatch} starts such tasks again.
 */
public final class EmbeddedConnect implements AutoCloseable {

    /** Worst first. */
    private static final List<String> STATES =
            List.of("FAILED", "UNASSIGNED", "RESTARTING", "STOPPED", "PAUSED", "RUNNING");

    private final Connect<?> connect;
    private final URI url;
    private final ConnectRest rest;

    private EmbeddedConnect(Connect<?> connect) {
        this.connect = connect;
        this.url = connect.rest().advertisedUrl();
        this.rest = new ConnectRest(url);
    }

    /**
     * Starts a worker; when this returns, its REST interface answers.
     *
     * @param bootstrapServers the broker
     * @param restPort port of the REST interface on the loopback address, 0 for any free one
     * @throws org.apache.kafka.connect.errors.ConnectException if the broker is not there or the port is taken
     */
    public static EmbeddedConnect start(String bootstrapServers, int restPort) {
        return new EmbeddedConnect(new ConnectDistributed().startConnect(settings(bootstrapServers, restPort)));
    }

    /** Where its REST interface answers. */
    public URI url() {
        return url;
    }

    /** Installs the shipped connectors so that they write to this database; see {@link #install(SinkConnector)}. */
    public void install(EmbeddedDatabase database) {
        SinkConnector.shipped().forEach(connector -> install(connector.writingTo(database)));
    }

    /**
     * Makes sure that there is such a connector and waits until its task has been started, whether or not that went
     * well: {@link #state} tells. One that is there with the same settings is left alone, one with others is replaced
     * and goes on with the offsets that it had.
     */
    public void install(SinkConnector connector) {
        String path = "/connectors/" + connector.name();
        JsonNode present = rest.get(path + "/config");
        if (!connector.isDescribedBy(present)) {
            if (!present.isMissingNode()) {
                rest.delete(path);
                ConnectRest.await("connector " + connector.name() + " to be gone", () -> status(connector.name())
                        .isMissingNode());
            }
            rest.put(path + "/config", connector.config());
        }
        ConnectRest.await("connector " + connector.name() + " to have a task", () -> {
            JsonNode status = status(connector.name());
            return !status.path("tasks").isEmpty() && !worst(status).equals("UNASSIGNED");
        });
    }

    /**
     * The worst state of a connector and its tasks: RUNNING, PAUSED, STOPPED, RESTARTING, UNASSIGNED or FAILED;
     * UNASSIGNED also if there is no such connector yet.
     */
    public String state(String connector) {
        return worst(status(connector));
    }

    /** Makes a connector read its topics from the beginning: stops it, forgets its offsets, starts it again. */
    public void resetOffsets(String connector) {
        stop(connector);
        rest.delete("/connectors/" + connector + "/offsets");
        resume(connector);
    }

    /** Makes a connector go on with a record of a partition of its topics: stops it, sets its offset, starts it again. */
    public void goOnAt(String connector, TopicPartition partition, long offset) {
        Map<String, Object> change = Map.of(
                "partition", Map.of("kafka_topic", partition.topic(), "kafka_partition", partition.partition()),
                "offset", Map.of("kafka_offset", offset));
        stop(connector);
        rest.patch("/connectors/" + connector + "/offsets", Map.of("offsets", List.of(change)));
        resume(connector);
    }

    /** Stops a connector and waits until it has; its offsets are kept. */
    public void stop(String connector) {
        rest.put("/connectors/" + connector + "/stop");
        ConnectRest.await("connector " + connector + " to stop", () -> {
            JsonNode status = status(connector);
            return worst(status).equals("STOPPED") && status.path("tasks").isEmpty();
        });
    }

    /** Lets a connector that was stopped go on, and waits until it does. */
    public void resume(String connector) {
        rest.put("/connectors/" + connector + "/resume");
        ConnectRest.await(
                "connector " + connector + " to run again",
                () -> state(connector).equals("RUNNING")
                        && !status(connector).path("tasks").isEmpty());
    }

    /**
     * Stops the worker and waits until it has; this takes up to half a minute if the broker has been closed before.
     * Further calls do nothing.
     */
    @Override
    public void close() {
        connect.stop();
        connect.awaitStop();
    }

    private JsonNode status(String connector) {
        return rest.get("/connectors/" + connector + "/status");
    }

    private static String worst(JsonNode status) {
        int worst = rank(status.path("connector"));
        for (JsonNode task : status.path("tasks")) {
            worst = Math.min(worst, rank(task));
        }
        return STATES.get(worst);
    }

    private static int rank(JsonNode part) {
        int rank = STATES.indexOf(part.path("state").asText());
        return rank >= 0 ? rank : STATES.indexOf("UNASSIGNED");
    }

    private static Map<String, String> settings(String bootstrapServers, int restPort) {
        Map<String, String> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrapServers);
        settings.put("group.id", "tidemark-connect");
        settings.put("listeners", "http://127.0.0.1:" + restPort);
        settings.put("plugin.discovery", "service_load");
        settings.put("key.converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
        settings.put("value.converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
        settings.put("config.storage.topic", "tidemark-connect-configs");
        settings.put("config.storage.replication.factor", "1");
        settings.put("offset.storage.topic", "tidemark-connect-offsets");
        settings.put("offset.storage.replication.factor", "1");
        settings.put("offset.storage.partitions", "1");
        settings.put("status.storage.topic", "tidemark-connect-status");
        settings.put("status.storage.replication.factor", "1");
        settings.put("status.storage.partitions", "1");
        settings.put("offset.flush.interval.ms", "1000");
        // With the broker gone, the last states cannot be written; do not wait a minute for that.
        settings.put("max.block.ms", "5000");
        // There is no second worker that a rebalance could wait for.
        settings.put("scheduled.rebalance.max.delay.ms", "0");
        settings.put("task.shutdown.graceful.timeout.ms", "1000");
        return settings;
    }
}
