package dev.tidemark.profiles;

import dev.tidemark.common.ExactSum;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The sessions of a key, as far as its longest gap and its latest session depend on them, whatever order its events come
 * in. A gap can only be split by an event that may still be accepted. So a session that lies wholly before the earliest such
 * event is forgotten, once the gap before it has been compared with the longest. Immutable; times are epoch milliseconds.
 *
 * @param forgottenEnd end of the last session that is forgotten; -1 if there is none
 * @param gapStart start of the longest gap before {@code forgottenEnd}
 * @param gapEnd its end; if there is none, the same as its start
 * @param live the sessions since then, earliest first
 */
record Spans(long forgottenEnd, long gapStart, long gapEnd, List<Span> live) {

    static final Spans NONE = new Spans(-1, 0, 0, List.of());

    /**
     * A session.
     *
     * @param start time of its first event
     * @param end time of its last event
     * @param count how many events
     * @param amount what was spent
     */
    record Span(long start, long end, long count, ExactSum amount) {

        /** What it takes in a record. */
        static final int BYTES = 5 * Long.BYTES;

        private boolean touches(Span other, long gap) {
            return other.start <= end + gap && other.end >= start - gap;
        }

        private Span merge(Span other) {
            return new Span(
                    Math.min(start, other.start),
                    Math.max(end, other.end),
                    count + other.count,
                    amount.plus(other.amount));
        }
    }

    /** A time without events. */
    record Gap(long start, long end) {

        long millis() {
            return end - start;
        }
    }

    /**
     * With one more event.
     *
     * @param gap the longest time between two events of a session
     * @param reach how far behind the last event of the key another one can be that is accepted
     */
    Spans plus(long time, long amount, long gap, long reach) {
        Span joined = new Span(time, time, 1, ExactSum.of(amount));
        List<Span> all = new ArrayList<>(live.size() + 1);
        int place = 0;
        for (Span span : live) {
            if (span.touches(joined, gap)) {
                joined = joined.merge(span);
            } else {
                all.add(span);
                place += span.end < time ? 1 : 0;
            }
        }
        all.add(place, joined);
        return forget(all, all.get(all.size() - 1).end - reach - gap);
    }

    private Spans forget(List<Span> all, long before) {
        Spans spans = new Spans(forgottenEnd, gapStart, gapEnd, List.of());
        int kept = 0;
        while (all.get(kept).end < before) {
            Gap longest = longer(spans, all.get(kept).start);
            spans = new Spans(all.get(kept).end, longest.start, longest.end, List.of());
            kept++;
        }
        return new Spans(spans.forgottenEnd, spans.gapStart, spans.gapEnd, List.copyOf(all.subList(kept, all.size())));
    }

    private static Gap longer(Spans spans, long nextStart) {
        Gap longest = new Gap(spans.gapStart, spans.gapEnd);
        Gap next = new Gap(spans.forgottenEnd, nextStart);
        return spans.forgottenEnd >= 0 && next.millis() > longest.millis() ? next : longest;
    }

    /** The latest session. */
    Span last() {
        return live.get(live.size() - 1);
    }

    /** The longest time between two sessions, of several the first, or null if there is one session. */
    Gap longestGap() {
        Gap longest = longer(this, live.get(0).start);
        for (int i = 1; i < live.size(); i++) {
            Gap next = new Gap(live.get(i - 1).end, live.get(i).start);
            longest = next.millis() > longest.millis() ? next : longest;
        }
        return longest.millis() == 0 ? null : longest;
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(forgottenEnd);
        out.writeLong(gapStart);
        out.writeLong(gapEnd);
        out.writeInt(live.size());
        for (Span span : live) {
            out.writeLong(span.start);
            out.writeLong(span.end);
            out.writeLong(span.count);
            Binary.writeSum(out, span.amount);
        }
    }

    static Spans read(DataInput in) throws IOException {
        long forgottenEnd = in.readLong();
        long gapStart = in.readLong();
        long gapEnd = in.readLong();
        Span[] live = new Span[in.readInt()];
        for (int i = 0; i < live.length; i++) {
            live[i] = new Span(in.readLong(), in.readLong(), in.readLong(), Binary.readSum(in));
        }
        return new Spans(forgottenEnd, gapStart, gapEnd, List.of(live));
    }
}
