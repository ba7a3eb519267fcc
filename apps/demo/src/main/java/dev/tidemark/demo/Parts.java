package dev.tidemark.demo;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has been started. Parts may start in parallel, and everything can be stopped at any moment, also while some of
 * them are still starting: those are stopped as soon as they are up.
 */
final class Parts implements AutoCloseable {

    /** In the order in which they are stopped: what reads before what it reads from. */
    enum Part {
        VIEW,
        CONSOLE,
        FEED,
        RECOUNTS,
        GUEST_APPS,
        APP,
        CONNECT,
        BROKER,
        DATABASE
    }

    private static final Logger LOG = LoggerFactory.getLogger(Parts.class);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(8);

    private final Map<Part, AutoCloseable> started = new EnumMap<>(Part.class);
    private final ReentrantLock stopping = new ReentrantLock();
    private int starting;
    private boolean closing;

    /** Starts a part, unless everything is being stopped. */
    <T extends AutoCloseable> T start(Part part, Callable<T> start) {
        beginStart();
        T value = null;
        try {
            value = start.call();
            return value;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            endStart(part, value);
        }
    }

    /** Starts a part in a thread of its own. */
    <T extends AutoCloseable> CompletableFuture<T> startAside(Part part, Callable<T> start) {
        return CompletableFuture.supplyAsync(() -> start(part, start), task -> {
            Thread thread = new Thread(task, "start-" + part.name().toLowerCase(Locale.ROOT));
            thread.setDaemon(true);
            thread.start();
        });
    }

    /** The part that was started aside; throws what its start threw. */
    static <T> T join(CompletableFuture<T> part) {
        try {
            return part.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** Stops everything in order; what cannot be stopped is logged and does not hinder the rest. */
    @Override
    public void close() {
        stopping.lock();
        try {
            takeStarted().forEach(Parts::close);
        } finally {
            stopping.unlock();
        }
    }

    /** Stops one part now, if it has been started. */
    void stop(Part part) {
        AutoCloseable value;
        synchronized (this) {
            value = started.remove(part);
        }
        if (value != null) {
            close(part, value);
        }
    }

    private synchronized Map<Part, AutoCloseable> takeStarted() {
        closing = true;
        awaitStarting();
        Map<Part, AutoCloseable> taken = new EnumMap<>(started);
        started.clear();
        return taken;
    }

    private synchronized void beginStart() {
        if (closing) {
            throw new DemoException("The demo is being stopped.");
        }
        starting++;
    }

    private synchronized void endStart(Part part, AutoCloseable value) {
        starting--;
        if (value != null) {
            started.put(part, value);
        }
        notifyAll();
    }

    private void awaitStarting() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        try {
            for (long left = PATIENCE_NANOS; starting > 0 && left > 0; left = deadline - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(Part part, AutoCloseable value) {
        long begin = System.nanoTime();
        try {
            value.close();
        } catch (Exception e) {
            LOG.warn("{} could not be stopped", part, e);
        }
        LOG.info("{} stopped in {} ms", part, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
    }
}
