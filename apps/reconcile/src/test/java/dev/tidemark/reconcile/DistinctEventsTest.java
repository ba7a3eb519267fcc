package dev.tidemark.reconcile;

import static dev.tidemark.reconcile.DistinctEvents.Finding.CONFLICTING;
import static dev.tidemark.reconcile.DistinctEvents.Finding.DUPLICATE;
import static dev.tidemark.reconcile.DistinctEvents.Finding.NEW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.DeduplicateScope;
import dev.tidemark.common.Event;
import dev.tidemark.common.Origin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which events of the input count. */
class DistinctEventsTest {

    private static final DistinctEvents.Judgement NOTHING = (id, partition, offset) -> false;

    @TempDir
    Path directory;

    @Test
    void theFirstOfAPartitionCountsHoweverLateItsRepetitionComes() {
        try (DistinctEvents events = new DistinctEvents(directory.resolve("events"), DeduplicateScope.KEY)) {
            assertThat(events.add(event(0, 1, "A", "e1", 100), 0)).isEqualTo(NEW);
            assertThat(events.add(event(0, 2, "B", "e1", 100), 0)).isEqualTo(NEW);
            assertThat(events.add(event(0, 3, "A", "e1", 100), 0)).isEqualTo(DUPLICATE);
            assertThat(events.add(event(0, 4, "A", "e1", 101), 0)).isEqualTo(CONFLICTING);
            assertThat(events.add(event(0, 5, "A", "e1", 101), 0)).isEqualTo(CONFLICTING);

            assertThat(counted(events, NOTHING)).containsExactly("A e1 100 at 0/1 x2", "B e1 100 at 0/2 x1");
            assertThat(events.duplicates()).isEqualTo(1);
            assertThat(events.conflicting()).isEqualTo(2);
        }
    }

    @Test
    void whereIdsAreUniqueAmongAllEventsTheSameOneUnderAnotherKeyIsConflicting() {
        try (DistinctEvents events = new DistinctEvents(directory.resolve("events"), DeduplicateScope.GLOBAL)) {
            events.add(event(0, 1, "A", "e1", 100), 0);

            assertThat(events.add(event(0, 2, "B", "e1", 100), 0)).isEqualTo(CONFLICTING);
            assertThat(counted(events, NOTHING)).containsExactly("A e1 100 at 0/1 x1");
        }
    }

    @Test
    void anotherPayloadIsAnotherEventWhereItCounts() {
        try (DistinctEvents events = new DistinctEvents(directory.resolve("events"), DeduplicateScope.KEY)) {
            events.add(event(0, 1, "A", "e1", 100), 17);

            assertThat(events.add(event(0, 2, "A", "e1", 100), 17)).isEqualTo(DUPLICATE);
            assertThat(events.add(event(0, 3, "A", "e1", 100), 18)).isEqualTo(CONFLICTING);
        }
    }

    @Test
    void ofTwoPartitionsTheOneWithTheEarlierRecordCountsUnlessItIsPublishedAsConflicting() {
        try (DistinctEvents events = new DistinctEvents(directory.resolve("events"), DeduplicateScope.KEY)) {
            events.add(event(1, 7, "A", "e1", 101), 0);
            events.add(event(0, 5, "A", "e1", 100), 0);
            events.add(event(0, 6, "A", "e1", 102), 0); // never the first of its partition

            assertThat(counted(events, NOTHING)).containsExactly("A e1 100 at 0/5 x1");
            assertThat(counted(events, (id, partition, offset) -> id.equals("e1") && partition == 0))
                    .containsExactly("A e1 101 at 1/7 x1");
            assertThat(counted(events, (id, partition, offset) -> true)).containsExactly("A e1 100 at 0/5 x1");
        }
    }

    @Test
    void manyEventsInAnyOrderAreAsInAMap() {
        Random random = new Random(20260701);
        Map<String, Long> expected = new HashMap<>();
        try (DistinctEvents events = new DistinctEvents(directory.resolve("events"), DeduplicateScope.KEY)) {
            for (int offset = 0; offset < 50_000; offset++) {
                String key = "S" + random.nextInt(50);
                String id = "e" + random.nextInt(600);
                long amount = random.nextInt(3);
                events.add(event(0, offset, key, id, amount), 0);
                expected.putIfAbsent(key + " " + id, amount);
            }

            Map<String, Long> found = new HashMap<>();
            events.forEach(NOTHING, (id, event) -> found.put(event.key() + " " + id, event.amount()));
            assertThat(found).isEqualTo(expected);
            assertThat(events.duplicates() + events.conflicting() + found.size())
                    .isEqualTo(50_000);
        }
    }

    /** Before a map writes the first file it has 32 MB in memory; these events take more than twice as much. */
    @Test
    void whatCameSoLongAgoThatItIsOnDiskIsKnownWhenItComesAgain() throws IOException {
        int count = 40_000;
        String key = "S".repeat(1_000);
        Path place = directory.resolve("events");
        try (DistinctEvents events = new DistinctEvents(place, DeduplicateScope.KEY)) {
            for (int i = 0; i < count; i++) {
                assertThat(events.add(event(0, i, key, "e" + i, i), 0)).isEqualTo(NEW);
            }
            assertThat(DiskMapTest.bytesOnDisk(place)).isPositive();
            for (int i = 0; i < count; i += 10) {
                assertThat(events.add(event(0, count + i, key, "e" + i, i), 0)).isEqualTo(DUPLICATE);
                assertThat(events.add(event(0, count + i, key, "e" + (i + 1), -1), 0))
                        .isEqualTo(CONFLICTING);
            }

            assertThat(events.duplicates()).isEqualTo(count / 10);
            assertThat(events.conflicting()).isEqualTo(count / 10);
            BitSet found = new BitSet();
            events.forEach(NOTHING, (id, event) -> {
                int number = Integer.parseInt(id.substring(1));
                boolean isRight = event.amount() == number && event.times() == (number % 10 == 0 ? 2 : 1);
                assertThat(isRight && !found.get(number)).as(id).isTrue();
                found.set(number);
            });
            assertThat(found.cardinality()).isEqualTo(count);
        }
    }

    private static List<String> counted(DistinctEvents events, DistinctEvents.Judgement published) {
        List<String> counted = new ArrayList<>();
        events.forEach(
                published,
                (id, event) -> counted.add("%s %s %d at %d/%d x%d"
                        .formatted(event.key(), id, event.amount(), event.partition(), event.offset(), event.times())));
        return counted;
    }

    private static Event event(int partition, long offset, String key, String id, long amount) {
        return new Event(new Origin("sales", partition, offset), id, key, 1_000, 10 + offset, amount, new byte[0]);
    }
}
