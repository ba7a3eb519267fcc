package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.reconcile.Pair.Times;
import dev.tidemark.reconcile.PublishedPairs.Row;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pairs by the input beside current rows. A partner is waited for until ten after its event. */
class PairsComparisonTest {

    @TempDir
    Path directory;

    private DiskMap recounted;
    private final List<Row> published = new ArrayList<>();
    private final List<Pair> late = new ArrayList<>();
    /** How far the input says that time has gone. */
    private long now;

    @BeforeEach
    void open() {
        recounted = new DiskMap(directory.resolve("pairs"));
    }

    @AfterEach
    void close() {
        recounted.close();
    }

    @Test
    void whatIsDueAndOnlyOnOneSideIsABreak() {
        now = 20;
        recount("A", "l1", "r1", 1, 2);
        recount("A", "l2", "", 5, Times.NONE);
        recount("B", "l3", "r3", 6, 7);
        recount("B", "", "r4", Times.NONE, 8);
        publish("A", "", "r9", Times.NONE, 3);
        publish("A", "l1", "r1", 1, 2);
        publish("B", "l3", "r3", 6, 8);

        assertThat(compare())
                .containsExactly("missing A|l2|", "unexpected A||r9", "missing B||r4", "different B|l3|r3", "equal 1");
    }

    @Test
    void whatMayStillChangeIsNotDecidedUntilRowsShowThatTimeHasCome() {
        now = 4;
        recount("A", "l1", "r1", 1, 5);
        recount("A", "l2", "", 2, Times.NONE);
        assertThat(compare()).containsExactly("undecided 2");

        recount("B", "l3", "", 3, Times.NONE);
        publish("B", "l3", "", 3, Times.NONE);
        assertThat(compare()).containsExactly("missing A|l2|", "equal 1", "undecided 1");

        recount("B", "l4", "r4", 5, 5);
        publish("B", "l4", "r4", 5, 5);
        assertThat(compare()).containsExactly("missing A|l1|r1", "missing A|l2|", "equal 2");
    }

    @Test
    void aLateEventExplainsThatItMissedTheOther() {
        now = 20;
        recount("A", "l1", "r1", 1, 2);
        publish("A", "l1", "", 1, Times.NONE);
        late.add(new Pair("A", "l1", "r1"));

        publish("A", "l2", "", 1, Times.NONE);

        assertThat(compare()).containsExactly("unexpected A|l2|", "explained 2");
    }

    private void recount(String key, String left, String right, long leftTime, long rightTime) {
        recounted.put(new Pair(key, left, right).toBytes(), new Times(leftTime, rightTime, 0).toBytes());
    }

    private void publish(String key, String left, String right, long leftTime, long rightTime) {
        published.add(new Row(new Pair(key, left, right), new Times(leftTime, rightTime, -1), 1));
    }

    private List<String> compare() {
        PairsComparison.Due due = new PairsComparison.Due() {
            @Override
            public boolean isReached(int partition, long time) {
                return time <= now;
            }

            @Override
            public boolean isClosed(int partition, long end) {
                return end <= now;
            }

            @Override
            public Integer clockOf(int partition) {
                return partition;
            }
        };
        Tally tally;
        try (DiskMap.Cursor all = recounted.cursor()) {
            tally = new PairsComparison(due, times -> times.event() + 10, late::contains, Set.of())
                    .compare(all, published.iterator());
        }
        List<String> found = new ArrayList<>();
        tally.breaks()
                .forEach(each ->
                        found.add(each.kind().label() + " " + each.subject().key() + "|"
                                + each.subject().leftId() + "|" + each.subject().rightId()));
        if (tally.equal > 0) {
            found.add("equal " + tally.equal);
        }
        if (tally.explained > 0) {
            found.add("explained " + tally.explained);
        }
        if (tally.undecided() > 0) {
            found.add("undecided " + tally.undecided());
        }
        return found;
    }
}
