package dev.tidemark.pairs;

/**
 * An event that a test sent.
 *
 * @param isLeft whether it is an order
 * @param id its id, unique over both sides
 * @param key what it has in common with its partners
 * @param time its time in epoch milliseconds
 * @param place topic, partition and offset
 * @param withinGrace whether it came at most the grace behind its own source partition
 */
record Sent(boolean isLeft, String id, String key, long time, String place, boolean withinGrace) {

    /** Whether this left event and that right one belong together; bounds in seconds. */
    boolean belongsTo(Sent right, int before, int after) {
        long distance = right.time - time;
        return key.equals(right.key) && distance >= -1000L * before && distance <= 1000L * after;
    }

    static boolean belong(Sent one, Sent other, int before, int after) {
        return one.isLeft ? one.belongsTo(other, before, after) : other.belongsTo(one, before, after);
    }
}
