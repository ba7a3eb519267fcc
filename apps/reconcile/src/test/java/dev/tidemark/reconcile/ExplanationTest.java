package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.reconcile.Break.Kind;
import dev.tidemark.reconcile.Break.Numbers;
import dev.tidemark.reconcile.Explanation.Candidate;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said about a difference, with amounts in hundredths. */
class ExplanationTest {

    private static final List<Candidate> EVENTS = List.of(
            new Candidate("e1", 100, 1),
            new Candidate("e2", 250, 3),
            new Candidate("e3", 250, 1),
            new Candidate("e4", -80, 2));

    @Test
    void oneEventThatFitsIsMissing() {
        assertThat(different("4.20", 3, "5.20", 4)).isEqualTo("event e1 is missing [e1]");
        assertThat(different("6.00", 3, "5.20", 4)).isEqualTo("event e4 is missing [e4]");
        assertThat(different("2.70", 3, "5.20", 4))
                .isEqualTo("one event is missing, of one of the amounts that fit [e2, e3]");
        assertThat(different("0.70", 3, "5.20", 4)).isEqualTo("1 event is missing []");
        assertThat(different("1.00", 1, "5.20", 4)).isEqualTo("3 events are missing []");
    }

    @Test
    void repeatedEventsWereCountedMoreThanOnce() {
        assertThat(different("7.70", 5, "5.20", 4)).isEqualTo("event e2 was counted twice [e2]");
        assertThat(different("10.20", 6, "5.20", 4)).isEqualTo("event e2 was counted 3 times [e2]");
        assertThat(different("9.40", 7, "5.20", 4)).isEqualTo("repeated events were counted again [e2, e4]");
        assertThat(different("5.21", 5, "5.20", 4))
                .isEqualTo("one event more was counted than the input has, each id once [e2, e4]");
    }

    @Test
    void aPowerOfTenIsAScale() {
        String scale = "the totals differ by a power of ten: see the scale of the amounts []";
        assertThat(different("520.00", 4, "5.20", 4)).isEqualTo(scale);
        assertThat(different("0.052", 4, "5.20", 4)).isEqualTo(scale);
        assertThat(different("-5.2", 4, "5.20", 4)).doesNotContain("ten");
        assertThat(different("5.21", 4, "5.20", 4)).doesNotContain("ten");
    }

    private static String different(String published, long count, String recounted, long recountedCount) {
        Break found = new Explanation(2)
                .explain(
                        Break.of(
                                Kind.DIFFERENT,
                                Break.Subject.of(new WindowKey("A", 0)),
                                new Numbers(1, new BigDecimal(published), count),
                                new Numbers(null, new BigDecimal(recounted), recountedCount)),
                        EVENTS);
        return found.explanation() + " " + found.eventIds();
    }
}
