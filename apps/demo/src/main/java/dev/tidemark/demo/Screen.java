package dev.tidemark.demo;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the terminal shows, as plain lines: where to connect, per key the newest provisional, final and corrected
 * window, per pipeline of pairs how many there are, the ledger, and what went wrong.
 *
 * @param head lines about the demo itself
 * @param windows newest windows per key and status
 * @param pairs counts per pipeline of pairs
 * @param ledger the ledger, or null as long as there is none
 * @param troubles lines about errors
 */
record Screen(
        List<String> head, List<WindowResult> windows, List<PairCounts> pairs, Ledger ledger, List<String> troubles) {

    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm");
    private static final DateTimeFormatter DAY_AND_TIME = DateTimeFormatter.ofPattern("MM-dd HH:mm");
    private static final List<String> STATUSES = List.of("provisional", "final", "corrected");
    private static final String[] TITLES = {
        "KEY", "PROVISIONAL", "total", "FINAL", "total", "CORRECTED", "version", "total", "delta", "because of"
    };
    private static final boolean[] RIGHT = {false, false, true, false, true, false, true, true, true, false};
    private static final String[] PAIR_TITLES = {
        "PAIRS OF A DAY", "matched", "share", "left alone", "right alone", "corrected"
    };
    private static final boolean[] PAIR_RIGHT = {false, true, true, true, true, true};

    /** The lines that fit: too long ones are cut, the ledger is wrapped, and keys without room are only counted. */
    List<String> lines(int width, int height) {
        List<String> foot = new ArrayList<>();
        foot.add("");
        if (!pairs.isEmpty()) {
            foot.addAll(pairLines());
            foot.add("");
        }
        if (ledger != null) {
            foot.addAll(wrap(ledger.counts(), width));
            foot.addAll(wrap(ledger.amounts(), width));
        }
        foot.addAll(troubles);

        List<String> lines = new ArrayList<>(head);
        lines.add("");
        lines.addAll(table(height - head.size() - 1 - foot.size()));
        lines.addAll(foot);
        return lines.stream()
                .limit(Math.max(1, height))
                .map(line -> line.length() > width ? line.substring(0, width) : line)
                .toList();
    }

    private List<String> table(int room) {
        if (windows.isEmpty()) {
            return List.of("No windows yet.");
        }
        List<String[]> rows = new ArrayList<>();
        rows.add(TITLES);
        Map<String, List<WindowResult>> byKey = new TreeMap<>();
        windows.forEach(window ->
                byKey.computeIfAbsent(window.key(), key -> new ArrayList<>()).add(window));
        byKey.forEach((key, ofKey) -> rows.add(row(key, ofKey)));
        List<String> lines = align(rows, RIGHT);
        int shown = Math.max(2, room);
        if (lines.size() <= shown) {
            return lines;
        }
        List<String> fitting = new ArrayList<>(lines.subList(0, shown - 1));
        fitting.add("... and %d more keys".formatted(lines.size() - fitting.size()));
        return fitting;
    }

    private List<String> pairLines() {
        List<String[]> rows = new ArrayList<>();
        rows.add(PAIR_TITLES);
        pairs.forEach(counts -> rows.add(new String[] {
            counts.pipeline(),
            grouped(counts.matched()),
            counts.share(),
            grouped(counts.leftUnmatched()),
            grouped(counts.rightUnmatched()),
            grouped(counts.corrected())
        }));
        return align(rows, PAIR_RIGHT);
    }

    private static String grouped(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private String[] row(String key, List<WindowResult> ofKey) {
        String[] cells = new String[TITLES.length];
        Arrays.fill(cells, "");
        cells[0] = key;
        for (WindowResult window : ofKey) {
            int column = 1 + 2 * STATUSES.indexOf(window.status());
            cells[column] = label(window);
            if (window.version() < 2) {
                cells[column + 1] = window.total().toPlainString();
            } else {
                cells[column + 1] = Integer.toString(window.version());
                cells[column + 2] = window.total().toPlainString();
                cells[column + 3] = signed(window.delta());
                cells[column + 4] = cause(window);
            }
        }
        return cells;
    }

    /** The start of a window: its day, or its time if it is shorter and of the newest window's day. */
    private String label(WindowResult window) {
        Instant newest = windows.stream()
                .map(WindowResult::start)
                .max(Instant::compareTo)
                .orElseThrow();
        var start = window.start().atOffset(ZoneOffset.UTC);
        if (Duration.between(window.start(), window.end()).compareTo(Duration.ofHours(20)) > 0) {
            return DAY.format(start);
        }
        boolean sameDay =
                start.toLocalDate().equals(newest.atOffset(ZoneOffset.UTC).toLocalDate());
        return (sameDay ? TIME : DAY_AND_TIME).format(start);
    }

    static String signed(BigDecimal delta) {
        return delta == null ? "" : (delta.signum() < 0 ? "" : "+") + delta.toPlainString();
    }

    static String cause(WindowResult window) {
        String reason = window.reason() == null ? "" : window.reason();
        return window.causeEventId() == null ? reason : (reason + " " + window.causeEventId()).strip();
    }

    private static List<String> align(List<String[]> rows, boolean[] right) {
        int[] widths = new int[right.length];
        rows.forEach(row -> Arrays.setAll(widths, i -> Math.max(widths[i], row[i].length())));
        return rows.stream().map(row -> align(row, widths, right)).toList();
    }

    private static String align(String[] row, int[] widths, boolean[] right) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.length; i++) {
            String padding = " ".repeat(widths[i] - row[i].length());
            line.append(i == 0 ? "" : "  ").append(right[i] ? padding + row[i] : row[i] + padding);
        }
        return line.toString().stripTrailing();
    }

    /** Breaks a sum before its plus signs. */
    private static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        String rest = text;
        while (rest.length() > width) {
            int end = rest.lastIndexOf(" + ", width);
            if (end <= 2) {
                break;
            }
            lines.add(rest.substring(0, end));
            rest = "  " + rest.substring(end + 1);
        }
        lines.add(rest);
        return lines;
    }
}
