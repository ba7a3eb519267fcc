package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.SeenEvents.Earlier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is sealed, read back and forgotten in between: the answers are those of a plain map. */
class SeenEventsTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final long QUARTER = HOUR.toMillis() / 4;

    private KeyValueStore<Bytes, byte[]> store = emptyStore();

    private static KeyValueStore<Bytes, byte[]> emptyStore() {
        return Stores.inMemoryKeyValueStore("seen-events").get();
    }

    private SeenEvents start() {
        return new SeenEvents(store, HOUR, DeduplicateScope.KEY);
    }

    private static Event event(String id, long time, long offset) {
        return event("A", id, time, 5, offset);
    }

    private static Event event(String key, String id, long time, long amount, long offset) {
        return new Event(new Origin("events", 3, offset), id, key, time, 1, amount, null);
    }

    private List<Bytes> keys() {
        try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
            List<Bytes> keys = new ArrayList<>();
            all.forEachRemaining(entry -> keys.add(entry.key));
            return keys;
        }
    }

    /** What the rule says, with nothing but a map; it can go back to its last commit. */
    private static final class Model {

        private record Accepted(long generation, Event event) {}

        private final DeduplicateScope scope;
        private Map<String, Accepted> accepted = new HashMap<>();
        private Map<String, Accepted> committed = Map.of();
        private long streamTime = -1;
        private long committedStreamTime = -1;

        Model(DeduplicateScope scope) {
            this.scope = scope;
        }

        Earlier remember(Event event) {
            if (event.time() > streamTime) {
                boolean forgets = event.time() / QUARTER > streamTime / QUARTER;
                streamTime = event.time();
                if (forgets) {
                    accepted.values().removeIf(old -> old.generation < streamTime / QUARTER - 4);
                }
            }
            String identity = scope == DeduplicateScope.KEY ? event.key() + "/" + event.id() : event.id();
            Accepted earlier = accepted.putIfAbsent(identity, new Accepted(streamTime / QUARTER, event));
            if (earlier == null) {
                return null;
            }
            Event first = earlier.event;
            boolean same = first.time() == event.time()
                    && first.amount() == event.amount()
                    && first.key().equals(event.key());
            return new Earlier(same, first.origin().partition(), first.origin().offset());
        }

        void commit() {
            committed = new HashMap<>(accepted);
            committedStreamTime = streamTime;
        }

        void crash() {
            accepted = new HashMap<>(committed);
            streamTime = committedStreamTime;
        }
    }

    /** New events, repetitions of all ages with the same or other content, jumps of time, and stragglers. */
    private static List<Event> traffic(Random random, int events) {
        List<Event> traffic = new ArrayList<>();
        long clock = 0;
        for (int offset = 0; offset < events; offset++) {
            clock += random.nextInt(2000) + (random.nextInt(events / 4) == 0 ? random.nextInt(6) * QUARTER : 0);
            String key = random.nextBoolean() ? "A" : "B";
            if (offset > 0 && random.nextInt(5) == 0) {
                Event old = traffic.get(Math.max(0, offset - 1 - (int) Math.pow(offset, random.nextDouble())));
                boolean same = random.nextBoolean();
                traffic.add(event(same ? old.key() : key, old.id(), same ? old.time() : clock, old.amount(), offset));
            } else {
                long time = Math.max(0, clock - random.nextInt(10) * QUARTER / 5);
                traffic.add(event(key, "e" + offset, time, random.nextInt(3), offset));
            }
        }
        return traffic;
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 50, 255, 256, 257, 700, 5000})
    void theAnswersAreThoseOfAMapOverSealingForgettingRestartsAndCrashes(int mostRecent) {
        agreesWithTheModel(DeduplicateScope.KEY, mostRecent, mostRecent);
    }

    @ParameterizedTest
    @EnumSource(DeduplicateScope.class)
    void theAnswersAreThoseOfAMapInEachScope(DeduplicateScope scope) {
        agreesWithTheModel(scope, 300, 9);
    }

    private void agreesWithTheModel(DeduplicateScope scope, int mostRecent, long seed) {
        Random random = new Random(seed);
        List<Event> traffic = traffic(random, 12_000);
        Model model = new Model(scope);
        SeenEvents seen = new SeenEvents(store, HOUR, scope, mostRecent);
        Map<Bytes, byte[]> committed = Map.of();
        int committedNext = 0;
        int crashes = 0;
        int next = 0;
        while (next < traffic.size()) {
            Event event = traffic.get(next++);
            assertThat(remember(seen, event)).as("event %d", next - 1).isEqualTo(model.remember(event));
            int dice = random.nextInt(1000);
            if (dice < 30) {
                seen.flush();
                committed = contents();
                model.commit();
                committedNext = next;
            }
            if (dice < 2) {
                seen = new SeenEvents(store, HOUR, scope, mostRecent);
            } else if (dice >= 996 && crashes++ < 50) {
                store = storeOf(committed);
                model.crash();
                seen = new SeenEvents(store, HOUR, scope, mostRecent);
                next = committedNext;
            }
        }
        assertThat(seen.size()).isEqualTo(model.accepted.size()).isBetween(100L, 8_000L);
        assertThat(crashes).isGreaterThan(10);
    }

    private Map<Bytes, byte[]> contents() {
        try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
            Map<Bytes, byte[]> contents = new HashMap<>();
            all.forEachRemaining(entry -> contents.put(entry.key, entry.value));
            return contents;
        }
    }

    private static KeyValueStore<Bytes, byte[]> storeOf(Map<Bytes, byte[]> contents) {
        KeyValueStore<Bytes, byte[]> store = emptyStore();
        contents.forEach(store::put);
        return store;
    }

    /** How the answers come about must not show in them. */
    private enum Way {
        LIVE,
        ONE_COMMIT_AT_THE_END,
        RESTARTED_AFTER_EACH_EVENT
    }

    private List<Boolean> repeated(Way way, List<Event> events) {
        store = emptyStore();
        List<Boolean> repeated = new ArrayList<>();
        SeenEvents seen = start();
        for (Event event : events) {
            repeated.add(remember(seen, event) != null);
            if (way != Way.ONE_COMMIT_AT_THE_END) {
                seen.flush();
            }
            if (way == Way.RESTARTED_AFTER_EACH_EVENT) {
                seen = start();
            }
        }
        return repeated;
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void anIdIsForgottenToTheMillisecondFourQuartersAfterItsOwn(Way way) {
        assertThat(repeated(
                        way,
                        List.of(
                                event("first", QUARTER - 1, 0),
                                event("second", QUARTER, 1),
                                event("clock-1", 5 * QUARTER - 1, 2),
                                event("first", QUARTER - 1, 3), // still known
                                event("clock-2", 5 * QUARTER, 4),
                                event("first", QUARTER - 1, 5), // forgotten
                                event("clock-3", 6 * QUARTER - 1, 6),
                                event("second", QUARTER, 7), // still known
                                event("clock-4", 6 * QUARTER, 8),
                                event("second", QUARTER, 9), // forgotten
                                event("first", QUARTER - 1, 10)))) // known since offset 5
                .containsExactly(false, false, false, true, false, false, false, true, false, false, true);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void aQuarterThatARepetitionBeganCountsForWhatFollows(Way way) {
        assertThat(repeated(
                        way,
                        List.of(
                                event("late-copy", QUARTER - 1, 0),
                                event("late-copy", QUARTER, 1), // begins the second quarter and is not kept in it
                                event("straggler", 0, 2), // accepted in the second quarter
                                event("clock-1", 5 * QUARTER, 3),
                                event("straggler", 0, 4), // still known
                                event("clock-2", 6 * QUARTER, 5),
                                event("straggler", 0, 6)))) // forgotten
                .containsExactly(false, true, false, false, true, false, false);
    }

    @Test
    void memoryIsBoundedHoweverManyIdsAGenerationHas() {
        SeenEvents seen = start();
        long most = 0;
        for (int i = 0; i < 500_000; i++) {
            remember(seen, event("e" + i, QUARTER / 2, i));
            if (i % 20_000 == 0) {
                seen.flush();
                most = Math.max(most, seen.heapBytes());
            }
        }

        assertThat(seen.size()).isEqualTo(500_000);
        assertThat(most).isLessThan(3_000_000 + 4 * 500_000);
        assertThat(remember(seen, event("e0", QUARTER / 2, 0))).isEqualTo(new Earlier(true, 3, 0));
        assertThat(start().heapBytes()).as("after a restart").isLessThan(3_000_000 + 4 * 500_000);
    }

    @Test
    void theStoreIsHardlyEverReadForWhatIsNew() {
        AtomicInteger reads = new AtomicInteger();
        SeenEvents seen = new SeenEvents(counting(reads), HOUR, DeduplicateScope.KEY, 1000);
        for (int i = 0; i < 100_000; i++) {
            remember(seen, event("e" + i, 0, i));
        }
        assertThat(reads).hasValueLessThan(100_000 / 10);

        reads.set(0);
        for (int i = 0; i < 1000; i++) {
            remember(seen, event("e" + i, 0, i));
        }
        assertThat(reads).hasValueLessThan(1000 * 3);
    }

    /** The store, counting how often it is asked for a block. */
    @SuppressWarnings("unchecked")
    private KeyValueStore<Bytes, byte[]> counting(AtomicInteger reads) {
        return (KeyValueStore<Bytes, byte[]>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {KeyValueStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("get")) {
                        reads.incrementAndGet();
                    }
                    return method.invoke(store, arguments);
                });
    }

    @Test
    void noRecordOfTheChangelogIsLarge() {
        SeenEvents seen = start();
        IntStream.range(0, 200_000).forEach(i -> remember(seen, event("e" + i, 0, i)));
        seen.flush();

        assertThat(contents().values()).extracting(value -> value.length).allMatch(length -> length <= 8192);
    }

    @Test
    void blocksAreFewHoweverOftenIsCommitted() {
        SeenEvents seen = start();
        for (int i = 0; i < 10_000; i++) {
            remember(seen, event("e" + i, 0, i));
            seen.flush();
        }

        assertThat(keys()).hasSize(1 + (10_000 + 255) / 256); // and the stream time
    }

    @Test
    void theStoreShrinksWhenIdsAreForgottenAFewThousandBlocksPerCommit() {
        SeenEvents seen = new SeenEvents(store, HOUR, DeduplicateScope.KEY, 1); // a block per id
        for (int i = 0; i < 10_000; i++) {
            remember(seen, event("e" + i, 0, i));
        }
        seen.flush();
        assertThat(keys()).hasSize(10_001);

        remember(seen, event("clock", 5 * QUARTER, 1));
        seen.flush();
        assertThat(seen.size()).isEqualTo(1);
        assertThat(keys()).hasSize(10_001 - 4096 + 1);

        SeenEvents restarted = start(); // goes on with it
        restarted.flush();
        restarted.flush();
        assertThat(keys()).hasSize(2);
        assertThat(restarted.size()).isEqualTo(1);
    }

    @Test
    void inTheGlobalScopeTheSameIdUnderAnotherKeyIsAConflict() {
        SeenEvents seen = new SeenEvents(store, HOUR, DeduplicateScope.GLOBAL);

        assertThat(remember(seen, event("A", "e1", 7, 5, 0))).isNull();
        assertThat(remember(seen, event("A", "e1", 7, 5, 1))).isEqualTo(new Earlier(true, 3, 0));
        assertThat(remember(seen, event("B", "e1", 7, 5, 2))).isEqualTo(new Earlier(false, 3, 0));
    }

    @Test
    void aFilterKnowsAllItsIdsAndFewOthers() {
        Random random = new Random(1);
        IdFilter filter = new IdFilter(65_536);
        IdBlock block = IdBlock.ofSize(65_536);
        for (int i = 0; i < block.size(); i++) {
            block.set(i, new SeenId(0, random.nextLong(), 0, 0, 0));
        }
        filter.addAll(block);

        assertThat(IntStream.range(0, block.size())).allMatch(i -> filter.mightHold(block.get(i)));
        long wrong = IntStream.range(0, 1_000_000)
                .filter(i -> filter.mightHold(new SeenId(0, random.nextLong(), 0, 0, 0)))
                .count();
        assertThat(wrong).isLessThan(1_000_000 / 70);
        assertThat(filter.room()).isZero();
    }

    /** With 48 equal bits, ids are not in a row by themselves; a block can end between them. */
    @Test
    void idsWithTheSameHeadAreFoundInWhicheverBlockTheyAre() {
        RecentIds recent = new RecentIds();
        SeenId[] ids = new Random(2)
                .longs(1000)
                .mapToObj(low -> new SeenId((low & 3) << 16 | low >>> 48, low, low, 3, 4))
                .toArray(SeenId[]::new);
        Arrays.stream(ids).forEach(recent::add);
        List<IdBlock> blocks = recent.sorted();
        SortedRun run = new SortedRun(blocks.size());
        blocks.forEach(run::add);

        assertThat(ids).allMatch(id -> id.equals(run.find(id, blocks::get)));
        assertThat(run.find(new SeenId(1L << 16, 5, 0, 0, 0), blocks::get)).isNull();
        assertThat(run.find(new SeenId(Long.MIN_VALUE, 5, 0, 0, 0), blocks::get))
                .isNull();
    }

    /** Each half is known, and so the filters let all of them pass; also those that differ in a few bits of one half. */
    @Test
    void idsThatHaveEitherHalfOfTheirHashInCommonAreToldApart() {
        long[] halves = IntStream.range(0, 32)
                .mapToLong(i -> i < 16 ? i : (long) i << 48)
                .toArray();
        List<SeenId> known = new ArrayList<>();
        List<SeenId> unknown = new ArrayList<>();
        for (int high = 0; high < halves.length; high++) {
            for (int low = 0; low < halves.length; low++) {
                SeenId id = new SeenId(halves[high], halves[low], high, 3, low);
                (high == low ? unknown : known).add(id);
            }
        }
        RecentIds recent = new RecentIds();
        known.forEach(recent::add);
        SeenGeneration older = stored(recent.sorted());

        assertThat(known).allMatch(id -> id.equals(recent.find(id)));
        assertThat(known).allMatch(id -> id.equals(older.find(id)));
        assertThat(unknown).allMatch(id -> recent.find(id) == null);
        assertThat(unknown).allMatch(id -> older.find(id) == null);
    }

    /** A generation whose only run lies in the store. */
    private SeenGeneration stored(List<IdBlock> blocks) {
        SeenGeneration generation = new SeenGeneration(store, 0, null);
        for (int number = 0; number < blocks.size(); number++) {
            BlockKey key = new BlockKey(0, 0, blocks.size(), number);
            store.put(key.bytes(), blocks.get(number).bytes());
            generation.add(key, blocks.get(number));
        }
        return generation;
    }

    /** As with one source partition. */
    private static SeenEvents.Earlier remember(SeenEvents seen, Event event) {
        return seen.remember(event, event.time());
    }

    /** It takes several commits to delete what is forgotten. */
    @Test
    void whatIsHalfDeletedStaysForgottenWhenTheRetentionIsMadeLonger() {
        SeenEvents seen = new SeenEvents(store, HOUR, DeduplicateScope.KEY, 1);
        for (int i = 0; i < 5_000; i++) {
            assertThat(seen.remember(event("e" + i, 0, i), 0)).isNull();
        }
        assertThat(seen.remember(event("last", 6 * QUARTER, 5_000), 6 * QUARTER))
                .isNull();
        seen.flush();
        assertThat(keys()).hasSizeBetween(500, 1_500);

        SeenEvents longer = new SeenEvents(store, HOUR.multipliedBy(10), DeduplicateScope.KEY, 1);
        for (int i = 0; i < 5_000; i++) {
            assertThat(longer.remember(event("e" + i, 0, 6_000 + i), 6 * QUARTER))
                    .isNull();
        }
        assertThat(longer.remember(event("last", 6 * QUARTER, 11_000), 6 * QUARTER))
                .isNotNull();
        longer.flush();
        longer.flush();
        assertThat(new SeenEvents(store, HOUR.multipliedBy(10), DeduplicateScope.KEY, 1).size())
                .isEqualTo(5_001);
    }

    /** A backlog: one source partition is two days ahead of the other, whose events come twice, an hour apart. */
    @Test
    void aSourcePartitionThatIsFarAheadMakesNothingBeForgotten() {
        SeenEvents seen = start();
        assertThat(seen.remember(event("slow", 0, 1), -1)).isNull();
        for (int hour = 0; hour < 48; hour++) {
            assertThat(seen.remember(event("fast" + hour, hour * 4 * QUARTER, hour), 0))
                    .isNull();
        }

        assertThat(seen.remember(event("slow", 0, 1), 0)).isNotNull();
        assertThat(seen.remember(event("fast0", 0, 0), 0)).isNotNull();
        seen.remember(event("clock", 60 * 4 * QUARTER, 0), 47 * 4 * QUARTER);
        assertThat(seen.remember(event("slow", 0, 1), 47 * 4 * QUARTER)).isNull();
    }
}
