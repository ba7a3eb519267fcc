package dev.tidemark.console;

import dev.tidemark.console.TopologyPicture.Line;
import dev.tidemark.console.TopologyPicture.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The boxes of a topology by name, with what follows each, from the lines that {@code Topology.describe()} prints. */
final class TopologyGraph {

    private static final int COLUMN = 210;
    private static final int ROW = 54;
    private static final int BOX_WIDTH = 170;
    private static final int BOX_HEIGHT = 38;
    private static final int MARGIN = 10;
    private static final Pattern NODE = Pattern.compile(
            "\\s*(Source|Processor|Sink): (\\S+) \\((topics|stores|topic|extractor class): ?(.*?)\\)\\s*");
    private static final Pattern NEXT = Pattern.compile("\\s*--> (.*)");
    private static final String TOPIC = "topic ";

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

    TopologyPicture draw() {
        Map<String, Integer> columns = columns();
        Map<String, Integer> rows = rows(columns);
        List<Step> steps = new ArrayList<>();
        kinds.forEach((name, kind) -> steps.add(new Step(
                kind.equals("topic") ? name.substring(TOPIC.length()) : name,
                kind,
                details.getOrDefault(name, ""),
                MARGIN + columns.get(name) * COLUMN,
                MARGIN + rows.get(name) * ROW)));
        List<Line> lines = new ArrayList<>();
        next.forEach((from, tos) -> tos.stream()
                .filter(kinds::containsKey)
                .forEach(to -> lines.add(line(columns.get(from), rows.get(from), columns.get(to), rows.get(to)))));
        int width = steps.stream().mapToInt(Step::x).max().orElse(0) + BOX_WIDTH + MARGIN;
        int height = steps.stream().mapToInt(Step::y).max().orElse(0) + BOX_HEIGHT + MARGIN;
        return new TopologyPicture(steps, lines, width, height);
    }

    private void readNode(String type, String name, String in) {
        current = name;
        String kind = type.toLowerCase(Locale.ROOT);
        kinds.put(name, kind);
        if (kind.equals("processor")) {
            details.put(name, names(in).collect(Collectors.joining(", ")));
            return;
        }
        names(in).forEach(topic -> {
            String box = TOPIC + topic;
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

    private static Stream<String> names(String list) {
        return Arrays.stream(list.replaceAll("[\\[\\]]", "").split(",\\s*"))
                .map(String::strip)
                .filter(name -> !name.isEmpty());
    }

    private static Line line(int fromColumn, int fromRow, int toColumn, int toRow) {
        int x1 = MARGIN + fromColumn * COLUMN + BOX_WIDTH;
        int y1 = MARGIN + fromRow * ROW + BOX_HEIGHT / 2;
        int x2 = MARGIN + toColumn * COLUMN;
        int y2 = MARGIN + toRow * ROW + BOX_HEIGHT / 2;
        int bend = x2 - (COLUMN - BOX_WIDTH) / 2;
        return new Line("M%d %dL%d %dC%d %d %d %d %d %d"
                .formatted(x1, y1, Math.max(x1, x2 - COLUMN + BOX_WIDTH), y1, bend, y1, bend, y2, x2, y2));
    }

    /** The length of the longest way to each box. Where boxes lead in a circle, it ends after as many rounds as boxes. */
    private Map<String, Integer> columns() {
        Map<String, Integer> columns = new LinkedHashMap<>();
        kinds.keySet().forEach(name -> columns.put(name, 0));
        boolean moved = true;
        for (int round = 0; moved && round < kinds.size(); round++) {
            moved = false;
            for (Map.Entry<String, Set<String>> step : next.entrySet()) {
                int least = columns.getOrDefault(step.getKey(), 0) + 1;
                for (String to : step.getValue()) {
                    if (columns.getOrDefault(to, least) < least) {
                        columns.put(to, least);
                        moved = true;
                    }
                }
            }
        }
        return columns;
    }

    /** Column by column, each box in the free row that is nearest to the middle of what it follows. */
    private Map<String, Integer> rows(Map<String, Integer> columns) {
        Map<String, Integer> rows = new LinkedHashMap<>();
        Map<Integer, Set<Integer>> taken = new LinkedHashMap<>();
        columns.entrySet().stream().sorted(Map.Entry.comparingByValue()).forEach(box -> {
            Set<Integer> ofColumn = taken.computeIfAbsent(box.getValue(), ignored -> new LinkedHashSet<>());
            int row = nearestFree((int) Math.floor(middle(box.getKey(), rows)), ofColumn);
            ofColumn.add(row);
            rows.put(box.getKey(), row);
        });
        return rows;
    }

    private double middle(String name, Map<String, Integer> rows) {
        return next.entrySet().stream()
                .filter(step -> step.getValue().contains(name) && rows.containsKey(step.getKey()))
                .mapToInt(step -> rows.get(step.getKey()))
                .average()
                .orElse(0);
    }

    private static int nearestFree(int wanted, Set<Integer> taken) {
        int away = 0;
        while (taken.contains(wanted + away)) {
            if (wanted - away >= 0 && !taken.contains(wanted - away)) {
                return wanted - away;
            }
            away++;
        }
        return wanted + away;
    }
}
