package dev.tidemark.demo;

import java.io.PrintStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A screen that is drawn over the one before without being cleared, so that it does not flicker. The cursor is hidden
 * meanwhile.
 */
final class TerminalView implements View {

    private static final String HIDE_CURSOR = "\033[?25l";
    private static final String SHOW_CURSOR = "\033[?25h";
    private static final String CLEAR = "\033[2J";
    private static final String HOME = "\033[H";
    private static final String CLEAR_LINE = "\033[K";
    private static final String CLEAR_BELOW = "\033[J";

    private final PrintStream out;
    private final Results results;
    private final List<String> pairPipelines;
    private final Supplier<List<String>> head;
    private final Supplier<List<String>> troubles;
    private List<WindowResult> windows = List.of();
    private List<PairCounts> pairs = List.of();
    private Ledger ledger;
    private boolean hidden;

    TerminalView(
            PrintStream out,
            Results results,
            List<String> pairPipelines,
            Supplier<List<String>> head,
            Supplier<List<String>> troubles) {
        this.out = out;
        this.results = results;
        this.pairPipelines = pairPipelines;
        this.head = head;
        this.troubles = troubles;
    }

    @Override
    public void show() throws InterruptedException {
        Terminal terminal = Terminal.current();
        List<String> wrong = new ArrayList<>(troubles.get());
        try {
            windows = results.latest();
            pairs = results.pairs(pairPipelines);
            ledger = results.ledger();
        } catch (SQLException e) {
            wrong.add("PostgreSQL does not answer: " + e.getMessage());
        }
        draw(new Screen(head.get(), windows, pairs, ledger, wrong).lines(terminal.width(), terminal.height() - 1));
    }

    /** Leaves the last screen where it is, and the cursor below it. */
    @Override
    public void close() {
        results.close();
        if (hidden) {
            print(SHOW_CURSOR + "\n");
        }
    }

    private void draw(List<String> lines) {
        StringBuilder screen = new StringBuilder(hidden ? "" : HIDE_CURSOR + CLEAR);
        hidden = true;
        screen.append(HOME);
        for (String line : lines) {
            screen.append(line).append(CLEAR_LINE).append('\n');
        }
        print(screen.append(CLEAR_BELOW).toString());
    }

    private void print(String text) {
        out.print(text);
        out.flush();
    }
}
