package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.reconcile.Break.Kind;
import dev.tidemark.reconcile.Break.Numbers;
import dev.tidemark.reconcile.Break.Subject;
import java.math.BigDecimal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the app may be asked to publish. */
class CorrectionsTest {

    /** In the third case version 2 has 105.00 of 2 events, and a third came too late; only version 1 was lost. */
    @ParameterizedTest
    @CsvSource({
        "DIFFERENT, 105.00, 2, 112.00, 3, true",
        "VERSION_MISSING, 105.00, 2, 105, 2, true",
        "VERSION_MISSING, 105.00, 2, 112.00, 3, false",
        "VERSION_MISSING, 105.00, 2, 105.00, 3, false",
        "UNEXPECTED, 105.00, 2, 0, 0, false",
    })
    void whatWasLeftOutRightlyIsNotAskedFor(
            Kind kind, BigDecimal published, long events, BigDecimal recounted, long counted, boolean asked) {
        Break found = Break.of(
                kind,
                Subject.of(new WindowKey("A", 0)),
                new Numbers(2, published, events),
                new Numbers(null, recounted, counted));

        assertThat(Corrections.mayBeAsked(found)).isEqualTo(asked);
    }
}
