package dev.tidemark.console;

import java.util.List;

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

    private static final int LONGEST = 24;

    /**
     * A box.
     *
     * @param kind {@code source}, {@code processor}, {@code sink} or {@code topic}
     * @param detail stores of a processor, or empty
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
        TopologyGraph graph = new TopologyGraph();
        description.lines().forEach(graph::read);
        return graph.draw();
    }
}
