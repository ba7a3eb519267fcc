package dev.tidemark.pairs;

import static dev.tidemark.common.OfType.only;
import static org.apache.kafka.streams.KeyValue.pair;

import dev.tidemark.common.Account;
import dev.tidemark.common.Disposition;
import dev.tidemark.common.EventClock;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.Intake;
import dev.tidemark.common.Item;
import dev.tidemark.common.KeyInPlace;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.PairsProperties;
import dev.tidemark.common.RequirePlace;
import dev.tidemark.common.ResultRows;
import dev.tidemark.common.Side;
import dev.tidemark.common.Within;
import dev.tidemark.pairs.CompletePairs.Result;
import dev.tidemark.pairs.CompletePairs.Told;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.StreamJoined;

/** Events of two topics in; pairs and unmatched events out, and an account of every event. */
final class PairsTopology {

    /** The events that the join remembers; {@link EntryNumbers} keeps them apart over restarts. */
    static final String LEFTS = "events-outer-this-join-store";

    static final String RIGHTS = "events-outer-other-join-store";

    /** An event is unmatched with the end of the second in which the last possible partner may have happened. */
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** How long the app may stand still before what its join remembers may not be restored on another disk. */
    private static final Duration STANDSTILL = Duration.ofDays(7);

    private final PairsProperties settings;
    private final InputPartitions partitions;
    private final MeterRegistry meters;
    private final List<Intake> intakes;
    private final Duration joinGrace;
    private final Deadlines deadlines;

    PairsTopology(PairsProperties settings, InputPartitions partitions, MeterRegistry meters) {
        this.settings = settings;
        this.partitions = partitions;
        this.meters = meters;
        this.intakes = settings.intakes();
        Within within = settings.within();
        EventWindows windows = EventWindows.tumbling(SECOND, settings.grace());
        this.deadlines = new Deadlines(windows, within, settings.correctUntil());
        // The join's time is ahead of the clock by as much, and a window may be closed up to two seconds after its
        // time.
        Duration lead = settings.slack().plus(within.span()).plusMillis(TakeSide.STEP);
        this.joinGrace = settings.grace().plus(lead).plus(SECOND.multipliedBy(2));
    }

    void build(StreamsBuilder builder) {
        Account account = new Account(builder, settings.pipeline(), settings.amountScale(), meters).inOneTask();
        KStream<String, Item> left = events(intakes.get(0), intakes.get(1), builder, account);
        KStream<String, Item> right = events(intakes.get(1), intakes.get(0), builder, account);
        KStream<String, Item> clocked = KeyInPlace.process(
                left.merge(right, Named.as("gather-sides")),
                eventClock(),
                Named.as("keep-event-time"),
                Account.countsOf(Intake.COUNTING));

        KStream<String, Item> lefts = KeyInPlace.process(clocked, take(Side.LEFT), Named.as("take-left"));
        KStream<String, Item> rights = KeyInPlace.process(clocked, take(Side.RIGHT), Named.as("take-right"));
        KStream<String, Told> joined =
                lefts.outerJoin(rights, Told.Joined::new, settings.within().windows(joinGrace), inStores());
        KStream<String, Result> results = joined.merge(
                        clocked.filterNot((key, item) -> item instanceof Outcome, Named.as("take-all"))
                                .mapValues(item -> (Told) new Told.Came(item), Named.as("as-came")),
                        Named.as("gather-findings"))
                .process(
                        completePairs(),
                        Named.as("complete-pairs"),
                        LEFTS,
                        RIGHTS,
                        EventClock.CLOSINGS,
                        Account.countsOf(Intake.COUNTING));
        only(Result.Published.class, results, "published")
                .map((key, published) -> pair(published.row().id(), published.row()), Named.as("publish-pairs"))
                .to(settings.pairsTopic(), asPairs());

        account.settle(
                Intake.COUNTING,
                only(Outcome.class, clocked, "settled")
                        .mapValues(this::inWords, Named.as("say-why"))
                        .merge(
                                only(Result.Settled.class, results, "settled-late")
                                        .mapValues(Result.Settled::outcome, Named.as("take-late-outcomes")),
                                Named.as("gather-outcomes")));
        account.write(settings.exceptionsTopic(), settings.ledgerTopic());
    }

    private KStream<String, Item> events(Intake intake, Intake other, StreamsBuilder builder, Account account) {
        return RequirePlace.of(
                intake.events(builder, account, partitions),
                intake.input().topic(),
                intake.stays(),
                other.stays(),
                partitions);
    }

    private Outcome inWords(Outcome outcome) {
        return outcome.disposition() == Disposition.TOO_LATE
                ? outcome.because(new PairWords(settings).tooLate())
                : outcome;
    }

    private EventClock eventClock() {
        return new EventClock(
                deadlines.windows(),
                settings.grace(),
                settings.within().span().plus(settings.correctUntil()),
                Intake.alignment(partitions, intakes),
                Duration.ZERO,
                settings.stateTerms(),
                Account.countsOf(Intake.COUNTING));
    }

    private TakeSide take(Side side) {
        return new TakeSide(side, settings.input(side).topic(), deadlines);
    }

    private CompletePairs completePairs() {
        return new CompletePairs(settings, deadlines, Intake.bytes(intakes), Account.countsOf(Intake.COUNTING));
    }

    private StreamJoined<String, Item, Item> inStores() {
        Duration retention = joinGrace.plus(settings.within().span()).plus(STANDSTILL);
        return StreamJoined.with(
                        Serdes.String(),
                        Intake.bytes(intakes).serde(),
                        Intake.bytes(intakes).serde())
                .withName("pair-up")
                .withStoreName("events")
                // Replayed events are old from the start; their state must not expire by their own time.
                .withLoggingEnabled(Map.of(
                        TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                        "LogAppendTime",
                        TopicConfig.RETENTION_MS_CONFIG,
                        Long.toString(retention.toMillis())));
    }

    private Produced<PairRow.Id, PairRow> asPairs() {
        String pipeline = settings.pipeline();
        String fingerprint = settings.fingerprint();
        return new ResultRows<PairRow.Id, PairRow>(
                        PairRow.Id::key, id -> id.toJson(pipeline), row -> row.toJson(pipeline, fingerprint))
                .named("write-pairs");
    }
}
