package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.console.Dispositions.Part;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The ribbons of the ledger, of which the first two numbers of a path say where it begins. */
class FlowTest {

    private static List<String> ribbons(long received, long counted, long late) {
        Dispositions sides = new Dispositions(
                "sales",
                null,
                null,
                BigDecimal.valueOf(received),
                BigDecimal.ZERO,
                List.of(part("counted", counted), part("late", late)),
                null,
                null);
        return Flow.of(sides).ribbons().stream()
                .map(ribbon -> ribbon.label() + " " + ribbon.path().split("C")[0] + " "
                        + ribbon.path().substring(ribbon.path().lastIndexOf(' ') + 1))
                .toList();
    }

    private static Part part(String label, long count) {
        return new Part(label, BigDecimal.valueOf(count), BigDecimal.ZERO);
    }

    @Test
    void aRibbonIsAsThickAsItsPartOfAllRecords() {
        assertThat(ribbons(200, 150, 50)).containsExactly("counted M0 0.00 75.00Z", "late M0 75.00 100.00Z");
    }

    @Test
    void recordsThatAreInNoPartHaveTheFirstRibbon() {
        assertThat(ribbons(200, 150, 0)).containsExactly("unaccounted M0 0.00 25.00Z", "counted M0 25.00 100.00Z");
        assertThat(ribbons(1_000_000, 999_999, 0))
                .containsExactly("unaccounted M0 0.00 0.30Z", "counted M0 0.00 100.00Z");
    }

    @Test
    void whereMoreIsAccountedForThanWasReceivedNothingIsMissing() {
        assertThat(ribbons(100, 100, 1)).containsExactly("counted M0 0.00 100.00Z", "late M0 100.00 101.00Z");
    }
}
