package dev.tidemark.demo;

import dev.tidemark.common.Event;
import dev.tidemark.common.EventReader;
import dev.tidemark.common.InputMapping;
import dev.tidemark.common.Item;
import dev.tidemark.common.Origin;
import dev.tidemark.common.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Sends the records of a file, with the key of the event as record key: as fast as possible, at a given rate, or by
 * event time.
 */
final class FileFeed implements Feed {

    private final FeedFile file;
    private final String name;
    private final String topic;
    private final EventReader reader;
    private final Optional<Double> rate;
    private final Optional<Double> speed;
    private volatile long started;
    private volatile long ended;
    private long firstTime = -1;

    /**
     * @param path the file
     * @param input how its records are read as events
     * @param rate records per second, or empty
     * @param speed how much faster than the clock event time runs, or empty
     */
    FileFeed(Path path, InputMapping input, Optional<Double> rate, Optional<Double> speed) {
        this.file = FeedFile.open(path);
        this.name = path.getFileName().toString();
        this.topic = input.topic();
        this.reader = new EventReader(input, Duration.ZERO);
        this.rate = rate;
        this.speed = speed;
    }

    @Override
    public void run(EventSender sender) throws InterruptedException {
        started = System.nanoTime();
        try (file) {
            for (byte[] value = file.next(); value != null; value = file.next()) {
                Item item = reader.read(new Origin(topic, 0, file.rows()), null, value, System.currentTimeMillis());
                await(item);
                sender.send(key(item), value);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            ended = System.nanoTime();
        }
    }

    @Override
    public String progress() {
        long until = ended == 0 ? System.nanoTime() : ended;
        double seconds = started == 0 ? 0 : (until - started) / 1e9;
        return String.format(
                Locale.ROOT,
                "%s: %,d rows, %,.0f rows/s, %.0f %% read",
                name,
                file.rows(),
                seconds == 0 ? 0 : file.rows() / seconds,
                100 * file.fractionRead());
    }

    private void await(Item item) throws InterruptedException {
        if (rate.isPresent()) {
            sleepUntil((file.rows() - 1) / rate.get());
        }
        if (speed.isPresent() && item instanceof Event event) {
            firstTime = firstTime < 0 ? event.time() : firstTime;
            sleepUntil((event.time() - firstTime) / (1000 * speed.get()));
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private void sleepUntil(double seconds) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(started + (long) (1e9 * seconds) - System.nanoTime());
    }

    /** What the app will group the record by, or null where that cannot be read. */
    private static String key(Item item) {
        if (item instanceof Event event) {
            return event.key();
        }
        return item instanceof Outcome outcome ? outcome.key() : null;
    }
}
