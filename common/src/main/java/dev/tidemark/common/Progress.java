package dev.tidemark.common;

/**
 * How far a source partition has come: everything that was read from it before has been passed on before.
 *
 * @param route the source partition, and the way that this takes
 * @param streamTime greatest event time read since the task started, in epoch milliseconds; -1 if there is none
 * @param idleMillis for how long nothing has come, once that is longer than a source partition is waited for; 0 before;
 *     {@link #BEHIND} while what there was when the task started is being read, and nobody goes on
 * @param ended whether the source partition is complete
 * @param saidAt wall time of who says it, in epoch milliseconds
 */
public record Progress(Route route, long streamTime, long idleMillis, boolean ended, long saidAt) implements Item {

    /** Instead of a time in which nothing has come. */
    static final long BEHIND = -1;

    /** The key of every record with progress; it goes to all partitions. */
    static final String KEY = "\0progress";

    Progress via(int partition) {
        Route further = new Route(route.topic(), route.partition(), partition);
        return new Progress(further, streamTime, idleMillis, ended, saidAt);
    }
}
