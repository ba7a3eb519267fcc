package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CafeFeedTest {

    private static final Instant TODAY = Instant.parse("2026-07-01T15:30:00Z");

    @TempDir
    Path directory;

    @Test
    void theCafesOpenedAsManyDaysAgoAsSimulatedTimeIsFaster() {
        assertThat(CafeFeed.opening(TODAY, 60)).isEqualTo("2026-05-02T08:00:00Z");
        assertThat(CafeFeed.opening(TODAY, 2.5)).isEqualTo("2026-06-28T08:00:00Z");
        assertThat(CafeFeed.opening(TODAY, 0.1)).isEqualTo("2026-06-29T08:00:00Z");
    }

    @Test
    void aLaterStartContinuesWhereTheLastOneEnded() throws IOException {
        Path position = Files.writeString(directory.resolve("cafes-until"), "2026-06-01T12:34:56.789Z");

        assertThat(new CafeFeed(position, 60, 30).progress())
                .isEqualTo("20 cafes at 2026-06-01T12:34:56Z, 0 events sent");
    }

    @Test
    void aPositionThatCannotBeReadIsNamed() throws IOException {
        Path position = Files.writeString(directory.resolve("cafes-until"), "noon");

        assertThatThrownBy(() -> new CafeFeed(position, 60, 30))
                .isInstanceOf(DemoException.class)
                .hasMessage("%s holds no time; delete it to begin anew.", position);
    }
}
