package dev.tidemark.enrich;

import dev.tidemark.common.Disposition;
import dev.tidemark.common.Event;
import dev.tidemark.common.Item;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.TableReader;
import dev.tidemark.common.Tick;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * Says from which time on the table changes by a record. That is the record's own time, unless it is older than all
 * history: the store of versions would drop such a record, although it may be all that is known of its key (who
 * registered years ago and has not changed since). It counts from the beginning of history, unless its key has a newer
 * one.
 */
final class DateProfiles implements FixedKeyProcessorSupplier<String, Item, TableChange> {

    /** Time of the newest record of each key, deleted ones included. */
    static final String NEWEST = "newest-updates";

    /** No event is looked up as of that long before the history that is set. */
    private static final Duration MARGIN = Duration.ofSeconds(2);

    private final String topic;
    private final long reachMillis;
    private final TableReader reader;
    private final EnrichWords words;

    DateProfiles(EnrichProperties settings) {
        this.topic = settings.table().topic();
        this.reachMillis = reach(settings).toMillis();
        this.reader = new TableReader(settings.table().mapping(), settings.maxFuture());
        this.words = new EnrichWords(settings);
    }

    /** How far before the clock the table can be looked up. */
    static Duration reach(EnrichProperties settings) {
        return settings.table().history().plus(settings.grace()).plus(MARGIN);
    }

    @Override
    public FixedKeyProcessor<String, Item, TableChange> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(
                Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(NEWEST), Serdes.String(), Serdes.Long())
                        .withLoggingEnabled(Map.of()));
    }

    private final class Task extends ContextualFixedKeyProcessor<String, Item, TableChange> {

        private KeyValueStore<String, Long> newest;
        /** Before that nothing can be looked up, in epoch milliseconds. */
        private long beginning = Long.MIN_VALUE;

        @Override
        public void init(FixedKeyProcessorContext<String, TableChange> context) {
            super.init(context);
            newest = context.getStateStore(NEWEST);
        }

        @Override
        public void process(FixedKeyRecord<String, Item> record) {
            if (record.value() instanceof Tick tick && tick.streamTime() != Long.MAX_VALUE) {
                beginning = tick.streamTime() - reachMillis;
            } else if (record.value() instanceof Event update
                    && isOfTable(update.origin().topic())) {
                put(record, update);
            } else if (record.value() instanceof LateEvent late
                    && isOfTable(late.event().origin().topic())) {
                putLate(record, Outcome.of(late.event(), Disposition.LATE, words.lateUpdate()), late.event());
            } else if (record.value() instanceof Outcome tooLate
                    && tooLate.disposition() == Disposition.TOO_LATE
                    && isOfTable(tooLate.origin().topic())) {
                putTooLate(record, tooLate);
            }
        }

        private boolean isOfTable(String source) {
            return source.equals(topic);
        }

        private void putTooLate(FixedKeyRecord<String, Item> record, Outcome tooLate) {
            Event update = new Event(
                    tooLate.origin(),
                    tooLate.eventId(),
                    tooLate.key(),
                    tooLate.eventTime(),
                    tooLate.arrival(),
                    tooLate.amount(),
                    tooLate.payload());
            putLate(record, Outcome.of(update, Disposition.LATE, words.lateUpdate()), update);
        }

        private void putLate(FixedKeyRecord<String, Item> record, Outcome late, Event update) {
            Long known = newest.get(update.key());
            if (update.time() < beginning && known != null && known > update.time()) {
                Outcome obsolete = Outcome.of(update, Disposition.TOO_LATE, words.obsolete(known));
                context().forward(record.withValue(new TableChange.Settled(obsolete)));
                return;
            }
            put(record, update);
            context().forward(record.withValue(new TableChange.Settled(late)));
        }

        private void put(FixedKeyRecord<String, Item> record, Event update) {
            Long known = newest.get(update.key());
            if (known == null || known < update.time()) {
                newest.put(update.key(), update.time());
            }
            Profile profile = TableReader.isDeletion(update)
                    ? null
                    : new Profile(
                            update.time(),
                            update.origin().partition(),
                            update.origin().offset(),
                            reader.take(update.payload()));
            long from = Math.max(Math.max(update.time(), beginning), 0);
            TableChange change = new TableChange.Put(profile);
            context().forward(record.withValue(change).withTimestamp(from));
        }
    }
}
