package dev.tidemark.profiles;

import dev.tidemark.common.JsonRow;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.ZoneId;

/**
 * What is published of a key: its statistics, its profile, or both.
 *
 * @param statistics what is known of its events; without any, {@link Statistics#NONE}
 * @param profile its profile; {@link Profile#NONE} or deleted if there is none
 */
record ProfileRow(Statistics statistics, Profile profile) {

    /**
     * How rows are written.
     *
     * @param pipeline the pipeline's name
     * @param scale decimal places of amounts
     * @param gap the longest time between two events of a session
     * @param zone the zone of days and weeks
     * @param settings fingerprint of the settings
     * @param deleteWithProfile whether there is no row for a deleted profile
     */
    record Form(String pipeline, int scale, Duration gap, ZoneId zone, String settings, boolean deleteWithProfile) {

        static Form of(ProfilesProperties settings) {
            return new Form(
                    settings.pipeline(),
                    settings.input().amountScale(),
                    settings.session().gap(),
                    settings.zone(),
                    settings.fingerprint(),
                    settings.table().deleteWithProfile());
        }

        /** The row of a key, or null if there is none; statistics and profile may be null. */
        ProfileRow row(Statistics statistics, Profile profile) {
            boolean deleted = profile != null && profile.isDeleted();
            boolean nothing = statistics == null && (profile == null || deleted);
            if (nothing || deleted && deleteWithProfile) {
                return null;
            }
            return new ProfileRow(
                    statistics == null ? Statistics.NONE : statistics, profile == null ? Profile.NONE : profile);
        }

        /** The key of a row's record. */
        byte[] id(String key) {
            return begin(key).toBytes();
        }

        private JsonRow begin(String key) {
            return new JsonRow().text("pipeline", pipeline).text("key", key);
        }
    }

    /** The value of the row's record. */
    byte[] toJson(String key, Form form) {
        JsonRow row = form.begin(key).number("revision", statistics.changes() + profile.changes());
        writeEvents(row, form.scale);
        writePeriods(row, form.scale);
        writeSession(row, form);
        return row.text("profile", profile.fields())
                .time("profile_time", profile.isDeleted() ? null : profile.time())
                .number("profile_partition", profile.isDeleted() ? null : (Number) profile.partition())
                .number("profile_offset", profile.isDeleted() ? null : (Number) profile.offset())
                .text("zone", form.zone.getId())
                .text("settings", form.settings)
                .toBytes();
    }

    private boolean hasEvents() {
        return statistics.count() > 0;
    }

    private void writeEvents(JsonRow row, int scale) {
        Spans.Gap longest = hasEvents() ? statistics.spans().longestGap() : null;
        row.number("count", statistics.count())
                .decimal("amount", statistics.amount().toDecimal(scale))
                .decimal("minimum", hasEvents() ? BigDecimal.valueOf(statistics.least(), scale) : null)
                .decimal("maximum", hasEvents() ? BigDecimal.valueOf(statistics.greatest(), scale) : null)
                .decimal("average", hasEvents() ? statistics.average(scale) : null)
                .time("first_time", hasEvents() ? statistics.first().time() : null)
                .text("first_event_id", hasEvents() ? statistics.first().id() : null)
                .time("last_time", hasEvents() ? statistics.last().time() : null)
                .text("last_event_id", hasEvents() ? statistics.last().id() : null)
                .number("longest_gap_millis", longest == null ? null : (Number) longest.millis())
                .time("longest_gap_start", longest == null ? null : longest.start())
                .time("longest_gap_end", longest == null ? null : longest.end());
    }

    private void writePeriods(JsonRow row, int scale) {
        row.time("day_start", hasEvents() ? statistics.visits().present() : null)
                .decimal("visits_today", statistics.visits().now().toDecimal(0))
                .time("week_start", hasEvents() ? statistics.spend().present() : null)
                .decimal("spend_this_week", statistics.spend().now().toDecimal(scale))
                .time("stream_time", hasEvents() ? statistics.streamTime() : null);
    }

    private void writeSession(JsonRow row, Form form) {
        Spans.Span last = hasEvents() ? statistics.spans().last() : null;
        row.time("session_start", last == null ? null : last.start())
                .time("session_end", last == null ? null : last.end())
                .time("session_until", last == null ? null : last.end() + form.gap.toMillis())
                .number("session_count", last == null ? null : (Number) last.count())
                .decimal("session_amount", last == null ? null : last.amount().toDecimal(form.scale));
    }
}
