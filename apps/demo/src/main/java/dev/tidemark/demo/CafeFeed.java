package dev.tidemark.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Sends the events of the {@link CafeChain} while simulated time runs faster than the clock. It begins as many days ago
 * as simulated time is faster, so that it reaches the present after a day; from then on it runs with the clock. How far
 * it came is kept in a file, and a later start continues there.
 */
final class CafeFeed implements Feed {

    static final double SPEED = 60;
    static final double RATE = 30;

    private static final long SAVE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Path position;
    private final double speed;
    private final double rate;
    private final Instant opening;
    private volatile Instant now;
    private volatile long events;

    /**
     * @param position the file with the simulated time that has been reached
     * @param speed how much faster than the clock simulated time runs
     * @param rate sales per second of wall clock
     */
    CafeFeed(Path position, double speed, double rate) {
        this.position = position;
        this.speed = speed;
        this.rate = rate;
        this.opening = Files.exists(position) ? read(position) : opening(Instant.now(), speed);
        this.now = opening;
    }

    /** 08:00 UTC, as many days before today as simulated time is faster than the clock, but at least two. */
    static Instant opening(Instant today, double speed) {
        long days = Math.max(2, (long) Math.ceil(speed));
        return today.atOffset(ZoneOffset.UTC)
                .truncatedTo(ChronoUnit.DAYS)
                .minusDays(days)
                .plusHours(8)
                .toInstant();
    }

    @Override
    public void run(EventSender sender) throws InterruptedException {
        Duration meanGap = Duration.ofNanos((long) (1e9 * speed / rate));
        CafeChain chain = new CafeChain(opening.getEpochSecond(), opening, meanGap);
        long started = System.nanoTime();
        long saved = started;
        try {
            while (!Thread.interrupted()) {
                Sending sending = chain.next();
                await(started, sending.time());
                send(sender, sending);
                now = Instant.ofEpochMilli(sending.time());
                events++;
                if (System.nanoTime() - saved > SAVE_EVERY_NANOS) {
                    save();
                    saved = System.nanoTime();
                }
            }
        } finally {
            save();
        }
        throw new InterruptedException();
    }

    @Override
    public String progress() {
        return String.format(
                Locale.ROOT, "20 cafes at %s, %,d events sent", now.truncatedTo(ChronoUnit.SECONDS), events);
    }

    /** Sales go to the topic that the totals app reads, whatever its settings call it. */
    private static void send(EventSender sender, Sending sending) {
        byte[] value = sending.value() == null ? null : sending.value().getBytes(StandardCharsets.UTF_8);
        if (sending.topic().equals(CafeChain.SALES)) {
            sender.send(sending.key(), value);
        } else {
            sender.send(sending.topic(), sending.key(), value, sending.time());
        }
    }

    /** Waits for the moment of simulated time, and for the clock should simulated time have reached it. */
    private void await(long started, long time) throws InterruptedException {
        long due = started + (long) (1e6 * (time - opening.toEpochMilli()) / speed);
        TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
        TimeUnit.MILLISECONDS.sleep(time - System.currentTimeMillis());
    }

    private static Instant read(Path position) {
        try {
            return Instant.parse(Files.readString(position).strip());
        } catch (DateTimeParseException e) {
            throw new DemoException("%s holds no time; delete it to begin anew.".formatted(position), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whatever happens meanwhile, the file holds the one time or the other. */
    private void save() {
        Path next = position.resolveSibling(position.getFileName() + ".next");
        try {
            Files.writeString(next, now.toString());
            Files.move(next, position, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
