package dev.tidemark.common;

import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.kafka.streams.state.StoreBuilder;

/**
 * What a task has received and settled since the last commit, by source partition. The processors that decide write to
 * it; {@link Ledger} adds it to the ledger with the commit.
 */
public final class LedgerCounts extends UnloggedStore {

    /** The store's name, to connect processors with it. */
    public static final String NAME = "ledger-counts";

    private final TreeMap<Ledger.Source, LedgerRow> rows = new TreeMap<>();
    private Origin latest;
    private LedgerRow latestRow;

    private LedgerCounts() {
        super(NAME);
    }

    public static StoreBuilder<LedgerCounts> builder() {
        return new Builder<>(NAME, LedgerCounts::new);
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
    void count(Event event) {
        row(event.origin()).count(event);
    }

    /** A record was not simply counted. */
    void settle(Outcome outcome) {
        row(outcome.origin()).settle(outcome);
    }

    /** Hands over all rows and starts anew. */
    void drain(BiConsumer<Ledger.Source, LedgerRow> receiver) {
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
                    new Ledger.Source(origin.topic(), origin.partition()), source -> new LedgerRow());
        }
        return latestRow;
    }
}
