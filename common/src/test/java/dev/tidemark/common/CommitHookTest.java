package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fails when an upgrade of Kafka Streams breaks what {@link CommitHook} and {@link SourceContext} rest on. */
class CommitHookTest {

    @TempDir
    Path state;

    @Test
    void aProcessorIsCalledOncePerCommitAndItsRecordsGoToItsOwnChildren() {
        try (TopologyFixture fixture = new TopologyFixture(CommitHookTest::topology, "in", state, Instant.EPOCH)) {
            fixture.send(new byte[] {1}, Instant.ofEpochMilli(5));
            fixture.send(new byte[] {2}, Instant.ofEpochMilli(6));
            assertThat(fixture.read("first"))
                    .extracting(record -> record.value()[0])
                    .containsExactly((byte) 1, (byte) 2);
            assertThat(fixture.read("second"))
                    .extracting(record -> record.value()[0])
                    .containsExactly((byte) 1, (byte) 2);

            fixture.advanceWallClock(Duration.ofSeconds(1)); // a punctuation, and the commit behind it
            assertThat(fixture.read("first"))
                    .extracting(record -> record.value()[0])
                    .containsExactly((byte) 100);
        }
    }

    private static void topology(StreamsBuilder builder) {
        builder.stream(
                        "in",
                        Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("consume-in"))
                .process(new AtCommit("first-hook"), Named.as("first-at-commit"))
                .to(
                        "first",
                        Produced.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("write-first"));
        builder.stream(
                        "first",
                        Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("consume-first"))
                .process(new AtCommit("second-hook"), Named.as("second-at-commit"))
                .to(
                        "second",
                        Produced.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("write-second"));
    }

    private record AtCommit(String hook) implements ProcessorSupplier<byte[], byte[], byte[], byte[]> {

        @Override
        public Processor<byte[], byte[], byte[], byte[]> get() {
            return new ContextualProcessor<>() {

                private byte[] pending;

                @Override
                public void init(ProcessorContext<byte[], byte[]> context) {
                    super.init(context);
                    context.<CommitHook>getStateStore(hook).beforeCommit(context, this::forward);
                    context.schedule(
                            Duration.ofSeconds(1),
                            PunctuationType.WALL_CLOCK_TIME,
                            now -> SourceContext.run(context, new Origin("in", 0, -1), () -> {
                                assertThat(context.recordMetadata()
                                                .orElseThrow()
                                                .topic())
                                        .isEqualTo("in");
                                pending = new byte[] {100};
                            }));
                }

                @Override
                public void process(Record<byte[], byte[]> record) {
                    pending = record.value();
                }

                private void forward() {
                    if (pending != null) {
                        context().forward(new Record<>(null, pending, 0));
                        pending = null;
                    }
                }
            };
        }

        @Override
        public Set<StoreBuilder<?>> stores() {
            return Set.of(CommitHook.named(hook));
        }
    }
}
