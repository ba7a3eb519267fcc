package dev.tidemark.pairs;

import static dev.tidemark.common.SettingRules.show;

import dev.tidemark.common.Event;
import dev.tidemark.common.JsonRow;
import dev.tidemark.common.PairsProperties;
import dev.tidemark.common.Side;
import java.time.Duration;

/** Why an event has no partner, or not the partners that it should have, in words. */
final class PairWords {

    private final PairsProperties settings;

    PairWords(PairsProperties settings) {
        this.settings = settings;
    }

    /** An example: {@code no payments within 30m}. */
    String unmatched(Side side) {
        Duration earlier = settings.within().earlier(side);
        Duration later = settings.within().later(side);
        String none = "no " + topic(side.other());
        if (earlier.isZero() && later.isZero()) {
            return none + " at the same time";
        }
        if (earlier.isZero()) {
            return none + " within " + show(later);
        }
        return later.isZero()
                ? none + " within " + show(earlier) + " before"
                : none + " from " + show(earlier) + " before to " + show(later) + " after";
    }

    /** The event came when nobody waited for it any longer, and nobody is remembered who did. */
    String unmatchedAndLate(Side side, long streamTime) {
        return unmatched(side) + "; it came late, when the stream time was " + JsonRow.timeText(streamTime);
    }

    /** The event came when its partners were not waited for any longer. */
    String completes(Side side, Event first, int partners, long streamTime) {
        return "it completes " + name(side.other(), first)
                + (partners == 1 ? ", which was" : " and " + (partners - 1) + " more, which were")
                + " unmatched or late when the stream time was " + JsonRow.timeText(streamTime);
    }

    /** An event has more partners than expected. */
    String broken(Side side, Event event) {
        return name(side, event) + " has more than one of " + topic(side.other()) + ", but " + settings.expect()
                + " is expected";
    }

    /** The event came when all that it could belong to may have been forgotten. */
    String tooLate() {
        return "all that it may belong to was last waited for more than " + show(settings.correctUntil()) + " before";
    }

    private String name(Side side, Event event) {
        return topic(side) + " " + event.id();
    }

    private String topic(Side side) {
        return settings.input(side).topic();
    }
}
