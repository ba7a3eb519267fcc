package dev.tidemark.pairs;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.internals.WrappedStateStore;

/**
 * Keeps apart what the join remembers of one key and millisecond. The stores of Kafka's join tell such events apart by a
 * number that counts from 0 at each start, so that an event could take the place of one that came before a restart: O1 is
 * paid by P1, the app restarts, P2 pays O1 in the same millisecond, and P1 is forgotten. Here they go on counting where
 * they were at the last commit.
 *
 * <p>Kafka Streams has no interface for this. The number is a private field of the store and of the layer that writes its
 * changelog; where an upgrade has none, the app does not start. Not thread-safe.
 */
final class EntryNumbers {

    private static final String STORE = "join-entry-numbers";
    private static final String FIELD = "seqnum";
    private static final String ADAPTED = "store";
    /** The store, and what writes its changelog. */
    private static final int LAYERS = 2;
    /** In the middle, because state may be of an earlier version of the app, which counted from 0. */
    private static final int FIRST = 1 << 30;

    private final KeyValueStore<String, Integer> last;
    private final Map<String, List<Counter>> counters = new LinkedHashMap<>();

    /** The number of the entry that one layer of a store has written last. */
    private record Counter(Field field, StateStore layer) {

        int get() {
            try {
                return field.getInt(layer);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }

        void set(int value) {
            try {
                field.setInt(layer, value);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * Has the stores go on counting.
     *
     * @param context of a processor that is connected with {@link #store} and the join's stores
     * @param joinStores names of the join's stores
     */
    EntryNumbers(ProcessorContext<?, ?> context, String... joinStores) {
        last = context.getStateStore(STORE);
        for (String name : joinStores) {
            List<Counter> found = counters(context.getStateStore(name));
            if (found.size() != LAYERS) {
                throw new IllegalStateException("this version of Kafka Streams numbers the entries of " + name
                        + " in another way; use the one that the app was built with");
            }
            Integer until = last.get(name);
            found.forEach(counter -> counter.set(Math.max(counter.get(), until == null ? FIRST : until)));
            counters.put(name, found);
        }
    }

    /** The store of the numbers. */
    static StoreBuilder<?> store() {
        return Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(STORE), Serdes.String(), Serdes.Integer())
                .withLoggingEnabled(Map.of());
    }

    /** To be called before each commit. */
    void save() {
        counters.forEach((name, layers) -> {
            int number = layers.stream().mapToInt(Counter::get).max().orElseThrow();
            if (!Integer.valueOf(number).equals(last.get(name))) {
                last.put(name, number);
            }
        });
    }

    private static List<Counter> counters(StateStore store) {
        List<Counter> found = new ArrayList<>();
        for (StateStore layer = store; layer != null; layer = below(layer)) {
            Field field = field(layer.getClass(), FIELD);
            if (field != null && field.getType() == int.class) {
                found.add(new Counter(field, layer));
            }
        }
        return found;
    }

    /** What a layer of a store lies on, or null. */
    private static StateStore below(StateStore layer) {
        if (layer instanceof WrappedStateStore<?, ?, ?> wrapper) {
            return wrapper.wrapped();
        }
        // Between a store that has a place for headers and one that has none.
        Field adapted = field(layer.getClass(), ADAPTED);
        try {
            return adapted != null && adapted.get(layer) instanceof StateStore store ? store : null;
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field field(Class<?> type, String name) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        return null;
    }
}
