package dev.tidemark.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts failed connectors and tasks of a Connect cluster again, which Connect itself never does.
 *
 * <p>The JDBC sink repeats a write for some seconds while the database refuses connections. A longer outage, a
 * database that is just starting, a session ended by its administrator, or a database that is away when the sink
 * starts makes its task fail. Its offsets stay behind what was written, so starting it again loses nothing, and the
 * tables ignore what comes twice. Until then its state is FAILED for everybody to see, and every restart is logged.
 */
public final class ConnectWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectWatch.class);

    private final URI worker;
    private final ConnectRest rest;
    private final ScheduledExecutorService schedule;

    /**
     * Starts watching, on a daemon thread.
     *
     * @param worker REST interface of any worker of the cluster
     * @param every how long to wait between looks
     */
    public ConnectWatch(URI worker, Duration every) {
        this.worker = worker;
        this.rest = new ConnectRest(worker);
        this.schedule = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "connect-watch");
            thread.setDaemon(true);
            return thread;
        });
        schedule.scheduleWithFixedDelay(this::look, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Stops watching. Further calls do nothing. */
    @Override
    public void close() {
        schedule.shutdownNow();
    }

    private void look() {
        try {
            rest.get("/connectors?expand=status").forEach(connector -> restartIfFailed(connector.path("status")));
        } catch (RuntimeException e) {
            if (!schedule.isShutdown()) {
                LOG.warn("Cannot watch the connectors of {}; will try again", worker, e);
            }
        }
    }

    private void restartIfFailed(JsonNode status) {
        if (failed(status.path("connector"))
                || StreamSupport.stream(status.path("tasks").spliterator(), false)
                        .anyMatch(ConnectWatch::failed)) {
            String name = status.path("name").asText();
            LOG.warn("Connector {} has failed and is started again; its log and its status say why", name);
            rest.postOnce("/connectors/" + name + "/restart?includeTasks=true&onlyFailed=true");
        }
    }

    private static boolean failed(JsonNode part) {
        return part.path("state").asText().equals("FAILED");
    }
}
