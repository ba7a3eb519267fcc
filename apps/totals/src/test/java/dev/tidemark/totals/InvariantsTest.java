package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds for any sales in any order, repeated or refused, with restarts, crashes and quiet times in between. */
class InvariantsTest {

    @Provide
    Arbitrary<Run> runs() {
        return Runs.any();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void noRunBreaksARule(@ForAll("runs") Run run) throws IOException {
        Transcript transcript = Execution.of(run);

        assertThat(Rules.broken(transcript)).isEmpty();
    }
}
