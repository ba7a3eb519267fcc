package dev.tidemark.common;

import java.time.Duration;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The time distance within which events belong together: {@code tidemark.pairs.within}. Both bounds are included.
 *
 * @param before how long before its left event a right one may have happened
 * @param after how long after its left event a right one may have happened
 */
public record Within(
        @DefaultValue("0s") Duration before,
        @DefaultValue("0s") Duration after) {

    private static final SettingRules RULES = new SettingRules("");
    private static final Duration MOST = Duration.ofDays(366);

    public Within {
        RULES.requireBetween("before", before, Duration.ZERO, MOST);
        RULES.requireBetween("after", after, Duration.ZERO, MOST);
    }

    /** How much later than an event of this side a partner may have happened. */
    public Duration later(Side side) {
        return side == Side.LEFT ? after : before;
    }

    /** How much earlier than an event of this side a partner may have happened. */
    public Duration earlier(Side side) {
        return later(side.other());
    }

    /** From the earliest partner that an event may have to the latest. */
    public Duration span() {
        return before.plus(after);
    }

    /** The windows of the join. */
    public JoinWindows windows(Duration grace) {
        return JoinWindows.ofTimeDifferenceAndGrace(Duration.ZERO, grace)
                .before(before)
                .after(after);
    }

    @Override
    public String toString() {
        return "before " + SettingRules.show(before) + ", after " + SettingRules.show(after);
    }
}
