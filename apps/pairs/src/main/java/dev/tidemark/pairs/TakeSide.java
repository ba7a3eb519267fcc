package dev.tidemark.pairs;

import dev.tidemark.common.Event;
import dev.tidemark.common.Item;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Tick;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;

/**
 * Takes what one side of the join has to see, under its event time: the events of its topic, late ones as long as what
 * they may complete is still waited for, and on the left side ticks, which both sides go by.
 *
 * @param side the side
 * @param topic its input topic
 * @param deadlines until when events are waited for
 */
record TakeSide(Side side, String topic, Deadlines deadlines) implements FixedKeyProcessorSupplier<String, Item, Item> {

    @Override
    public FixedKeyProcessor<String, Item, Item> get() {
        return new Task();
    }

    private final class Task extends ContextualFixedKeyProcessor<String, Item, Item> {

        @Override
        public void process(FixedKeyRecord<String, Item> record) {
            Item item = record.value();
            if (item instanceof Tick ? side == Side.LEFT : item instanceof Event event && isOfSide(event)) {
                context().forward(record);
            } else if (item instanceof LateEvent late && isOfSide(late.event()) && deadlines.isJoinable(late)) {
                context()
                        .forward(record.withValue((Item) late.event())
                                .withTimestamp(late.event().time()));
            }
        }

        private boolean isOfSide(Event event) {
            return event.origin().topic().equals(topic);
        }
    }
}
