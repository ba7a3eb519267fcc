package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class StateTermsTest {

    private static final StateTerms WRITTEN =
            new StateTerms(Map.of("window", "10m", "key", "[/store, /till]", "amount", "[/a=b]"));

    @Test
    void theSameSettingsAreAccepted() {
        StateTerms now = new StateTerms(Map.of("amount", "[/a=b]", "key", "[/store, /till]", "window", "10m"));

        assertThatCode(() -> now.requireSameAs(StateTerms.fromText(WRITTEN.toText()), "sales-totals"))
                .doesNotThrowAnyException();
    }

    @Test
    void eachChangeIsNamedWithItsOldAndItsNewValue() {
        StateTerms now = new StateTerms(Map.of("window", "20m", "key", "[/store, /till]", "scope", "global"));

        assertThatThrownBy(() -> now.requireSameAs(StateTerms.fromText(WRITTEN.toText()), "sales-totals"))
                .isInstanceOf(StartRefusedException.class)
                .hasMessage("The state of sales-totals was written with amount [/a=b] and is now not set, scope not set"
                        + " and is now global, window 10m and is now 20m; set it back, use a new pipeline name, or reset"
                        + " the pipeline as the README says.");
    }
}
