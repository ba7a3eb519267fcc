package dev.tidemark.profiles;

import dev.tidemark.common.Event;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.ExactSum;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.apache.kafka.common.serialization.Serde;

/**
 * What is known of the events of a key. It depends on which events were accepted and how far the clock has come, not on
 * the order of the events. Immutable; times are epoch milliseconds, amounts in units of the last decimal place.
 *
 * @param changes how often it has changed; greater in each later state
 * @param count how many events
 * @param amount what was spent
 * @param least the smallest amount
 * @param greatest the largest amount
 * @param first the first event
 * @param last the last event
 * @param spans the sessions, as far as they are needed
 * @param streamTime the clock's time
 * @param visits how many visits on the present day
 * @param spend what was spent in the present week
 */
record Statistics(
        long changes,
        long count,
        ExactSum amount,
        long least,
        long greatest,
        Mark first,
        Mark last,
        Spans spans,
        long streamTime,
        PeriodSums visits,
        PeriodSums spend) {

    /** Decimal places of an average beyond those of the amounts. */
    static final int AVERAGE_PLACES = 4;

    static final Statistics NONE = new Statistics(
            0,
            0,
            ExactSum.ZERO,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            new Mark(Long.MAX_VALUE, ""),
            new Mark(-1, ""),
            Spans.NONE,
            0,
            PeriodSums.NONE,
            PeriodSums.NONE);

    /**
     * An event in time; of several at one time, the id decides.
     *
     * @param time when it happened
     * @param id its id
     */
    record Mark(long time, String id) implements Comparable<Mark> {

        @Override
        public int compareTo(Mark other) {
            return time == other.time ? id.compareTo(other.id) : Long.compare(time, other.time);
        }
    }

    /**
     * How events are counted.
     *
     * @param days the days of the calendar
     * @param weeks the weeks of the calendar
     * @param gap the longest time between two events of a session
     * @param reach how far behind the last event of a key another one can be that is accepted
     * @param isVisit whether an event is a visit
     */
    record Rules(EventWindows days, EventWindows weeks, long gap, long reach, VisitTest isVisit) {}

    Statistics plus(Arrival arrival, Rules rules) {
        if (arrival instanceof Arrival.Came came) {
            return at(came.streamTime(), rules).plus(came.event(), rules);
        }
        return arrival instanceof Arrival.Turned turned ? at(turned.streamTime(), rules) : this;
    }

    private Statistics at(long time, Rules rules) {
        if (time <= streamTime) {
            return this;
        }
        return new Statistics(
                changes + 1,
                count,
                amount,
                least,
                greatest,
                first,
                last,
                spans,
                time,
                visits.at(time, rules.days),
                spend.at(time, rules.weeks));
    }

    private Statistics plus(Event event, Rules rules) {
        Mark mark = new Mark(event.time(), event.id());
        return new Statistics(
                changes + 1,
                count + 1,
                amount.plus(event.amount()),
                Math.min(least, event.amount()),
                Math.max(greatest, event.amount()),
                first.compareTo(mark) <= 0 ? first : mark,
                last.compareTo(mark) >= 0 ? last : mark,
                spans.plus(event.time(), event.amount(), rules.gap, rules.reach),
                streamTime,
                rules.isVisit.test(event) ? visits.plus(event.time(), 1, rules.days) : visits,
                spend.plus(event.time(), event.amount(), rules.weeks));
    }

    /** What an event was worth, at four decimal places more than the amounts have, half to even. */
    BigDecimal average(int scale) {
        return amount.toDecimal(scale)
                .divide(BigDecimal.valueOf(count), scale + AVERAGE_PLACES, RoundingMode.HALF_EVEN);
    }

    static Serde<Statistics> serde() {
        return Binary.serde(Statistics::write, Statistics::read);
    }

    private void write(DataOutput out) throws IOException {
        out.writeLong(changes);
        out.writeLong(count);
        Binary.writeSum(out, amount);
        out.writeLong(least);
        out.writeLong(greatest);
        for (Mark mark : new Mark[] {first, last}) {
            out.writeLong(mark.time);
            Binary.writeText(out, mark.id);
        }
        spans.write(out);
        out.writeLong(streamTime);
        visits.write(out);
        spend.write(out);
    }

    private static Statistics read(DataInput in) throws IOException {
        return new Statistics(
                in.readLong(),
                in.readLong(),
                Binary.readSum(in),
                in.readLong(),
                in.readLong(),
                new Mark(in.readLong(), Binary.readText(in)),
                new Mark(in.readLong(), Binary.readText(in)),
                Spans.read(in),
                in.readLong(),
                PeriodSums.read(in),
                PeriodSums.read(in));
    }
}
