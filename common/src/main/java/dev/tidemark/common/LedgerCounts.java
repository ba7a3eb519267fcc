package dev.tidemark.common;

import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.kafka.streams.state.StoreBuilder;

/**
 * What a task has received and settled since the last commit, by source partition. The processors that decide write to
 * it; {@link Ledger} adds it to the ledger with the commit.
 */
public final class LedgerCounts extends UnloggedStore {

    private final TreeMap<LedgerSource, LedgerRow> rows = new TreeMap<>();
    private Origin latest;
    private LedgerRow latestRow;

    private LedgerCounts(String name) {
        super(name);
    }

    /** A store builder; processors are connected by the name. Processors that run in different tasks need different stores. */
    public static StoreBuilder<LedgerCounts> named(String name) {
        return new Builder<>(name, () -> new LedgerCounts(name));
    }

    /** A record was read. Only an event has an amount that can be accounted for, be it one of the far future. */
    void receive(Item item) {
        if (item instanceof Event event) {
            row(event.origin()).receive(event.amount());
        } else if (item instanceof Outcome refusal) {
            boolean isEvent = refusal.disposition() == Disposition.FUTURE;
            row(refusal.origin()).receive(isEvent ? refusal.amount() : null);
        }
    }

    /** All windows of an event were open. */
    public void count(Event event) {
        row(event.origin()).count(event);
    }

    /** An event has to wait, between two tasks or for slower source partitions. */
    void hold(Event event) {
        row(event.origin()).hold(event.amount());
    }

    /** An event need not wait any longer. */
    void release(Event event) {
        row(event.origin()).release(event.amount());
    }

    /** A record was not simply counted; one that is counted all the same has been, where that was decided. */
    void settle(Outcome outcome) {
        if (outcome.disposition() != Disposition.COUNTED) {
            row(outcome.origin()).settle(outcome);
        }
    }

    /** Hands over all rows and starts anew. */
    void drain(BiConsumer<LedgerSource, LedgerRow> receiver) {
        rows.forEach(receiver);
        clear();
    }

    @Override
    void clear() {
        rows.clear();
        latest = null;
    }

    private LedgerRow row(Origin origin) {
        if (latest == null
                || latest.partition() != origin.partition()
                || !latest.topic().equals(origin.topic())) {
            latest = origin;
            latestRow = rows.computeIfAbsent(
                    new LedgerSource(origin.topic(), origin.partition()), source -> new LedgerRow());
        }
        return latestRow;
    }
}
