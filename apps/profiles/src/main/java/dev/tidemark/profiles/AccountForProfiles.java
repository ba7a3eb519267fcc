package dev.tidemark.profiles;

import dev.tidemark.common.Disposition;
import dev.tidemark.common.Event;
import dev.tidemark.common.Item;
import dev.tidemark.common.JsonRow;
import dev.tidemark.common.LedgerCounts;
import dev.tidemark.common.Outcome;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;

/**
 * Says what became of an update, once the profiles have been told of it: it is counted, or what was known is newer.
 *
 * @param profiles name of the store of profiles
 * @param ledgerCounts name of the connected {@link LedgerCounts}
 */
record AccountForProfiles(String profiles, String ledgerCounts)
        implements FixedKeyProcessorSupplier<String, Item, Outcome> {

    @Override
    public FixedKeyProcessor<String, Item, Outcome> get() {
        return new Task();
    }

    private final class Task extends ContextualFixedKeyProcessor<String, Item, Outcome> {

        private KeyValueStore<String, ValueAndTimestamp<Profile>> known;
        private LedgerCounts counts;

        @Override
        public void init(FixedKeyProcessorContext<String, Outcome> context) {
            super.init(context);
            known = context.getStateStore(profiles);
            counts = context.getStateStore(ledgerCounts);
        }

        @Override
        public void process(FixedKeyRecord<String, Item> record) {
            if (record.value() instanceof Outcome refused) {
                context().forward(record.withValue(refused));
            } else if (record.value() instanceof Event update) {
                Profile profile = known.get(record.key()).value();
                if (profile.isOf(update)) {
                    counts.count(update);
                } else {
                    String reason = "an update of " + JsonRow.timeText(profile.time()) + " was known already";
                    context().forward(record.withValue(Outcome.of(update, Disposition.TOO_LATE, reason)));
                }
            }
        }
    }
}
