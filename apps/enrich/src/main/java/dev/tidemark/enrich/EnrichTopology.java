package dev.tidemark.enrich;

import static dev.tidemark.common.OfType.only;
import static org.apache.kafka.streams.KeyValue.pair;

import dev.tidemark.common.Account;
import dev.tidemark.common.Alignment;
import dev.tidemark.common.Disposition;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventClock;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.Intake;
import dev.tidemark.common.Item;
import dev.tidemark.common.ItemBytes;
import dev.tidemark.common.KeyInPlace;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.RequirePlace;
import dev.tidemark.common.ResultRows;
import dev.tidemark.common.TableIntake;
import dev.tidemark.enrich.EnrichEvents.Result;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;

/** Events and a table in; events with what the table said of them at their time out, and an account of every record. */
final class EnrichTopology {

    /** Events wait until the end of their second, and the grace. */
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final EnrichProperties settings;
    private final InputPartitions partitions;
    private final MeterRegistry meters;
    private final EventWindows windows;
    private final EnrichWords words;

    EnrichTopology(EnrichProperties settings, InputPartitions partitions, MeterRegistry meters) {
        this.settings = settings;
        this.partitions = partitions;
        this.meters = meters;
        this.windows = EventWindows.tumbling(SECOND, settings.grace());
        this.words = new EnrichWords(settings);
    }

    void build(StreamsBuilder builder) {
        if (settings.table().broadcast()) {
            new BroadcastTopology(settings, partitions, meters).build(builder);
            return;
        }
        Account account =
                new Account(builder, settings.pipeline(), settings.input().amountScale(), meters).inOneTask();
        boolean eventsStay = settings.events().stays();
        boolean tableStays = settings.table().partitionedByKey();
        KStream<String, Item> events = RequirePlace.of(
                settings.events().events(builder, account, partitions),
                settings.input().topic(),
                eventsStay,
                tableStays,
                partitions);
        KStream<String, Item> updates = RequirePlace.of(
                settings.records().recordsFirst(builder, account, partitions),
                settings.table().topic(),
                tableStays,
                eventsStay,
                partitions);
        KStream<String, Item> clocked = KeyInPlace.process(
                partitionedAlike(events, updates).merge(updates, Named.as("gather-sides")),
                eventClock(),
                Named.as("keep-event-time"),
                Account.countsOf(Intake.COUNTING));

        KStream<String, Result> results = clocked.process(
                        new AwaitUpdates(settings, windows, bytes()), Named.as("wait-for-updates"))
                .process(new EnrichEvents(settings, windows, bytes()), Named.as("look-up-profiles"));
        only(Result.Published.class, results, "published")
                .map((key, published) -> pair(published.row().id(), published.row()), Named.as("publish-rows"))
                .to(settings.enrichedTopic(), rows(settings));

        KStream<String, Outcome> settled = clocked.flatMapValues(this::settle, Named.as("settle-events"))
                .merge(
                        only(Result.Settled.class, results, "settled-updates")
                                .mapValues(Result.Settled::outcome, Named.as("take-outcomes")),
                        Named.as("gather-outcomes"));
        account.settle(Intake.COUNTING, settled);
        account.write(settings.exceptionsTopic(), settings.ledgerTopic());
    }

    /**
     * Makes the numbers of partitions of both sides the same where one is moved: Kafka Streams does so only for what is
     * joined. The table of this join is always empty.
     */
    private KStream<String, Item> partitionedAlike(KStream<String, Item> events, KStream<String, Item> updates) {
        KTable<String, Item> nothing = updates.filter((key, item) -> false, Named.as("take-nothing"))
                .toTable(
                        Named.as("keep-nothing"),
                        Materialized.<String, Item>as(Stores.inMemoryKeyValueStore("nothing"))
                                .withKeySerde(Serdes.String())
                                .withValueSerde(bytes().serde())
                                .withCachingDisabled()
                                .withLoggingDisabled());
        return events.leftJoin(
                nothing,
                (item, none) -> item,
                Joined.with(Serdes.String(), bytes().serde(), bytes().serde(), "partition-alike"));
    }

    /** What became of an event, or of a record that was refused, unless it is simply counted. */
    private List<Outcome> settle(Item item) {
        if (item instanceof LateEvent late && !isOfTable(late.event().origin().topic())) {
            Event event = late.event();
            return List.of(Outcome.of(event, Disposition.LATE, words.late(late.streamTime()))
                    .producing(EnrichedRow.FIRST));
        }
        if (!(item instanceof Outcome outcome)) {
            return List.of();
        }
        if (outcome.disposition() != Disposition.TOO_LATE) {
            return List.of(outcome);
        }
        return isOfTable(outcome.origin().topic()) ? List.of() : List.of(outcome.because(words.tooLate()));
    }

    private boolean isOfTable(String topic) {
        return topic.equals(settings.table().topic());
    }

    private EventClock eventClock() {
        Intake events = settings.events();
        TableIntake records = settings.records();
        IntSupplier ofEvents = Intake.alignment(partitions, List.of(events)).routes();
        IntSupplier ofTable = records.routes(partitions);
        return new EventClock(
                        windows,
                        settings.grace(),
                        settings.table().history(),
                        new Alignment(
                                bytes(),
                                () -> ofEvents.getAsInt() + ofTable.getAsInt(),
                                settings.slack(),
                                Set.of(settings.table().topic()),
                                partitions::askedSince),
                        Duration.ZERO,
                        settings.stateTerms(),
                        Account.countsOf(Intake.COUNTING))
                .withoutClosings();
    }

    private ItemBytes bytes() {
        return new ItemBytes(List.of(settings.input().topic(), settings.table().topic()), true);
    }

    static Produced<EnrichedRow.Id, EnrichedRow> rows(EnrichProperties settings) {
        String pipeline = settings.pipeline();
        String table = settings.table().topic();
        String fingerprint = settings.fingerprint();
        return new ResultRows<EnrichedRow.Id, EnrichedRow>(
                        EnrichedRow.Id::key, id -> id.toJson(pipeline), row -> row.toJson(pipeline, table, fingerprint))
                .named("write-enriched");
    }
}
