package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.demo.Parts.Part;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class PartsTest {

    private final Parts parts = new Parts();
    private final List<Part> stopped = Collections.synchronizedList(new ArrayList<>());

    @Test
    void readersStopBeforeWhatTheyReadFromInWhateverOrderTheyStarted() {
        start(Part.DATABASE);
        start(Part.BROKER);
        start(Part.FEED);
        start(Part.CONNECT);
        start(Part.APP);
        start(Part.VIEW);

        parts.close();

        assertThat(stopped).containsExactly(Part.VIEW, Part.FEED, Part.APP, Part.CONNECT, Part.BROKER, Part.DATABASE);
    }

    @Test
    void onePartThatDoesNotStopDoesNotHinderTheOthers() {
        parts.start(Part.APP, () -> () -> {
            throw new IllegalStateException("will not stop");
        });
        start(Part.BROKER);

        parts.close();

        assertThat(stopped).containsExactly(Part.BROKER);
    }

    @Test
    void aPartThatIsStartingIsAwaitedAndStopped() throws InterruptedException {
        CountDownLatch starting = new CountDownLatch(1);
        CountDownLatch mayStart = new CountDownLatch(1);
        CompletableFuture<AutoCloseable> database = parts.startAside(Part.DATABASE, () -> {
            starting.countDown();
            mayStart.await();
            return () -> stopped.add(Part.DATABASE);
        });
        starting.await();

        CompletableFuture<Void> closing = CompletableFuture.runAsync(parts::close);
        mayStart.countDown();
        closing.join();

        assertThat(database).succeedsWithin(Duration.ofSeconds(30));
        assertThat(stopped).containsExactly(Part.DATABASE);
    }

    @Test
    void afterStoppingNothingStarts() {
        parts.close();

        assertThatThrownBy(() -> start(Part.APP)).hasMessage("The demo is being stopped.");
    }

    @Test
    void whatAStartThrewComesOutOfIt() {
        CompletableFuture<AutoCloseable> database = parts.startAside(Part.DATABASE, () -> {
            throw new DemoException("no space");
        });

        assertThatThrownBy(() -> Parts.join(database))
                .isInstanceOf(DemoException.class)
                .hasMessage("no space");
    }

    private void start(Part part) {
        parts.start(part, () -> () -> stopped.add(part));
    }
}
