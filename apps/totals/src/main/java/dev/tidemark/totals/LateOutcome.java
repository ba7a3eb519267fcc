package dev.tidemark.totals;

import dev.tidemark.common.Disposition;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.JsonRow;
import dev.tidemark.common.LateEvent;
import dev.tidemark.common.Outcome;

/**
 * What became of an event that corrects windows, with the reason in words.
 *
 * @param late the event
 * @param windows the pipeline's windows
 */
record LateOutcome(LateEvent late, EventWindows windows) {

    /** @param version the version of the first corrected window that the event is part of */
    Outcome naming(int version) {
        Disposition disposition = late.partly() ? Disposition.PARTLY_LATE : Disposition.LATE;
        return Outcome.of(late.event(), disposition, reason()).correcting(late.starts()[0], version);
    }

    private String reason() {
        long[] all = windows.startsOf(late.event().time());
        long[] corrected = late.starts();
        String end = JsonRow.timeText(windows.endOf(corrected[corrected.length - 1]));
        String streamTime = JsonRow.timeText(late.streamTime());
        if (all.length == 1) {
            return "its window had closed at " + end + " when the stream time was " + streamTime;
        }
        String reason = corrected.length + " of its " + all.length + " windows, from " + JsonRow.timeText(corrected[0])
                + " to " + end + ", had closed when the stream time was " + streamTime;
        int beyond = 0;
        while (all[beyond] < corrected[0]) {
            beyond++;
        }
        int open = all.length - beyond - corrected.length;
        return reason
                + (open == 0 ? "" : "; " + open + (open == 1 ? " was open" : " were open"))
                + (beyond == 0 ? "" : "; " + beyond + " had closed too long before");
    }
}
