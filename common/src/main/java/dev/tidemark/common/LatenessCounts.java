package dev.tidemark.common;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.kafka.streams.state.StoreBuilder;

/**
 * How late a task's events were since the last commit. {@link EventClock} writes to it; {@link Lateness} adds it to what
 * it keeps with the commit.
 *
 * <p>The required grace of an event is the stream time when it came less the end of the first of its windows to close.
 * With a grace of {@code d} exactly the events with a required grace of {@code d} or more are late, whatever grace the
 * pipeline has, because the stream time does not depend on it. Below 0 an event is on time without any grace.
 */
public final class LatenessCounts extends UnloggedStore {

    /** The store's name, to connect processors with it. */
    public static final String NAME = "lateness-counts";

    private final Map<LatenessBin, LatenessRow> rows = new HashMap<>();

    private LatenessCounts() {
        super(NAME);
    }

    public static StoreBuilder<LatenessCounts> builder() {
        return new Builder<>(NAME, LatenessCounts::new);
    }

    /**
     * Counts an event. Whether it has moved the clock before makes no difference: one that does is not behind it, and so on
     * time without any grace.
     *
     * @param streamTime in epoch milliseconds; -1: there was no event yet; the greatest possible: the input has ended, so
     *     that no grace would be enough
     * @param firstWindowEnd end of the first of its windows to close, in epoch milliseconds
     */
    void note(Event event, long streamTime, long firstWindowEnd) {
        long requiredGrace = streamTime - firstWindowEnd;
        row(event, requiredGrace).require(event.amount());
        row(event, event.arrival() - event.time()).arrive();
    }

    /** Hands over all rows, by bin, and starts anew. */
    void drain(BiConsumer<LatenessBin, LatenessRow> receiver) {
        new TreeMap<>(rows).forEach(receiver);
        clear();
    }

    @Override
    void clear() {
        rows.clear();
    }

    private LatenessRow row(Event event, long duration) {
        return rows.computeIfAbsent(LatenessBin.of(event.time(), duration), bin -> new LatenessRow());
    }
}
