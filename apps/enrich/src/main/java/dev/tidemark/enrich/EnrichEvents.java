package dev.tidemark.enrich;

import dev.tidemark.common.Disposition;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.Item;
import dev.tidemark.common.ItemBytes;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.TableReader;
import dev.tidemark.common.Tick;
import dev.tidemark.enrich.EnrichEvents.Result;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * Publishes each event once with what the table said of it at its time or, where that is nothing, as missing. With {@code
 * re-enrich-until}, a missing one is remembered; when an update that is valid at its time comes, its version 2 has it.
 */
final class EnrichEvents implements ProcessorSupplier<String, Item, String, Result> {

    static final String PROFILES = "profile-versions";
    static final String MISSING = "missing-events";

    /** What comes of an event or of an update. */
    sealed interface Result {

        record Published(EnrichedRow row) implements Result {}

        /** An update that was not simply counted. */
        record Settled(Outcome outcome) implements Result {}
    }

    /** An event of the last second before history is not too late yet. */
    private static final long SECOND = 1_000;

    private final EnrichProperties settings;
    private final EventWindows windows;
    private final ItemBytes bytes;
    private final TableReader reader;
    private final EnrichWords words;

    /**
     * @param windows the windows that the clock closes
     * @param bytes how events are written
     */
    EnrichEvents(EnrichProperties settings, EventWindows windows, ItemBytes bytes) {
        this.settings = settings;
        this.windows = windows;
        this.bytes = bytes;
        this.reader = new TableReader(settings.table().mapping(), settings.maxFuture());
        this.words = new EnrichWords(settings);
    }

    @Override
    public Processor<String, Item, String, Result> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(store(PROFILES), store(MISSING));
    }

    private static StoreBuilder<KeyValueStore<Bytes, byte[]>> store(String name) {
        return Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(name), Serdes.Bytes(), Serdes.ByteArray())
                .withLoggingEnabled(Map.of());
    }

    private final class Task extends ContextualProcessor<String, Item, String, Result> {

        private ProfileVersions profiles;
        private MissingEvents missing;
        /** Missing events before that are not remembered, in epoch milliseconds. */
        private long forgotten = Long.MIN_VALUE;

        @Override
        public void init(ProcessorContext<String, Result> context) {
            super.init(context);
            profiles = new ProfileVersions(context.getStateStore(PROFILES));
            missing = new MissingEvents(context.getStateStore(MISSING), bytes);
        }

        @Override
        public void process(Record<String, Item> record) {
            if (record.value() instanceof Tick tick) {
                goOnTo(tick);
            } else if (record.value() instanceof LateEvent late) {
                updateLate(late.event());
            } else if (record.value() instanceof Outcome tooLate) {
                updateLate(eventOf(tooLate));
            } else if (record.value() instanceof Event event) {
                if (event.origin().topic().equals(settings.table().topic())) {
                    update(event);
                } else {
                    publishFirst(event);
                }
            }
            forgetSome();
        }

        private void goOnTo(Tick tick) {
            if (tick.streamTime() != Long.MAX_VALUE) {
                long closed = windows.endOf(
                        windows.lastClosed(tick.streamTime() - settings.grace().toMillis()));
                profiles.beginAt(closed - settings.table().history().toMillis() - SECOND);
                forgotten = closed - settings.reEnrichUntil().toMillis();
            }
        }

        /** With every record, so that it is faster than anything can be remembered, but no transaction takes long. */
        private void forgetSome() {
            if (forgotten != Long.MIN_VALUE) {
                profiles.forgetSome();
                missing.forgetSomeBefore(forgotten);
            }
        }

        private void updateLate(Event update) {
            if (profiles.isOver(update.key(), update.time())) {
                settle(Outcome.of(update, Disposition.TOO_LATE, words.obsolete()));
            } else {
                update(update);
                settle(Outcome.of(update, Disposition.LATE, words.lateUpdate()));
            }
        }

        private void update(Event update) {
            boolean deletes = TableReader.isDeletion(update);
            profiles.put(update.key(), update.time(), deletes ? null : profileOf(update));
            if (!deletes && !settings.reEnrichUntil().isZero()) {
                complete(update);
            }
        }

        private Profile profileOf(Event update) {
            return new Profile(
                    update.time(),
                    update.origin().partition(),
                    update.origin().offset(),
                    reader.take(update.payload()));
        }

        private void publishFirst(Event event) {
            Profile profile = profiles.asOf(event.key(), event.time());
            if (profile != null) {
                publish(new EnrichedRow(event, profile, EnrichedRow.FIRST, null));
                return;
            }
            Profile latest = profiles.latest(event.key());
            String reason = latest == null ? words.missing() : words.missingThen(latest.time());
            publish(new EnrichedRow(event, null, EnrichedRow.FIRST, reason));
            if (!settings.reEnrichUntil().isZero() && event.time() >= forgotten) {
                missing.remember(event);
            }
        }

        /** Of the events from the update's time on, those to which it applies. */
        private void complete(Event update) {
            missing.forEach(update.key(), Math.max(update.time(), forgotten), event -> {
                Profile profile = profiles.asOf(event.key(), event.time());
                if (profile != null) {
                    missing.remove(event);
                    publish(new EnrichedRow(event, profile, EnrichedRow.CORRECTED, words.cameLater(profile)));
                }
            });
        }

        private static Event eventOf(Outcome tooLate) {
            return new Event(
                    tooLate.origin(),
                    tooLate.eventId(),
                    tooLate.key(),
                    tooLate.eventTime(),
                    tooLate.arrival(),
                    tooLate.amount(),
                    tooLate.payload());
        }

        private void publish(EnrichedRow row) {
            context()
                    .forward(new Record<>(
                            row.event().key(),
                            new Result.Published(row),
                            row.event().time()));
        }

        private void settle(Outcome outcome) {
            context().forward(new Record<>(outcome.key(), new Result.Settled(outcome), outcome.eventTime()));
        }
    }
}
