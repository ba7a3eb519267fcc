package dev.tidemark.pairs;

import dev.tidemark.common.Event;
import dev.tidemark.common.Item;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Side;
import dev.tidemark.common.Tick;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Takes what one side of the join has to see, under its event time: the events of its topic, late ones as long as what
 * they may complete is still waited for.
 *
 * <p>The left side also moves the time of the join, which both sides share, beyond the last possible partner of each event
 * that either of them is about to see. So the join says at once who has no partner yet. What it would keep waiting itself
 * it would hand out at most once a second of wall time and only with a next record, with all events of one key and
 * millisecond in one record that knows no limit.
 *
 * @param side the side, of which the left one has to be told of each item first
 * @param topic its input topic
 * @param deadlines until when events are waited for
 */
record TakeSide(Side side, String topic, Deadlines deadlines) implements ProcessorSupplier<String, Item, String, Item> {

    /** How far ahead of an event the join's time is at most, beside the span: each step costs as much as an event. */
    static final long STEP = 10_000;

    @Override
    public Processor<String, Item, String, Item> get() {
        return new Task();
    }

    private final class Task extends ContextualProcessor<String, Item, String, Item> {

        private final long span = deadlines.within().span().toMillis();
        private long joinTime = -1;

        @Override
        public void process(Record<String, Item> record) {
            if (record.value() instanceof Event event) {
                take(event);
            } else if (record.value() instanceof LateEvent late && deadlines.isJoinable(late)) {
                take(late.event());
            }
        }

        private void take(Event event) {
            if (side == Side.LEFT && event.time() + span >= joinTime) {
                joinTime = event.time() + span + STEP;
                context().forward(new Record<>(Tick.KEY, new Tick(event.time()), joinTime));
            }
            if (event.origin().topic().equals(topic)) {
                context().forward(new Record<>(event.key(), event, event.time()));
            }
        }
    }
}
