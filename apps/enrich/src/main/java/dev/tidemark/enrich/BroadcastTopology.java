package dev.tidemark.enrich;

import static org.apache.kafka.streams.KeyValue.pair;

import dev.tidemark.common.Account;
import dev.tidemark.common.Disposition;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventClock;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.InputPartitions;
import dev.tidemark.common.Intake;
import dev.tidemark.common.Item;
import dev.tidemark.common.KeyInPlace;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Origin;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.TableReader;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.state.Stores;

/**
 * Events, and a table that every instance holds as a whole, so that its keys and partitions need not be those of the
 * events. It knows only the latest of each key, so each event gets what the table says when the event comes.
 */
final class BroadcastTopology {

    /** The values of the table as they came. */
    static final String TABLE = "whole-table";

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Stands for a timestamp that a global table does not tell: the last millisecond of the year 9999. */
    private static final long UNTOLD = 253_402_300_799_999L;

    private final EnrichProperties settings;
    private final InputPartitions partitions;
    private final MeterRegistry meters;
    private final TableReader reader;
    private final EnrichWords words;

    BroadcastTopology(EnrichProperties settings, InputPartitions partitions, MeterRegistry meters) {
        this.settings = settings;
        this.partitions = partitions;
        this.meters = meters;
        this.reader = new TableReader(settings.table().mapping(), settings.maxFuture());
        this.words = new EnrichWords(settings);
    }

    void build(StreamsBuilder builder) {
        Account account =
                new Account(builder, settings.pipeline(), settings.input().amountScale(), meters);
        GlobalKTable<Bytes, byte[]> table = builder.globalTable(
                settings.table().topic(),
                Consumed.with(Serdes.Bytes(), Serdes.ByteArray()).withName("consume-table"),
                Materialized.<Bytes, byte[]>as(Stores.persistentKeyValueStore(TABLE))
                        .withKeySerde(Serdes.Bytes())
                        .withValueSerde(Serdes.ByteArray()));
        KStream<String, Item> clocked = KeyInPlace.process(
                settings.events().events(builder, account, partitions),
                eventClock(),
                Named.as("keep-event-time"),
                Account.countsOf(Intake.COUNTING));

        clocked.flatMapValues(BroadcastTopology::eventOf, Named.as("take-events"))
                .leftJoin(
                        table,
                        (key, event) -> Bytes.wrap(key.getBytes(StandardCharsets.UTF_8)),
                        this::enrich,
                        Named.as("look-up-latest"))
                .map((key, row) -> pair(row.id(), row), Named.as("publish-rows"))
                .to(settings.enrichedTopic(), EnrichTopology.rows(settings));

        account.settle(Intake.COUNTING, clocked.flatMapValues(this::settle, Named.as("settle-events")));
        account.write(settings.exceptionsTopic(), settings.ledgerTopic());
    }

    private static List<Event> eventOf(Item item) {
        if (item instanceof LateEvent late) {
            return List.of(late.event());
        }
        return item instanceof Event event ? List.of(event) : List.of();
    }

    /** The value is read only here, so that one that cannot be read stops nobody. */
    private EnrichedRow enrich(Event event, byte[] value) {
        if (value == null) {
            return missing(event, words.missing());
        }
        Origin nowhere = new Origin(settings.table().topic(), -1, -1);
        Item read = reader.read(nowhere, event.key().getBytes(StandardCharsets.UTF_8), value, UNTOLD);
        if (!(read instanceof Event record)) {
            return missing(event, words.unreadable(((Outcome) read).reason()));
        }
        Long time = settings.table().eventTime() == null ? null : record.time();
        return new EnrichedRow(event, new Profile(time, -1, -1, reader.take(value)), EnrichedRow.FIRST, null);
    }

    private static EnrichedRow missing(Event event, String reason) {
        return new EnrichedRow(event, null, EnrichedRow.FIRST, reason);
    }

    private List<Outcome> settle(Item item) {
        if (item instanceof LateEvent late) {
            return List.of(Outcome.of(late.event(), Disposition.LATE, words.lateForLatest(late.streamTime()))
                    .producing(EnrichedRow.FIRST));
        }
        if (!(item instanceof Outcome outcome)) {
            return List.of();
        }
        return List.of(
                outcome.disposition() == Disposition.TOO_LATE ? outcome.because(words.tooLateForLatest()) : outcome);
    }

    private EventClock eventClock() {
        return new EventClock(
                        EventWindows.tumbling(SECOND, settings.grace()),
                        settings.grace(),
                        settings.table().history(),
                        settings.events().alignment(partitions),
                        Duration.ZERO,
                        settings.stateTerms(),
                        Account.countsOf(Intake.COUNTING))
                .withoutClosings();
    }
}
