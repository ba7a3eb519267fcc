package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostTest {

    @Test
    void anAlwaysOnMachineAt40AnHourIs28800AMonthAndADailyBatchOf20MinutesIs400() {
        Cost cost = Cost.of(new Cost.Ask(new BigDecimal("40"), 1440, 20, new BigDecimal("24")));

        assertThat(cost.stream()).isEqualByComparingTo("28800");
        assertThat(cost.daily()).isEqualByComparingTo("400");
        assertThat(cost.advice()).isEqualTo(Cost.Advice.BATCH);
    }

    @ParameterizedTest
    @CsvSource({
        "1440, 20, BATCH",
        "1439, 20, MICRO_BATCH", // Twice a day.
        "60,   20, MICRO_BATCH",
        "40,   20, STREAM", // One after the other, as long as a stream.
        "39,   20, STREAM", // The next batch would begin before this one ends.
        "5,    20, STREAM",
        "60,   59, STREAM",
        "1,     1, STREAM"
    })
    void theCheapestThatIsFreshEnoughIsAdvised(int fresh, int run, Cost.Advice advice) {
        assertThat(Cost.of(new Cost.Ask(new BigDecimal("40"), fresh, run, new BigDecimal("24")))
                        .advice())
                .isEqualTo(advice);
    }

    @Test
    void aStreamThatRunsOnlyHoursADayCanBeCheaperThanBatches() {
        Cost cost = Cost.of(new Cost.Ask(new BigDecimal("40"), 60, 20, new BigDecimal("8")));

        assertThat(cost.stream()).isEqualByComparingTo("9600");
        assertThat(cost.runsADay()).isEqualTo(36); // Numbers are 20 to 60 minutes old.
        assertThat(cost.micro()).isEqualByComparingTo("14400");
        assertThat(cost.advice()).isEqualTo(Cost.Advice.STREAM);
    }
}
