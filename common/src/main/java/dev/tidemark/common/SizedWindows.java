package dev.tidemark.common;

import java.time.Duration;

/** Windows of one size, one at every advance. */
final class SizedWindows extends EventWindows {

    private final long advance;
    private final long offset;
    /** Aligned start of the window that begins at the epoch; zero or negative. */
    private final long first;

    SizedWindows(Duration size, Duration advance, Duration offset, Duration grace) {
        super(size, grace);
        this.advance = advance.toMillis();
        this.offset = offset.toMillis();
        this.first = aligned(0);
    }

    @Override
    public long lastStartOf(long time) {
        return Math.max(0, aligned(time));
    }

    @Override
    public long[] startsOf(long time) {
        long earliest = Math.max(first, aligned(time - size()) + advance);
        long[] starts = new long[(int) ((aligned(time) - earliest) / advance) + 1];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = Math.max(0, earliest + i * advance);
        }
        return starts;
    }

    @Override
    public long endOf(long start) {
        return aligned(start) + size();
    }

    @Override
    public long lastClosed(long watermark) {
        long start = aligned(watermark - size());
        return start == first ? 0 : start;
    }

    private long aligned(long time) {
        return Math.floorDiv(time - offset, advance) * advance + offset;
    }
}
