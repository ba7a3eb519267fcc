package dev.tidemark.console;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A topology as a picture that is read from left to right: each step stands right of all that it follows, and in its
 * column near the middle of what it follows. Parts that are joined by a topic of the app are drawn joined by it.
 *
 * @param steps boxes
 * @param lines from box to box
 * @param width width of the picture
 * @param height height of the picture
 */
record TopologyPicture(List<Step> steps, List<Line> lines, int width, int height) {

    private static final int COLUMN = 210;
    private static final int ROW = 54;
    private static final int BOX_WIDTH = 170;
    private static final int BOX_HEIGHT = 38;
    private static final int LONGEST = 24;
    private static final Pattern NODE = Pattern.compile(
            "\\s*(Source|Processor|Sink): (\\S+) \\((topics|stores|topic|extractor class): ?(.*?)\\)\\s*");
    private static final Pattern NEXT = Pattern.compile("\\s*--> (.*)");

    /**
     * @param kind {@code source}, {@code processor}, {@code sink} or {@code topic}
     * @param detail stores of a processor
     */
    record Step(String name, String kind, String detail, int x, int y) {

        public String label() {
            return cut(name);
        }

        public String stores() {
            return cut(detail);
        }

        private static String cut(String text) {
            return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
        }
    }

    /** @param path as SVG writes it */
    record Line(String path) {}

    /** @param description what {@code Topology.describe()} prints */
    static TopologyPicture of(String description) {
        Graph graph = new Graph();
        description.lines().forEach(graph::read);
        return graph.draw();
    }

    /** Boxes by name, with what follows each. */
    private static final class Graph {

        private final Map<String, String> kinds = new LinkedHashMap<>();
        private final Map<String, String> details = new LinkedHashMap<>();
        private final Map<String, Set<String>> next = new LinkedHashMap<>();
        private String current;

        void read(String line) {
            Matcher node = NODE.matcher(line);
            Matcher following = NEXT.matcher(line);
            if (node.matches()) {
                // A sink whose topic is computed has none that could be drawn.
                readNode(node.group(1), node.group(2), node.group(3).startsWith("extractor") ? "" : node.group(4));
            } else if (following.matches() && current != null) {
                names(following.group(1)).filter(name -> !name.equals("none")).forEach(name -> follow(current, name));
            }
        }

        private void readNode(String type, String name, String in) {
            current = name;
            String kind = type.toLowerCase(java.util.Locale.ROOT);
            kinds.put(name, kind);
            if (kind.equals("processor")) {
                details.put(name, names(in).collect(Collectors.joining(", ")));
                return;
            }
            names(in).forEach(topic -> {
                String box = "topic " + topic;
                kinds.putIfAbsent(box, "topic");
                if (kind.equals("source")) {
                    follow(box, name);
                } else {
                    follow(name, box);
                }
            });
        }

        private void follow(String from, String to) {
            next.computeIfAbsent(from, ignored -> new LinkedHashSet<>()).add(to);
        }

        private static java.util.stream.Stream<String> names(String list) {
            return Arrays.stream(list.replaceAll("[\\[\\]]", "").split(",\\s*"))
                    .map(String::strip)
                    .filter(name -> !name.isEmpty());
        }

        TopologyPicture draw() {
            Map<String, Integer> columns = columns();
            Map<String, Integer> rows = rows(columns);
            List<Step> steps = new ArrayList<>();
            kinds.forEach((name, kind) -> steps.add(new Step(
                    name.replaceFirst("^topic ", ""),
                    kind,
                    details.getOrDefault(name, ""),
                    10 + columns.get(name) * COLUMN,
                    10 + rows.get(name) * ROW)));
            List<Line> lines = new ArrayList<>();
            next.forEach((from, tos) -> tos.forEach(to -> {
                if (kinds.containsKey(to)) {
                    lines.add(line(columns.get(from), rows.get(from), columns.get(to), rows.get(to)));
                }
            }));
            int width = steps.stream().mapToInt(Step::x).max().orElse(0) + BOX_WIDTH + 10;
            int height = steps.stream().mapToInt(Step::y).max().orElse(0) + BOX_HEIGHT + 10;
            return new TopologyPicture(steps, lines, width, height);
        }

        private static Line line(int fromColumn, int fromRow, int toColumn, int toRow) {
            int x1 = 10 + fromColumn * COLUMN + BOX_WIDTH;
            int y1 = 10 + fromRow * ROW + BOX_HEIGHT / 2;
            int x2 = 10 + toColumn * COLUMN;
            int y2 = 10 + toRow * ROW + BOX_HEIGHT / 2;
            int bend = x2 - (COLUMN - BOX_WIDTH) / 2;
            return new Line("M%d %dL%d %dC%d %d %d %d %d %d"
                    .formatted(x1, y1, Math.max(x1, x2 - COLUMN + BOX_WIDTH), y1, bend, y1, bend, y2, x2, y2));
        }

        /** The longest way to each box; a box that leads back to itself is not followed around. */
        private Map<String, Integer> columns() {
            Map<String, Integer> columns = new LinkedHashMap<>();
            kinds.keySet().forEach(name -> columns.put(name, 0));
            for (int round = 0; round < kinds.size(); round++) {
                boolean moved = false;
                for (Map.Entry<String, Set<String>> entry : next.entrySet()) {
                    for (String to : entry.getValue()) {
                        int least = columns.getOrDefault(entry.getKey(), 0) + 1;
                        if (columns.containsKey(to) && columns.get(to) < least && least <= kinds.size()) {
                            columns.put(to, least);
                            moved = true;
                        }
                    }
                }
                if (!moved) {
                    break;
                }
            }
            return columns;
        }

        /** Column by column, each box in the free row that is nearest to the middle of what it follows. */
        private Map<String, Integer> rows(Map<String, Integer> columns) {
            Map<String, Integer> rows = new LinkedHashMap<>();
            int last =
                    columns.values().stream().mapToInt(Integer::intValue).max().orElse(0);
            for (int column = 0; column <= last; column++) {
                Set<Integer> taken = new LinkedHashSet<>();
                for (Map.Entry<String, Integer> entry : columns.entrySet()) {
                    if (entry.getValue() == column) {
                        int row = nearestFree((int) Math.floor(middle(entry.getKey(), rows)), taken);
                        taken.add(row);
                        rows.put(entry.getKey(), row);
                    }
                }
            }
            return rows;
        }

        private double middle(String name, Map<String, Integer> rows) {
            return next.entrySet().stream()
                    .filter(entry -> entry.getValue().contains(name) && rows.containsKey(entry.getKey()))
                    .mapToInt(entry -> rows.get(entry.getKey()))
                    .average()
                    .orElse(0);
        }

        private static int nearestFree(int wanted, Set<Integer> taken) {
            for (int away = 0; ; away++) {
                if (!taken.contains(wanted + away)) {
                    return wanted + away;
                }
                if (wanted - away >= 0 && !taken.contains(wanted - away)) {
                    return wanted - away;
                }
            }
        }
    }
}
