package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A million records, more than half of them damaged, through the whole topology: none stops it or holds it up, each has
 * the one disposition that it ought to have, only accepted events move the stream time, and what is refused is parked byte
 * for byte.
 *
 * <p>{@code -Dfuzz.records} changes their number and {@code -Dfuzz.seed} the records themselves; the seed {@code random}
 * is another one each time.
 */
class HostileInputTest {

    private static final int RECORDS = Integer.getInteger("fuzz.records", 1_000_000);
    private static final String SEED = System.getProperty("fuzz.seed", "1");
    /** Each has a topology of its own; the first one has its stores on disk, which takes half as long again. */
    private static final int PARTS = 3;

    private static final int ON_DISK = RECORDS / 10;
    private static final int AT_ONCE = 2;

    @TempDir
    Path state;

    @Test
    void aMillionHostileRecordsStopNothingAndAreEachAccountedForOnce() throws InterruptedException, ExecutionException {
        long seed = SEED.equals("random") ? new Random().nextInt() : Long.parseLong(SEED);
        List<Callable<Void>> parts = new ArrayList<>();
        for (int part = 0; part < PARTS; part++) {
            String name = "-Dfuzz.seed=" + seed + " in part " + part;
            HostileSales sales = new HostileSales(PARTS * seed + part);
            Path directory = part == 0 ? state : Path.of("");
            int records = part == 0 ? ON_DISK : (RECORDS - ON_DISK) / (PARTS - 1);
            parts.add(() -> send(sales, records, name, directory));
        }
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            for (Future<Void> part : threads.invokeAll(parts)) {
                part.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static Void send(HostileSales sales, int records, String name, Path directory) {
        try (HostileFeed feed = new HostileFeed(sales, name, directory)) {
            feed.run(records);
            System.out.println(feed.report());
            Map<String, Double> shares = feed.shares();
            shares.remove("partly-late"); // windows do not overlap here
            assertThat(shares)
                    .allSatisfy((disposition, share) -> assertThat(share).isPositive());
            assertThat(shares.get("counted")).isBetween(0.3, 0.5);
            return null;
        }
    }
}
