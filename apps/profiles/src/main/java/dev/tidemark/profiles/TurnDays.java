package dev.tidemark.profiles;

import dev.tidemark.common.EventWindows;
import dev.tidemark.common.TimeQueue;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * Tells the statistics of a key that a day or week with events of it has begun or ended, although no event comes. Keys
 * are noted under the times at which that will be, and forgotten then.
 *
 * @param days the days of the calendar
 * @param weeks the weeks of the calendar
 */
record TurnDays(EventWindows days, EventWindows weeks) implements ProcessorSupplier<String, Arrival, String, Arrival> {

    private static final String STORE = "days-to-turn";
    private static final int MOST_NOTED = 20_000;

    @Override
    public Processor<String, Arrival, String, Arrival> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(
                Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(STORE), Serdes.Bytes(), Serdes.ByteArray())
                        .withLoggingEnabled(Map.of()));
    }

    private final class Task extends ContextualProcessor<String, Arrival, String, Arrival> {

        private TimeQueue turns;
        /** The day that was noted last of the keys that were last seen; spares most events the way to the store. */
        private final Map<String, Long> noted = new LinkedHashMap<>() {

            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
                return size() > MOST_NOTED;
            }
        };

        /** No noted time is earlier. */
        private long next;
        /** A tick whose turns are not all told yet, because they are very many; null if there is none. */
        private Arrival.Ticked due;

        @Override
        public void init(ProcessorContext<String, Arrival> context) {
            super.init(context);
            turns = new TimeQueue(context.getStateStore(STORE));
        }

        @Override
        public void process(Record<String, Arrival> record) {
            if (record.value() instanceof Arrival.Ticked tick && tick.streamTime() >= next) {
                due = tick;
                next = days.endOf(days.lastStartOf(tick.streamTime()));
            }
            turn(record.timestamp());
            if (record.value() instanceof Arrival.Came came) {
                context().forward(record);
                note(came);
            }
        }

        private void note(Arrival.Came came) {
            String key = came.event().key();
            long day = days.lastStartOf(came.event().time());
            if (Long.valueOf(day).equals(noted.put(key, day))) {
                return;
            }
            long week = weeks.lastStartOf(day);
            for (long turn : new long[] {day, days.endOf(day), week, weeks.endOf(week)}) {
                if (turn > came.streamTime()) {
                    turns.add(turn, Bytes.wrap(key.getBytes(StandardCharsets.UTF_8)));
                }
            }
        }

        /** Some with each record: at midnight it may be every key's turn, and a transaction must not take long. */
        private void turn(long timestamp) {
            if (due == null) {
                return;
            }
            long until = due.streamTime();
            do {
                boolean all = turns.drainSome(until, key -> context()
                        .forward(new Record<>(
                                new String(key.get(), StandardCharsets.UTF_8), new Arrival.Turned(until), timestamp)));
                due = all ? null : due;
            } while (due != null && due.ended()); // Nothing more may come.
        }
    }
}
