package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ItemBytesTest {

    private final ItemBytes bytes = new ItemBytes(List.of("orders", "payments"), false);

    @Test
    void anEventIsReadBackAsItWas() {
        byte[] payload = "{\"id\":\"日本\"}".getBytes(StandardCharsets.UTF_8);
        Event event = new Event(
                new Origin("payments", 7, Long.MAX_VALUE), 3, "日本 / é", "\uD83D\uDE00", 5, 6, Long.MIN_VALUE, payload);

        Event read = (Event) bytes.fromBytes(bytes.toBytes(event));

        assertThat(read).usingRecursiveComparison().isEqualTo(event);
    }

    @Test
    void progressIsReadBackAsItWas() {
        Progress progress = new Progress(new Route("orders", 7, 3), -1, 31_000, true, 1_782_900_000_000L);

        assertThat(bytes.fromBytes(bytes.toBytes(progress))).isEqualTo(progress);
    }

    @Test
    void progressWithoutTheTimeAtWhichItWasSaidIsReadAsSaidLongAgo() {
        Progress progress = new Progress(new Route("orders", 7, 3), 5, 0, true, 1_782_900_000_000L);
        byte[] written = bytes.toBytes(progress);

        assertThat(bytes.fromBytes(Arrays.copyOf(written, written.length - Long.BYTES)))
                .isEqualTo(new Progress(new Route("orders", 7, 3), 5, 0, true, 0));
    }

    @Test
    void theLargestEventIsSmallAndStillShowsInAnExceptionRowWhatItWould() {
        String longest = "é".repeat(512);
        byte[] payload = ("x" + "é".repeat(500_000)).getBytes(StandardCharsets.UTF_8);
        Event event = new Event(new Origin("orders", 0, 1), longest, longest, 5, 6, 7, payload);
        ExceptionRows rows = new ExceptionRows("sales", 2);

        byte[] written = bytes.toBytes(event);
        Event read = (Event) bytes.fromBytes(written);

        assertThat(written).hasSizeLessThan(8 * 1024);
        assertThat(rows.of(Outcome.of(read, Disposition.LATE, "late")).value)
                .isEqualTo(rows.of(Outcome.of(event, Disposition.LATE, "late")).value);
    }

    @Test
    void aTopicThatIsNotAnInputIsNamed() {
        Event event = new Event(new Origin("refunds", 0, 1), "e1", "A", 5, 6, 7, new byte[0]);

        assertThatThrownBy(() -> bytes.toBytes(event)).hasMessageContaining("refunds is not one of the input topics");
    }
}
