package dev.tidemark.totals;

import dev.tidemark.common.SettingRules;
import dev.tidemark.common.TotalsProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The settings of a {@link Run}.
 *
 * @param windowing the kind of windows
 * @param grace how long after a window's end its final waits
 * @param correctUntil how long after closing a window still accepts late events
 * @param correctEvery late events of one window and one such interval become one version; zero: each its own
 * @param deduplicateFor how long an event id is remembered
 * @param idleAfter wall time without events after which the clock goes on
 * @param cacheBytes size of the record cache
 * @param storage where the stores are
 */
record RunSettings(
        Windowing windowing,
        Duration grace,
        Duration correctUntil,
        Duration correctEvery,
        Duration deduplicateFor,
        Duration idleAfter,
        long cacheBytes,
        Storage storage) {

    /** Stores on disk are those of the real app, but take fifty times longer to start. */
    enum Storage {
        IN_MEMORY,
        ON_DISK
    }

    /** How far beyond its arrival an event time may lie: the default. */
    static final Duration MAX_FUTURE = Duration.ofMinutes(5);

    TotalsProperties properties() {
        List<String> settings = new ArrayList<>(windowing.settings());
        settings.add("grace=" + grace.toMillis() + "ms");
        settings.add("correct-until=" + correctUntil.toMillis() + "ms");
        settings.add("correct-every=" + correctEvery.toMillis() + "ms");
        settings.add("deduplicate-for=" + deduplicateFor.toMillis() + "ms");
        settings.add("idle-after=" + idleAfter.toMillis() + "ms");
        return Totals.settings(settings.toArray(String[]::new));
    }

    @Override
    public String toString() {
        return String.join(" ", windowing.settings()) + " grace=" + text(grace) + " correct-until=" + text(correctUntil)
                + " correct-every=" + text(correctEvery) + " deduplicate-for=" + text(deduplicateFor) + " idle-after="
                + text(idleAfter) + ", cache of "
                + cacheBytes + " bytes, stores " + storage.name().toLowerCase().replace('_', ' ');
    }

    private static String text(Duration duration) {
        return SettingRules.show(duration);
    }
}
