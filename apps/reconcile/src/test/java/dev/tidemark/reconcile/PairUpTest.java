package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.Within;
import dev.tidemark.reconcile.Pair.Times;
import dev.tidemark.reconcile.PairUp.Placed;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pairs are what comparing each event with each other finds. */
class PairUpTest {

    @TempDir
    Path directory;

    @Test
    void bothBoundsBelongToTheDistance() {
        assertThat(pairs(
                        new Within(Duration.ofMillis(2), Duration.ofMillis(5)),
                        List.of(placed("K", 10, "l"), placed("M", 10, "m")),
                        List.of(
                                placed("J", 10, "r0"),
                                placed("K", 7, "r1"),
                                placed("K", 8, "r2"),
                                placed("K", 15, "r3"),
                                placed("K", 16, "r4"),
                                placed("L", 10, "r5"))))
                .hasToString("{J||r0=r10, K|l|r2=l10r8, K|l|r3=l10r15, K||r1=r7, K||r4=r16, L||r5=r10, M|m|=l10}");
    }

    @Test
    void manyEventsArePairedAsByComparingEachWithEach() {
        for (int seed = 0; seed < 30; seed++) {
            Random random = new Random(seed);
            Within within = new Within(Duration.ofMillis(random.nextInt(6)), Duration.ofMillis(random.nextInt(6)));
            List<Placed> lefts = events(random, "l");
            List<Placed> rights = events(random, "r");

            assertThat(pairs(within, lefts, rights)).as("seed %s", seed).isEqualTo(naive(within, lefts, rights));
        }
    }

    private static List<Placed> events(Random random, String side) {
        List<Placed> events = new ArrayList<>();
        for (int i = random.nextInt(60); i > 0; i--) {
            events.add(placed("K" + random.nextInt(4), random.nextInt(40), side + i));
        }
        return events;
    }

    private static Placed placed(String key, long time, String id) {
        return new Placed(key, time, id, 0);
    }

    private TreeMap<String, String> pairs(Within within, List<Placed> lefts, List<Placed> rights) {
        TreeMap<String, String> found = new TreeMap<>();
        Path place = directory.resolve("run-" + directory.toFile().list().length);
        assertThat(place.toFile().mkdir()).isTrue();
        try (DiskMap left = new DiskMap(place.resolve("left"));
                DiskMap right = new DiskMap(place.resolve("right"))) {
            lefts.forEach(event -> left.put(event.toBytes(), event.value()));
            rights.forEach(event -> right.put(event.toBytes(), event.value()));
            try (DiskMap.Cursor allLeft = left.cursor();
                    DiskMap.Cursor allRight = right.cursor()) {
                new PairUp(within, (pair, times) -> put(found, pair, times)).pairUp(allLeft, allRight);
            }
        }
        return found;
    }

    private static void put(TreeMap<String, String> found, Pair pair, Times times) {
        String text = (times.left() == Times.NONE ? "" : "l" + times.left())
                + (times.right() == Times.NONE ? "" : "r" + times.right());
        String before = found.put(pair.key() + "|" + pair.leftId() + "|" + pair.rightId(), text);
        assertThat(before).as("%s comes twice", pair).isNull();
    }

    private static TreeMap<String, String> naive(Within within, List<Placed> lefts, List<Placed> rights) {
        TreeMap<String, String> pairs = new TreeMap<>();
        for (Placed left : lefts) {
            boolean alone = true;
            for (Placed right : rights) {
                if (isPair(within, left, right)) {
                    alone = false;
                    pairs.put(left.key() + "|" + left.id() + "|" + right.id(), "l" + left.time() + "r" + right.time());
                }
            }
            if (alone) {
                pairs.put(left.key() + "|" + left.id() + "|", "l" + left.time());
            }
        }
        for (Placed right : rights) {
            if (lefts.stream().noneMatch(left -> isPair(within, left, right))) {
                pairs.put(right.key() + "||" + right.id(), "r" + right.time());
            }
        }
        return pairs;
    }

    private static boolean isPair(Within within, Placed left, Placed right) {
        long distance = right.time() - left.time();
        return left.key().equals(right.key())
                && distance >= -within.before().toMillis()
                && distance <= within.after().toMillis();
    }
}
