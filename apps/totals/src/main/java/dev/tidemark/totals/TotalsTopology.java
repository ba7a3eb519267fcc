package dev.tidemark.totals;

import static org.apache.kafka.streams.KeyValue.pair;

import dev.tidemark.common.DeadLetters;
import dev.tidemark.common.Deduplicate;
import dev.tidemark.common.DeduplicateScope;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventClock;
import dev.tidemark.common.EventReader;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.ExceptionRows;
import dev.tidemark.common.InputTimestamps;
import dev.tidemark.common.Item;
import dev.tidemark.common.KeyInPlace;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Ledger;
import dev.tidemark.common.LedgerCounts;
import dev.tidemark.common.LedgerRows;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.ReadEvents;
import dev.tidemark.common.Tick;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.state.WindowStore;

/** Events in; provisional, final and corrected totals out, and an account of every event. */
final class TotalsTopology {

    /** The windowed sums, which corrections build on. */
    static final String TOTALS = "totals-by-window";

    /** Replayed events are old from the start; their state must not expire by the broker's clock. */
    private static final Map<String, String> KEPT = Map.of(TopicConfig.RETENTION_MS_CONFIG, "-1");

    private final TotalsProperties settings;
    private final MeterRegistry meters;
    private final EventWindows windows;
    private final Duration retention;

    TotalsTopology(TotalsProperties settings, MeterRegistry meters) {
        this.settings = settings;
        this.meters = meters;
        this.windows = settings.window().windows(settings.grace());
        // Ticks run ahead of the watermark by the grace and up to two windows.
        this.retention =
                settings.correctUntil().plus(settings.grace().multipliedBy(2)).plusMillis(3 * windows.size());
    }

    void build(StreamsBuilder builder) {
        builder.addStateStore(LedgerCounts.builder());
        KStream<byte[], Item> read = builder.stream(settings.input().topic(), fromInput())
                .processValues(readEvents(), Named.as("read-events"), LedgerCounts.NAME);
        KStream<byte[], Item> distinct = read.processValues(deduplicate(), Named.as("drop-duplicates"));
        KStream<String, Item> clocked =
                KeyInPlace.process(distinct, eventClock(), Named.as("keep-event-time"), LedgerCounts.NAME);

        KTable<Windowed<String>, WindowTotal> totals = clocked.filter(
                        (k, item) -> isOnTime(item), Named.as("take-on-time"))
                .groupByKey(Grouped.as("by-key"))
                .windowedBy(windows)
                .aggregate(() -> WindowTotal.EMPTY, TotalsTopology::add, Named.as("sum-amounts"), inTotals());
        if (settings.provisional()) {
            writeProvisional(totals);
        }
        writeFinals(totals.suppress(
                Suppressed.untilWindowCloses(BufferConfig.unbounded()).withName("hold-until-closed")));
        KStream<String, Correction> corrections = only(LateEvent.class, clocked, "late")
                .process(correctTotals(), Named.as("correct-totals"), TOTALS, EventClock.CLOSINGS);
        writeCorrected(corrections);

        KStream<String, Outcome> exceptions = only(Outcome.class, clocked, "settled")
                .merge(
                        corrections.mapValues(Correction::outcome, Named.as("take-late-outcomes")),
                        Named.as("gather-exceptions"));
        writeExceptions(exceptions);
        writeDeadLetters(read);
        writeLedger(exceptions);
    }

    private void writeProvisional(KTable<Windowed<String>, WindowTotal> open) {
        open.toStream(Named.as("stream-open"))
                .filterNot((window, total) -> isTick(window), Named.as("drop-open-ticks"))
                .process(() -> new PublishProvisional(windows), Named.as("publish-provisional"))
                .to(settings.totalsTopic(), asTotals("write-provisional"));
    }

    private void writeFinals(KTable<Windowed<String>, WindowTotal> closed) {
        closed.toStream(Named.as("stream-closed"))
                .filterNot((window, total) -> isTick(window), Named.as("drop-closed-ticks"))
                .process(() -> new PublishFinals(windows), Named.as("publish-finals"), EventClock.CLOSINGS)
                .to(settings.totalsTopic(), asTotals("write-finals"));
    }

    private void writeCorrected(KStream<String, Correction> corrections) {
        corrections
                .map((key, correction) -> pair(correction.row().id(), correction.row()), Named.as("publish-corrected"))
                .to(settings.totalsTopic(), asTotals("write-corrected"));
    }

    private void writeExceptions(KStream<String, Outcome> exceptions) {
        ExceptionRows rows =
                new ExceptionRows(settings.pipeline(), settings.input().amountScale());
        exceptions
                .map((key, outcome) -> rows.of(outcome), Named.as("describe-exceptions"))
                .to(settings.exceptionsTopic(), asBytes("write-exceptions"));
    }

    private void writeDeadLetters(KStream<byte[], Item> read) {
        read.filter((key, item) -> item instanceof Outcome, Named.as("take-refused"))
                .process(new DeadLetters(maxDeadLetter()), Named.as("describe-dead-letters"))
                .to(settings.deadLettersTopic(), asBytes("write-dead-letters"));
    }

    private void writeLedger(KStream<String, Outcome> exceptions) {
        LedgerRows rows = new LedgerRows(settings.pipeline(), settings.input().amountScale());
        exceptions
                .process(new Ledger(settings.pipeline(), meters), Named.as("keep-ledger"), LedgerCounts.NAME)
                .map(rows::of, Named.as("describe-ledger"))
                .to(settings.ledgerTopic(), asBytes("write-ledger"));
    }

    private static boolean isOnTime(Item item) {
        return item instanceof Event || item instanceof Tick;
    }

    private static WindowTotal add(String key, Item item, WindowTotal total) {
        return item instanceof Event event ? total.plus(event) : total;
    }

    private static boolean isTick(Windowed<String> window) {
        return window.key().equals(Tick.KEY);
    }

    private static <T extends Item> KStream<String, T> only(Class<T> type, KStream<String, Item> items, String name) {
        return items.filter((key, item) -> type.isInstance(item), Named.as("take-" + name))
                .mapValues(type::cast, Named.as("as-" + name));
    }

    private ReadEvents readEvents() {
        return new ReadEvents(new EventReader(settings.input(), settings.maxFuture()), settings.acceptEndOfInput());
    }

    private Deduplicate<byte[]> deduplicate() {
        return new Deduplicate<>(settings.deduplicateFor(), DeduplicateScope.KEY);
    }

    private EventClock<byte[]> eventClock() {
        return new EventClock<>(
                windows, settings.grace(), settings.correctUntil(), settings.idleAfter(), settings.meaning());
    }

    private CorrectTotals correctTotals() {
        return new CorrectTotals(windows, retention, KEPT);
    }

    private int maxDeadLetter() {
        return (int) settings.input().maxSize().toBytes();
    }

    private static Consumed<byte[], byte[]> fromInput() {
        return Consumed.with(Serdes.ByteArray(), Serdes.ByteArray())
                .withTimestampExtractor(new InputTimestamps())
                .withName("consume-input");
    }

    private Materialized<String, WindowTotal, WindowStore<Bytes, byte[]>> inTotals() {
        return Materialized.<String, WindowTotal, WindowStore<Bytes, byte[]>>as(TOTALS)
                .withKeySerde(Serdes.String())
                .withValueSerde(WindowTotal.serde())
                .withRetention(retention)
                .withCachingEnabled()
                .withLoggingEnabled(KEPT);
    }

    private static Produced<byte[], byte[]> asBytes(String name) {
        return Produced.with(Serdes.ByteArray(), Serdes.ByteArray()).withName(name);
    }

    private Produced<TotalRow.Id, TotalRow> asTotals(String name) {
        String pipeline = settings.pipeline();
        int scale = settings.input().amountScale();
        String fingerprint = settings.fingerprint();
        return Produced.<TotalRow.Id, TotalRow>with(
                        Serdes.serdeFrom((topic, id) -> id.toJson(pipeline), unread()),
                        Serdes.serdeFrom((topic, row) -> row.toJson(pipeline, scale, fingerprint), unread()))
                .withStreamPartitioner(new VersionsTogether())
                .withName(name);
    }

    private static <T> Deserializer<T> unread() {
        return (topic, bytes) -> {
            throw new UnsupportedOperationException("results are not read by the app that writes them");
        };
    }

    /** All versions of a key go to one partition, so that a reader of the topic meets them in order. */
    private static final class VersionsTogether implements StreamPartitioner<TotalRow.Id, TotalRow> {

        @Override
        public Optional<Set<Integer>> partitions(
                String topic, TotalRow.Id id, TotalRow row, Headers headers, int partitions) {
            byte[] key = id.key().getBytes(StandardCharsets.UTF_8);
            return Optional.of(Set.of(Utils.toPositive(Utils.murmur2(key)) % partitions));
        }

        @Override
        @Deprecated
        @SuppressWarnings("removal")
        public Optional<Set<Integer>> partitions(String topic, TotalRow.Id id, TotalRow row, int partitions) {
            return partitions(topic, id, row, new RecordHeaders(), partitions);
        }
    }
}
