package dev.tidemark.reconcile;

import java.io.PrintStream;
import java.util.Locale;

/** Draws progress on one line of a terminal, which is empty again when it is over. */
final class ProgressBar implements Progress {

    private static final int WIDTH = 30;
    private static final long REDRAW_NANOS = 100_000_000;
    private static final String LINE = "\r%-14s [%s%s] %3d %% of %,d";

    private final PrintStream out;
    private String what = "";
    private long steps;
    private long done;
    private long drawn;
    private int length;

    ProgressBar(PrintStream out) {
        this.out = out;
    }

    @Override
    public synchronized void begin(String name, long count) {
        end();
        what = name;
        steps = count;
        done = 0;
        draw();
    }

    @Override
    public synchronized void advance(long more) {
        done += more;
        if (System.nanoTime() - drawn > REDRAW_NANOS) {
            draw();
        }
    }

    @Override
    public synchronized void end() {
        if (length > 0) {
            out.print("\r" + " ".repeat(length) + "\r");
            out.flush();
            length = 0;
        }
    }

    private void draw() {
        drawn = System.nanoTime();
        double share = steps == 0 ? 1 : Math.min(1, (double) done / steps);
        int full = (int) (share * WIDTH);
        String line = String.format(
                Locale.ROOT, LINE, what, "#".repeat(full), ".".repeat(WIDTH - full), (int) (share * 100), steps);
        out.print(line);
        out.flush();
        length = line.length() - 1;
    }
}
