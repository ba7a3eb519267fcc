package dev.tidemark.demo;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Refreshes a view in a thread of its own; less often when that takes long, so that it never takes most of the time. */
final class Refresher implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Refresher.class);
    private static final long TIMES_AS_LONG = 5;
    private static final long PATIENCE_MILLIS = 2000;

    private final View view;
    private final long millis;
    private final Thread thread;

    /** Starts refreshing; the view is closed with it. */
    Refresher(View view, long millis) {
        this.view = view;
        this.millis = millis;
        this.thread = new Thread(this::refresh, "view");
        thread.setDaemon(true);
        thread.start();
    }

    /** Stops refreshing and closes the view. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void refresh() {
        try {
            while (true) {
                long begin = System.nanoTime();
                view.show();
                long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
                TimeUnit.MILLISECONDS.sleep(Math.max(millis - took, TIMES_AS_LONG * took));
            }
        } catch (InterruptedException e) {
            LOG.debug("The view has been stopped", e);
        } catch (RuntimeException e) {
            LOG.error("The view has failed: {}", e.getMessage(), e);
        } finally {
            view.close();
        }
    }
}
