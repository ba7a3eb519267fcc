package dev.tidemark.profiles;

import dev.tidemark.common.Disposition;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.Item;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.SettingRules;
import dev.tidemark.common.Tick;
import java.time.Duration;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Says of each event how late it is for sessions, and translates ticks for them. A session whose last event is at
 * {@code t} is finished when all of {@code t + gap} lies behind the watermark. What the clock calls late may still
 * belong to a session that is not finished; only an event that would be a finished session by itself is kept from the
 * operators, because they would drop it.
 *
 * @param windows the seconds by which the clock closes
 * @param grace how far the watermark is behind the clock
 * @param correctUntil how long after that late events are accepted
 * @param gap the longest time between two events of a session
 */
record PlaceEvents(EventWindows windows, Duration grace, Duration correctUntil, Duration gap)
        implements ProcessorSupplier<String, Item, String, Arrival> {

    /** How much time may pass at once. */
    static final Duration STEP = Duration.ofDays(1);

    @Override
    public Processor<String, Item, String, Arrival> get() {
        return new Task();
    }

    private final class Task extends ContextualProcessor<String, Item, String, Arrival> {

        private final long graceMillis = grace.toMillis();
        private final long gapMillis = gap.toMillis();
        private long streamTime;
        private long operatorTime = -1;
        private boolean ended;

        @Override
        public void process(Record<String, Item> record) {
            if (record.value() instanceof Event event) {
                goOnTo(event.time());
                context().forward(record.withValue(new Arrival.Came(event, false, false, streamTime)));
            } else if (record.value() instanceof LateEvent late) {
                Event event = late.event();
                boolean over = ended || event.time() + gapMillis < late.lastClosed() + windows.size();
                context()
                        .forward(new Record<>(
                                event.key(), new Arrival.Came(event, true, over, streamTime), event.time()));
            } else if (record.value() instanceof Tick tick) {
                process(tick, record);
            } else if (record.value() instanceof Outcome outcome) {
                context().forward(record.withValue(new Arrival.Settled(inWords(outcome))));
            }
        }

        /** Users know nothing of the seconds of the clock. */
        private Outcome inWords(Outcome outcome) {
            return outcome.disposition() == Disposition.TOO_LATE
                    ? outcome.because("it is more than " + SettingRules.show(correctUntil)
                            + " further behind the stream time than the grace of " + SettingRules.show(grace))
                    : outcome;
        }

        /**
         * The time of a tick says what is closed, which is the same after a restart. When the input has ended, the clock has
         * closed its own second; sessions last until a gap later.
         */
        private void process(Tick tick, Record<String, Item> record) {
            ended = tick.streamTime() == Long.MAX_VALUE;
            long time = ended ? record.timestamp() + gapMillis + 1 : record.timestamp();
            goOnTo(time);
            long closedUntil = record.timestamp() - windows.gracePeriodMs();
            streamTime = Math.max(streamTime, ended ? closedUntil - windows.size() : closedUntil + graceMillis);
            tick(time, ended);
        }

        /**
         * Lets the time of the operators leap in steps only, because with each the store of sessions forgets, and what is
         * finished has to be published before. The tick of a step closes no more than what follows would.
         */
        private void goOnTo(long time) {
            while (operatorTime >= 0 && operatorTime + STEP.toMillis() < time) {
                operatorTime += STEP.toMillis();
                tick(operatorTime, false);
            }
            operatorTime = Math.max(operatorTime, time);
        }

        /** Each tick has a key of its own: of one key, all that was deleted before would be passed with each. */
        private void tick(long time, boolean last) {
            context().forward(new Record<>(Tick.KEY + time, new Arrival.Ticked(streamTime, last), time));
        }
    }
}
