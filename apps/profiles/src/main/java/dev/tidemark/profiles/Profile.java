package dev.tidemark.profiles;

import dev.tidemark.common.Event;
import dev.tidemark.common.TableReader;
import org.apache.kafka.common.serialization.Serde;

/**
 * The newest that is known of a profile. A deleted one is remembered, so that an update older than what was deleted does
 * not bring it back.
 *
 * @param changes how many updates were taken; greater in each later state
 * @param time time of the newest update in epoch milliseconds; where updates bear a time of their own, a deletion, which
 *     has none, leaves it as it was
 * @param partition partition of the record that was taken last
 * @param offset its offset
 * @param fields the taken fields as a JSON object; null if the profile is deleted
 */
record Profile(long changes, long time, int partition, long offset, String fields) {

    /** Nothing is known. */
    static final Profile NONE = new Profile(0, Long.MIN_VALUE, -1, -1, null);

    boolean isDeleted() {
        return fields == null;
    }

    /**
     * With an update, unless what is known is newer.
     *
     * @param reader has read it
     * @param timed whether updates bear a time of their own
     * @param most how many bytes the fields may have
     */
    Profile plus(Event update, TableReader reader, boolean timed, int most) {
        boolean deletes = TableReader.isDeletion(update);
        boolean takes = timed && deletes || (timed && isDeleted() ? update.time() > time : update.time() >= time);
        if (!takes) {
            return this;
        }
        return new Profile(
                changes + 1,
                timed && deletes ? time : update.time(),
                update.origin().partition(),
                update.origin().offset(),
                deletes ? null : ProfileFields.fitting(reader.takeFields(update.payload()), most));
    }

    boolean isOf(Event update) {
        return partition == update.origin().partition()
                && offset == update.origin().offset();
    }

    static Serde<Profile> serde() {
        return Binary.serde(
                (profile, out) -> {
                    out.writeLong(profile.changes);
                    out.writeLong(profile.time);
                    out.writeInt(profile.partition);
                    out.writeLong(profile.offset);
                    out.writeBoolean(profile.fields != null);
                    if (profile.fields != null) {
                        Binary.writeLongText(out, profile.fields);
                    }
                },
                in -> new Profile(
                        in.readLong(),
                        in.readLong(),
                        in.readInt(),
                        in.readLong(),
                        in.readBoolean() ? Binary.readLongText(in) : null));
    }
}
