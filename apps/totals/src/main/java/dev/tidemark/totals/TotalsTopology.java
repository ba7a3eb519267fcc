package dev.tidemark.totals;

import static dev.tidemark.common.OfType.only;
import static org.apache.kafka.streams.KeyValue.pair;

import dev.tidemark.common.Account;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventClock;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.InputTimestamps;
import dev.tidemark.common.Intake;
import dev.tidemark.common.Item;
import dev.tidemark.common.KeyInPlace;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Lateness;
import dev.tidemark.common.LatenessCounts;
import dev.tidemark.common.LatenessRows;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.ResultRows;
import dev.tidemark.common.Tick;
import dev.tidemark.common.TotalsProperties;
import dev.tidemark.totals.CorrectTotals.Result;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
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
import org.apache.kafka.streams.state.WindowStore;

/** Events in; provisional, final and corrected totals out, and an account of every event. */
final class TotalsTopology {

    /** The windowed sums, which corrections build on. */
    static final String TOTALS = "totals-by-window";

    /** Replayed events are old from the start; their state must not expire by the broker's clock. */
    private static final Map<String, String> KEPT = Map.of(TopicConfig.RETENTION_MS_CONFIG, "-1");

    private final TotalsProperties settings;
    private final InputPartitions partitions;
    private final MeterRegistry meters;
    private final EventWindows windows;
    private final Duration retention;

    TotalsTopology(TotalsProperties settings, InputPartitions partitions, MeterRegistry meters) {
        this.settings = settings;
        this.partitions = partitions;
        this.meters = meters;
        Duration grace = settings.grace().plus(settings.intake().lead());
        this.windows = settings.window().windows(grace);
        // Ticks run ahead of the watermark by the grace and up to two windows.
        this.retention = settings.correctUntil().plus(grace.multipliedBy(2)).plusMillis(3 * windows.size());
    }

    void build(StreamsBuilder builder) {
        Account account =
                new Account(builder, settings.pipeline(), settings.input().amountScale(), meters);
        count(builder, settings.intake().events(builder, account, partitions), account);
        account.write(settings.exceptionsTopic(), settings.ledgerTopic());
    }

    /** Counts events that come by key, each once, with the progress of their source partitions between them. */
    void count(StreamsBuilder builder, KStream<String, Item> events, Account account) {
        builder.addStateStore(LatenessCounts.builder());
        KStream<String, Item> clocked = KeyInPlace.process(
                events,
                eventClock(),
                Named.as("keep-event-time"),
                Account.countsOf(Intake.COUNTING),
                LatenessCounts.NAME);

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
        KStream<String, Item> late = clocked.filter((k, item) -> isLate(item), Named.as("take-late"));
        KStream<String, Result> corrections =
                late.process(correctTotals(), Named.as("correct-totals"), TOTALS, EventClock.CLOSINGS);
        writeCorrected(only(Result.Version.class, corrections, "corrected"));
        writeRecounted(builder);
        writeLateness(late);

        account.settle(
                Intake.COUNTING,
                only(Outcome.class, clocked, "settled")
                        .merge(
                                only(Result.Settled.class, corrections, "settled-late")
                                        .mapValues(Result.Settled::outcome, Named.as("take-late-outcomes")),
                                Named.as("gather-outcomes")));
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

    private void writeCorrected(KStream<String, Result.Version> corrected) {
        corrected
                .map((key, version) -> pair(version.row().id(), version.row()), Named.as("publish-corrected"))
                .to(settings.totalsTopic(), asTotals("write-corrected"));
    }

    private void writeRecounted(StreamsBuilder builder) {
        builder.stream(
                        settings.recountsTopic(),
                        Consumed.with(Serdes.ByteArray(), Serdes.ByteArray())
                                .withTimestampExtractor(new InputTimestamps())
                                .withName("consume-recounts"))
                .process(
                        () -> new RecountTotals(
                                windows, settings.input().amountScale(), settings.fingerprint(), retention),
                        Named.as("publish-recounted"),
                        TOTALS,
                        CorrectTotals.STORE,
                        CorrectTotals.PENDING,
                        EventClock.CLOSINGS)
                .to(settings.totalsTopic(), asTotals("write-recounted"));
    }

    private void writeLateness(KStream<String, Item> late) {
        LatenessRows rows =
                new LatenessRows(settings.pipeline(), settings.input().amountScale());
        late.process(new Lateness<>(), Named.as("keep-lateness"), LatenessCounts.NAME)
                .map(rows::of, Named.as("describe-lateness"))
                .to(
                        settings.latenessTopic(),
                        Produced.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("write-lateness"));
    }

    private static boolean isOnTime(Item item) {
        return item instanceof Event || item instanceof Tick;
    }

    private static boolean isLate(Item item) {
        return item instanceof LateEvent || item instanceof Tick;
    }

    private static WindowTotal add(String key, Item item, WindowTotal total) {
        return item instanceof Event event ? total.plus(event) : total;
    }

    private static boolean isTick(Windowed<String> window) {
        return window.key().equals(Tick.KEY);
    }

    private EventClock eventClock() {
        return new EventClock(
                        windows,
                        settings.grace(),
                        settings.correctUntil(),
                        settings.intake().alignment(partitions),
                        settings.correctEvery(),
                        settings.stateTerms(),
                        Account.countsOf(Intake.COUNTING))
                .notingLateness();
    }

    private CorrectTotals correctTotals() {
        return new CorrectTotals(windows, settings.correctEvery(), retention, KEPT);
    }

    private Materialized<String, WindowTotal, WindowStore<Bytes, byte[]>> inTotals() {
        return Materialized.<String, WindowTotal, WindowStore<Bytes, byte[]>>as(TOTALS)
                .withKeySerde(Serdes.String())
                .withValueSerde(WindowTotal.serde())
                .withRetention(retention)
                .withCachingEnabled()
                .withLoggingEnabled(KEPT);
    }

    private Produced<TotalRow.Id, TotalRow> asTotals(String name) {
        String pipeline = settings.pipeline();
        int scale = settings.input().amountScale();
        String zone = settings.window().zoneName();
        String fingerprint = settings.fingerprint();
        return new ResultRows<TotalRow.Id, TotalRow>(
                        TotalRow.Id::key,
                        id -> id.toJson(pipeline),
                        row -> row.toJson(pipeline, scale, zone, fingerprint))
                .named(name);
    }
}
