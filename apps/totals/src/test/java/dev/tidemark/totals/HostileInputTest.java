package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.ZoneId;
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
 * More than a million records, a million of them damaged, through the whole topology: none stops it or holds it up, each
 * has the one disposition that it ought to have, only accepted events move the stream time, and what is refused is parked
 * byte for byte.
 *
 * <p>{@code -Dfuzz.records} changes how many are damaged, and {@code -Dfuzz.seed} the records themselves; the seed
 * {@code random} is another one each time.
 */
class HostileInputTest {

    private static final int DAMAGED = Integer.getInteger("fuzz.records", 1_000_000);
    private static final String SEED = System.getProperty("fuzz.seed", "1");
    private static final int AT_ONCE = 2;

    /**
     * Has a topology of its own.
     *
     * @param tenths its share of the damaged records
     * @param windowing the windows that they are counted in
     * @param moved whether they are moved to the partition of their key first
     * @param onDisk whether its stores are on disk, which takes longer
     */
    private record Part(int tenths, Windowing windowing, boolean moved, boolean onDisk) {

        int damaged() {
            return (DAMAGED * tenths + 9) / 10;
        }
    }

    /** The first takes about as long as the others one after the other. */
    private static final List<Part> PARTS = List.of(
            new Part(5, new Windowing.Sized("20m", "10m", "0m", HostileSales.START), false, false),
            new Part(1, new Windowing.Sized("10m", "10m", "0m", HostileSales.START), true, true),
            new Part(4, new Windowing.Hours(ZoneId.of("Asia/Kolkata"), HostileSales.START), false, false));

    @TempDir
    Path state;

    @Test
    void aMillionDamagedRecordsStopNothingAndAreEachAccountedForOnce() throws InterruptedException, ExecutionException {
        long seed = SEED.equals("random") ? new Random().nextInt() : Long.parseLong(SEED);
        List<Callable<Integer>> parts = new ArrayList<>();
        for (int number = 0; number < PARTS.size(); number++) {
            Part part = PARTS.get(number);
            String name = "-Dfuzz.seed=" + seed + " in part " + number;
            HostileSales sales = new HostileSales(PARTS.size() * seed + number);
            parts.add(() -> send(sales, part, name));
        }
        int damaged = 0;
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            for (Future<Integer> part : threads.invokeAll(parts)) {
                damaged += part.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(damaged).isGreaterThanOrEqualTo(DAMAGED);
    }

    /** Returns how many were damaged. */
    private int send(HostileSales sales, Part part, String name) {
        Path directory = part.onDisk() ? state : Path.of("");
        try (HostileFeed feed = new HostileFeed(sales, part.windowing(), part.moved(), name, directory)) {
            feed.run(part.damaged());
            System.out.println(feed.report());
            Map<String, Double> shares = feed.shares();
            boolean overlap =
                    part.windowing().of(HostileSales.START.toEpochMilli()).size() > 1;
            assertThat(shares.get("partly-late") > 0).isEqualTo(overlap);
            shares.remove("partly-late");
            assertThat(shares)
                    .allSatisfy((disposition, share) -> assertThat(share).isPositive());
            assertThat(shares.get("counted")).isBetween(0.1, 0.4);
            return sales.damaged();
        }
    }
}
