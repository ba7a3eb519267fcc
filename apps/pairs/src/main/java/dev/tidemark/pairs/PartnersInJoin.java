package dev.tidemark.pairs;

import dev.tidemark.common.Event;
import dev.tidemark.common.Item;
import dev.tidemark.common.Side;
import dev.tidemark.common.Within;
import org.apache.kafka.streams.state.ValueTimestampHeaders;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;

/**
 * Tells from the join's own stores whether an event has more than one partner.
 *
 * @param lefts the left events that the join remembers
 * @param rights the right events that the join remembers
 * @param within the time distance within which events belong together
 */
record PartnersInJoin(
        WindowStore<String, ValueTimestampHeaders<Item>> lefts,
        WindowStore<String, ValueTimestampHeaders<Item>> rights,
        Within within) {

    /** Whether the event has another partner than this one; of two events that match, one may not be in its store yet. */
    boolean hasOther(Side side, Event event, Event partner) {
        WindowStore<String, ValueTimestampHeaders<Item>> others = side == Side.LEFT ? rights : lefts;
        long from = Math.max(0, event.time() - within.earlier(side).toMillis());
        long to = event.time() + within.later(side).toMillis();
        try (WindowStoreIterator<ValueTimestampHeaders<Item>> partners = others.fetch(event.key(), from, to)) {
            while (partners.hasNext()) {
                Event other = (Event) partners.next().value.value();
                if (!other.origin().equals(partner.origin())) {
                    return true;
                }
            }
            return false;
        }
    }
}
