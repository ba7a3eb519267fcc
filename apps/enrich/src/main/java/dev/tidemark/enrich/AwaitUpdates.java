package dev.tidemark.enrich;

import dev.tidemark.common.CommitHook;
import dev.tidemark.common.Disposition;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.HeldEvents;
import dev.tidemark.common.Item;
import dev.tidemark.common.ItemBytes;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Origin;
import dev.tidemark.common.Outcome;
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

/**
 * Keeps each event until its second is closed, which is when updates of the table are not waited for any longer, and
 * forwards it under its event time; what comes late, and updates, go on at once. Ticks follow what they release.
 *
 * <p>The grace of Kafka's own join is not used for that: after a restart it may overwrite events that wait, or never hand
 * them out.
 */
final class AwaitUpdates implements ProcessorSupplier<String, Item, String, Item> {

    private static final String WAITING = "waiting-events";
    private static final String HOOK = "waiting-events-hook";
    private static final int MOST_AT_ONCE = 5_000;

    private final String topic;
    private final EventWindows windows;
    private final long graceMillis;
    private final ItemBytes bytes;

    /**
     * @param windows the windows that the clock closes
     * @param bytes how events are written
     */
    AwaitUpdates(EnrichProperties settings, EventWindows windows, ItemBytes bytes) {
        this.topic = settings.input().topic();
        this.windows = windows;
        this.graceMillis = settings.grace().toMillis();
        this.bytes = bytes;
    }

    @Override
    public Processor<String, Item, String, Item> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(
                Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(WAITING), Serdes.Bytes(), Serdes.ByteArray())
                        .withLoggingEnabled(Map.of()),
                CommitHook.named(HOOK));
    }

    private final class Task extends ContextualProcessor<String, Item, String, Item> {

        private HeldEvents waiting;
        /** A tick that is not obeyed yet, because it releases very many events; null if there is none. */
        private Record<String, Item> due;

        @Override
        public void init(ProcessorContext<String, Item> context) {
            super.init(context);
            KeyValueStore<Bytes, byte[]> store = context.getStateStore(WAITING);
            waiting = new HeldEvents(store, bytes);
            context.<CommitHook>getStateStore(HOOK).beforeCommit(context, waiting::flush);
        }

        @Override
        public void process(Record<String, Item> record) {
            if (!(record.value() instanceof Tick)) {
                goOn();
            }
            if (record.value() instanceof Event event) {
                if (isOfInput(event.origin())) {
                    waiting.hold(event);
                } else {
                    context().forward(record);
                }
            } else if (record.value() instanceof LateEvent late) {
                if (isOfInput(late.event().origin())) {
                    forward(late.event());
                } else {
                    context().forward(record);
                }
            } else if (record.value() instanceof Tick) {
                due = record;
                goOn();
            } else if (record.value() instanceof Outcome outcome
                    && outcome.disposition() == Disposition.TOO_LATE
                    && !isOfInput(outcome.origin())) {
                context().forward(record); // The clock does not know that an update may be of any age.
            }
        }

        /** Some events are released with each record: a transaction must not take long. */
        private void goOn() {
            if (due != null && due.value() instanceof Tick tick) {
                long until = releasedBy(tick);
                long reached = until == Long.MAX_VALUE ? until : waiting.reach(until, MOST_AT_ONCE);
                waiting.release(reached, this::forward);
                if (reached == until) {
                    context().forward(due);
                    due = null;
                }
            }
        }

        private boolean isOfInput(Origin origin) {
            return origin.topic().equals(topic);
        }

        private long releasedBy(Tick tick) {
            return tick.streamTime() == Long.MAX_VALUE
                    ? Long.MAX_VALUE
                    : windows.endOf(windows.lastClosed(tick.streamTime() - graceMillis)) - 1;
        }

        private void forward(Event event) {
            context().forward(new Record<>(event.key(), event, event.time()));
        }
    }
}
