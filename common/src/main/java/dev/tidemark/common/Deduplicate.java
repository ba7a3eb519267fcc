package dev.tidemark.common;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * Lets each event pass once. An event whose id was accepted before within the same {@link DeduplicateScope} becomes a
 * duplicate if key, event time and amount, or the payload, are the same, else conflicting. What is not an event passes.
 *
 * @param <K> type of the record keys, which play no part
 */
public final class Deduplicate<K> implements FixedKeyProcessorSupplier<K, Item, Item> {

    private final String store;
    private final Duration retention;
    private final DeduplicateScope scope;
    private final boolean byPayload;
    private final IntSupplier routes;

    /**
     * @param store name of the store of ids
     * @param retention how long an id is remembered, in stream time; see {@link SeenEvents}
     * @param scope within what an id stands for one event only
     * @param byPayload whether the payload has to be the same, too, for an event to be the same
     * @param routes on how many routes events come in all; asked when a task starts
     */
    public Deduplicate(
            String store, Duration retention, DeduplicateScope scope, boolean byPayload, IntSupplier routes) {
        this.store = store;
        this.retention = retention;
        this.scope = scope;
        this.byPayload = byPayload;
        this.routes = routes;
    }

    @Override
    public FixedKeyProcessor<K, Item, Item> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(
                Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(store), Serdes.Bytes(), Serdes.ByteArray())
                        .withLoggingEnabled(Map.of()),
                CommitHook.named(hook()));
    }

    private String hook() {
        return store + "-hook";
    }

    private final class Task extends ContextualFixedKeyProcessor<K, Item, Item> {

        private SeenEvents seen;
        private SourceTimes sources;
        private long clock = SourceTimes.UNKNOWN;

        @Override
        public void init(FixedKeyProcessorContext<K, Item> context) {
            super.init(context);
            KeyValueStore<Bytes, byte[]> ids = context.getStateStore(store);
            seen = new SeenEvents(ids, retention, scope, byPayload);
            sources = new SourceTimes(routes.getAsInt(), false);
            context.<CommitHook>getStateStore(hook()).beforeCommit(context, seen::flush);
        }

        @Override
        public void process(FixedKeyRecord<K, Item> record) {
            if (record.value() instanceof Event event) {
                sources.saw(event);
                clock = sources.advance(clock);
                SeenEvents.Earlier earlier = seen.remember(event, clock);
                context().forward(earlier == null ? record : record.withValue(repeated(event, earlier)));
            } else {
                if (record.value() instanceof Progress progress) {
                    sources.saw(progress, context().currentSystemTimeMs());
                }
                context().forward(record);
            }
        }

        private Outcome repeated(Event event, SeenEvents.Earlier earlier) {
            String place = event.origin().topic() + " partition " + earlier.partition() + " offset " + earlier.offset();
            return earlier.sameContent()
                    ? Outcome.of(event, Disposition.DUPLICATE, "the same event was accepted at " + place)
                    : Outcome.of(
                            event,
                            Disposition.CONFLICTING,
                            "another event with this id but another " + content() + " was accepted at " + place);
        }

        private String content() {
            if (byPayload) {
                return "content";
            }
            return scope == DeduplicateScope.GLOBAL ? "key, time or amount" : "time or amount";
        }
    }
}
