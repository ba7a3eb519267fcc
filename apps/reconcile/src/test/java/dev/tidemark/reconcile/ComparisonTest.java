package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Windows of ten units of time and amounts with two decimal places, recounted and published. */
class ComparisonTest {

    private static final long SIZE = 10;

    @TempDir
    Path directory;

    private WindowSums recounted;
    private WindowSums excused;
    private final List<PublishedWindow> published = new ArrayList<>();
    /** What an earlier recount found to be broken. */
    private final Set<Break.Subject> doubted = new HashSet<>();
    /** How far the input says that time has gone on partition 0; nothing is known of the others. */
    private long closed;

    @BeforeEach
    void open() {
        recounted = new WindowSums(directory.resolve("recounted"));
        excused = new WindowSums(directory.resolve("excused"));
    }

    @AfterEach
    void close() {
        recounted.close();
        excused.close();
    }

    @Test
    void windowsOfSeveralKeysAreComparedInTheOrderOfTheTable() {
        recount("A", 0, 100, 0);
        recount("A", 10, 200, 0);
        recount("B", 0, 300, 0);
        recount("É", 0, 400, 0);
        recount("𝄞", 0, 500, 0);
        publish("A", 0, 1, "1.00", 1);
        publish("A", 10, 1, "2.00", 1);
        publish("AB", 0, 1, "9.00", 1);
        publish("B", 0, 2, "3", 1);
        publish("É", 0, 1, "4.000", 1);
        publish("𝄞", 0, 1, "5.01", 1);

        assertThat(compare()).containsExactly("unexpected AB 0", "different 𝄞 0", "equal 4");
    }

    @Test
    void aWindowThatTheInputClosesIsMissingAndAnOpenOneIsNotDecided() {
        closed = 10;
        recount("A", 0, 100, 0);
        recount("A", 10, 100, 0);

        assertThat(compare()).containsExactly("missing A 0", "undecided 1");
    }

    @Test
    void aWindowIsDueWhenAnotherOfItsPartitionThatEndsNoEarlierIsFinal() {
        recount("A", 0, 100, 1);
        recount("B", 0, 100, 2);
        recount("C", 0, 100, 1);
        recount("C", 10, 100, 1);
        publish("C", 0, 1, "1.00", 1);

        assertThat(compare()).containsExactly("missing A 0", "equal 1", "undecided 2");
    }

    @Test
    void whereOneClockServesAllPartitionsAFinalOfAnyMakesAWindowDue() {
        recount("A", 0, 100, 1);
        recount("B", 0, 100, 2);
        publish("B", 0, 1, "1.00", 1);

        assertThat(compare(true)).containsExactly("missing A 0", "equal 1");
    }

    @Test
    void aProvisionalRowIsNoFinal() {
        closed = 10;
        recount("A", 0, 100, 0);
        recount("A", 10, 100, 0);
        publish("A", 0, 0, "1.00", 1);
        publish("A", 10, 0, "0.50", 1);

        assertThat(compare()).containsExactly("missing A 0", "undecided 1");
    }

    @Test
    void whatThePipelineHasPublishedAsTooLateExplainsADifferenceIfItFitsToTheLastDigit() {
        closed = 20;
        recount("A", 0, 100, 0);
        recount("A", 0, 55, 0);
        recount("A", 10, 100, 0);
        recount("B", 0, 100, 0);
        recount("B", 0, 55, 0);
        excused.add(new WindowKey("A", 0), 55, 0);
        excused.add(new WindowKey("A", 10), 100, 0);
        excused.add(new WindowKey("B", 0), 54, 0);
        publish("A", 0, 1, "1.00", 1);
        publish("B", 0, 1, "1.00", 1);

        assertThat(compare()).containsExactly("different B 0", "explained 2");
    }

    @Test
    void anotherEndOfAWindowIsADifference() {
        recount("A", 0, 100, 0);
        published.add(new PublishedWindow(
                new WindowKey("A", 0),
                11,
                1,
                new BigDecimal("1.00"),
                1,
                new BigDecimal("1.00"),
                new BigDecimal("1.00"),
                "s",
                null));

        assertThat(compare()).containsExactly("different A 0");
    }

    @Test
    void aBreakThatIsNotFoundAgainIsNone() {
        recount("A", 0, 100, 0);
        publish("A", 0, 1, "2.00", 1);
        Tally first = tally(false);
        recount("A", 0, 100, 0);
        published.clear();
        publish("A", 0, 2, "2.00", 2);
        recount("B", 0, 100, 0);
        publish("B", 0, 1, "7.00", 1);
        Tally second = tally(false);

        assertThat(first.breaks()).hasSize(1);
        assertThat(second.breaks()).hasSize(1);
        Tally confirmed = first.confirm(second);
        assertThat(confirmed.breaks()).isEmpty();
        assertThat(confirmed.undecided()).isEqualTo(1);
        assertThat(second.confirm(second).breaks()).hasSize(1);
    }

    /** While late events keep coming, the table may be ahead of the input both times. */
    @Test
    void aDifferenceOfWhatHasChangedInBetweenProvesNothing() {
        recount("A", 0, 100, 0);
        publish("A", 0, 2, "2.00", 2);
        Tally first = tally(false);
        recount("A", 0, 100, 0);
        published.clear();
        publish("A", 0, 3, "3.00", 3);
        Tally second = tally(false);

        Tally confirmed = first.confirm(second);
        assertThat(confirmed.hasBreaks()).isFalse();
        assertThat(confirmed.compared()).isZero();
        assertThat(confirmed.undecided()).isEqualTo(1);
    }

    @Test
    void whatWasNotKeptTheFirstTimeIsNotConfirmed() {
        recount("A", 0, 100, 0);
        publish("A", 0, 1, "2.00", 1);
        Tally all = tally(false);
        Tally none = new Tally(0, Set.of());
        none.add(all.breaks().get(0));

        assertThat(none.confirm(all).hasBreaks()).isFalse();
        assertThat(none.confirm(all).undecided()).isEqualTo(1);
    }

    /** Else it would count as resolved although nobody has looked. */
    @Test
    void whatIsLeftUndecidedStaysInDoubt() {
        recount("A", 0, 100, 0);
        recount("B", 0, 100, 1);
        recount("C", 0, 100, 0);
        publish("C", 0, 1, "1.00", 1);
        List.of("A", "B", "C", "D").forEach(key -> doubted.add(Break.Subject.of(new WindowKey(key, 0))));
        closed = 10;
        Tally tally = tally(false);

        assertThat(doubted)
                .filteredOn(tally::hasJudged)
                .extracting(Break.Subject::key)
                .containsExactlyInAnyOrder("A", "C", "D");
    }

    @Test
    void whatHasChangedBetweenTheTwoLooksStaysInDoubt() {
        recount("A", 0, 100, 0);
        publish("A", 0, 2, "2.00", 2);
        doubted.add(Break.Subject.of(new WindowKey("A", 0)));
        Tally first = tally(false);
        published.clear();
        publish("A", 0, 3, "3.00", 3);

        assertThat(doubted).noneMatch(first.confirm(tally(false))::hasJudged).allMatch(first.confirm(first)::hasJudged);
    }

    private void recount(String key, long start, long amount, int partition) {
        recounted.add(new WindowKey(key, start), amount, partition);
    }

    /** With one event, or events that are smaller and greater than all others. */
    private void publish(String key, long start, int version, String total, long count) {
        BigDecimal amount = new BigDecimal(total);
        published.add(new PublishedWindow(
                new WindowKey(key, start),
                start + SIZE,
                version,
                amount,
                count,
                count == 1 ? amount : BigDecimal.ONE,
                count == 1 ? amount : BigDecimal.ONE,
                "s",
                null));
    }

    private List<String> compare() {
        return compare(false);
    }

    private List<String> compare(boolean together) {
        Tally tally = tally(together);
        List<String> found = new ArrayList<>();
        tally.breaks()
                .forEach(each -> found.add(each.kind().label() + " "
                        + each.subject().key() + " " + each.subject().time()));
        addUnlessZero(found, "equal", tally.equal);
        addUnlessZero(found, "explained", tally.explained);
        addUnlessZero(found, "undecided", tally.undecided());
        return found;
    }

    private static void addUnlessZero(List<String> found, String name, long count) {
        if (count > 0) {
            found.add(name + " " + count);
        }
    }

    private Tally tally(boolean together) {
        Comparison.Due due = (partition, end) -> partition == 0 && end <= closed;
        try (DiskMap.Cursor all = recounted.cursor()) {
            return new Comparison(2, start -> start + SIZE, due, excused, 3, together, doubted)
                    .compare(all, published.iterator());
        }
    }
}
