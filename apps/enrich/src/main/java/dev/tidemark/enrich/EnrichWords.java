package dev.tidemark.enrich;

import static dev.tidemark.common.SettingRules.show;

import dev.tidemark.common.JsonRow;

/** Why an event has no profile, or came late, in words. */
final class EnrichWords {

    private final EnrichProperties settings;

    EnrichWords(EnrichProperties settings) {
        this.settings = settings;
    }

    /** An example: {@code customers has nothing for its key}. */
    String missing() {
        return table() + " has nothing for its key";
    }

    /**
     * The table says something of the key, but not as of the event's time.
     *
     * @param latest time of the latest that it says, in epoch milliseconds
     */
    String missingThen(long latest) {
        return table() + " has nothing for its key as of that time; the latest is of " + time(latest);
    }

    String unreadable(String reason) {
        return "the record of its key in " + table() + " cannot be read: " + reason;
    }

    /** The profile came when the event had been published without one. */
    String cameLater(Profile profile) {
        return "what " + table() + " says of it from " + time(profile.time()) + " on came later";
    }

    String late(long streamTime) {
        return "it was looked up at once, because updates of its time were not waited for any longer when the stream"
                + " time was " + time(streamTime);
    }

    /** Of a table that only knows the latest. */
    String lateForLatest(long streamTime) {
        return "it came when the stream time was " + time(streamTime) + ", more than the grace of "
                + show(settings.grace()) + " behind; it has what " + table() + " said when it came";
    }

    /** Of a table that only knows the latest. */
    String tooLateForLatest() {
        return "it is more than the grace of " + show(settings.grace()) + " and "
                + show(settings.table().history()) + " of history behind the stream time";
    }

    String tooLate() {
        return "what " + table() + " said then may have been forgotten, because "
                + show(settings.table().history()) + " of history are kept";
    }

    String lateUpdate() {
        return "events of its time may have been published without it; it is used from now on";
    }

    /** The update was over before all history. */
    String obsolete() {
        return "the next record of its key is of a time that is more than "
                + show(settings.table().history()) + " ago as well";
    }

    private String table() {
        return settings.table().topic();
    }

    private static String time(long epochMillis) {
        return JsonRow.timeText(epochMillis);
    }
}
