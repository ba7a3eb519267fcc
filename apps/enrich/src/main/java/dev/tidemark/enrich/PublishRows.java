package dev.tidemark.enrich;

import dev.tidemark.common.Event;
import dev.tidemark.common.ItemBytes;
import dev.tidemark.common.Tick;
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
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;

/**
 * Publishes each event once with what the table says of it or, where that is nothing, as missing. With {@code
 * re-enrich-until}, a missing one is remembered; when an update that is valid at its time comes, its version 2 has it.
 */
final class PublishRows implements ProcessorSupplier<String, Finding, EnrichedRow.Id, EnrichedRow> {

    private static final String MISSING = "missing-events";

    private final EnrichProperties settings;
    private final String profiles;
    private final ItemBytes bytes;
    private final EnrichWords words;
    private final long rememberMillis;

    /**
     * @param profiles name of the connected store of the table
     * @param bytes how events are written
     */
    PublishRows(EnrichProperties settings, String profiles, ItemBytes bytes) {
        this.settings = settings;
        this.profiles = profiles;
        this.bytes = bytes;
        this.words = new EnrichWords(settings);
        this.rememberMillis = settings.grace().plus(settings.reEnrichUntil()).toMillis();
    }

    @Override
    public Processor<String, Finding, EnrichedRow.Id, EnrichedRow> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(
                Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(MISSING), Serdes.Bytes(), Serdes.ByteArray())
                        .withLoggingEnabled(Map.of()));
    }

    private final class Task extends ContextualProcessor<String, Finding, EnrichedRow.Id, EnrichedRow> {

        private VersionedKeyValueStore<String, Profile> table;
        private MissingEvents missing;
        /** Missing events before that are not remembered, in epoch milliseconds. */
        private long forgotten = Long.MIN_VALUE;

        @Override
        public void init(ProcessorContext<EnrichedRow.Id, EnrichedRow> context) {
            super.init(context);
            table = context.getStateStore(profiles);
            KeyValueStore<Bytes, byte[]> store = context.getStateStore(MISSING);
            missing = new MissingEvents(store, bytes);
        }

        @Override
        public void process(Record<String, Finding> record) {
            if (record.value() instanceof Finding.Updated) {
                complete(record.key(), record.timestamp());
            } else if (record.value() instanceof Finding.LookedUp found) {
                if (found.item() instanceof Tick tick) {
                    forget(tick);
                } else if (found.item() instanceof Event event) {
                    publishFirst(event, found.profile());
                }
            }
        }

        private void publishFirst(Event event, Profile profile) {
            if (profile != null) {
                publish(new EnrichedRow(event, profile, EnrichedRow.FIRST, null));
                return;
            }
            VersionedRecord<Profile> latest = table.get(event.key());
            String reason = latest == null
                    ? words.missing()
                    : words.missingThen(latest.value().time());
            publish(new EnrichedRow(event, null, EnrichedRow.FIRST, reason));
            if (!settings.reEnrichUntil().isZero() && event.time() >= forgotten) {
                missing.remember(event);
            }
        }

        private void complete(String key, long from) {
            if (settings.reEnrichUntil().isZero()) {
                return;
            }
            for (Event event : missing.of(key, from)) {
                VersionedRecord<Profile> then = table.get(key, event.time());
                if (then != null && event.time() >= forgotten) {
                    missing.remove(event);
                    String reason = words.cameLater(then.value());
                    publish(new EnrichedRow(event, then.value(), EnrichedRow.CORRECTED, reason));
                }
            }
        }

        private void forget(Tick tick) {
            if (!settings.reEnrichUntil().isZero() && tick.streamTime() != Long.MAX_VALUE) {
                forgotten = tick.streamTime() - rememberMillis;
                missing.forgetBefore(forgotten);
            }
        }

        private void publish(EnrichedRow row) {
            context().forward(new Record<>(row.id(), row, row.event().time()));
        }
    }
}
