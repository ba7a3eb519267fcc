package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;
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
    /** Each has a topology of its own; they run side by side. */
    private static final int PARTS = 2;

    @TempDir
    Path state;

    @Test
    void aMillionHostileRecordsStopNothingAndAreEachAccountedForOnce() {
        long seed = SEED.equals("random") ? new Random().nextInt() : Long.parseLong(SEED);
        IntStream.range(0, PARTS).parallel().forEach(part -> {
            try (HostileFeed feed = new HostileFeed(state.resolve("part-" + part), PARTS * seed + part)) {
                feed.run(RECORDS / PARTS);
                System.out.println("-Dfuzz.seed=" + seed + ": " + feed.report());
                assertThat(feed.shares().get("counted")).isBetween(0.3, 0.5);
                feed.shares().remove("partly-late"); // windows do not overlap here
                assertThat(feed.shares())
                        .allSatisfy((disposition, share) -> assertThat(share).isPositive());
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("with -Dfuzz.seed=" + seed + " in part " + part, e);
            }
        });
    }
}
