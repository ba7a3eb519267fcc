package dev.tidemark.common;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Several JSON pointers (RFC 6901) as one tree, so that a document is walked once and only along their paths. A
 * number in a pointer names a field of that name as well as an element of an array. Immutable.
 */
final class PointerTree {

    private final int[] targets;
    private final String[] names;
    private final int[] indexes;
    private final PointerTree[] children;

    private PointerTree(Map<Integer, List<String>> paths, int depth) {
        Map<String, Map<Integer, List<String>>> byToken = new LinkedHashMap<>();
        List<Integer> here = new ArrayList<>();
        paths.forEach((target, path) -> {
            if (path.size() == depth) {
                here.add(target);
            } else {
                byToken.computeIfAbsent(path.get(depth), token -> new TreeMap<>())
                        .put(target, path);
            }
        });
        targets = here.stream().mapToInt(Integer::intValue).toArray();
        names = byToken.keySet().toArray(String[]::new);
        indexes = byToken.keySet().stream().mapToInt(PointerTree::index).toArray();
        children = byToken.values().stream()
                .map(deeper -> new PointerTree(deeper, depth + 1))
                .toArray(PointerTree[]::new);
    }

    /** The tree of these pointers; the target of each is its position in the list. */
    static PointerTree of(List<String> pointers) {
        Map<Integer, List<String>> paths = new TreeMap<>();
        for (String pointer : pointers) {
            paths.put(paths.size(), tokens(pointer));
        }
        return new PointerTree(paths, 0);
    }

    /** What is wrong with a pointer, as the end of a sentence, or null. */
    static String fault(String pointer) {
        if (!pointer.startsWith("/")) {
            return "but a JSON pointer such as /amount begins with a slash";
        }
        if (pointer.matches("(?s).*~(?![01]).*")) {
            return "but in a JSON pointer a tilde is written ~0 and a slash within a name ~1";
        }
        return null;
    }

    /** The targets of the pointers that end here. */
    int[] targets() {
        return targets;
    }

    boolean isLeaf() {
        return children.length == 0;
    }

    /** Where the pointers go on in the field of this name, or null. */
    PointerTree child(String name) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(name)) {
                return children[i];
            }
        }
        return null;
    }

    /** Where the pointers go on in the array element of this index, or null. */
    PointerTree child(int index) {
        for (int i = 0; i < indexes.length; i++) {
            if (indexes[i] == index) {
                return children[i];
            }
        }
        return null;
    }

    private static List<String> tokens(String pointer) {
        List<String> tokens = new ArrayList<>();
        for (String token : pointer.substring(1).split("/", -1)) {
            tokens.add(token.replace("~1", "/").replace("~0", "~"));
        }
        return List.copyOf(tokens);
    }

    private static int index(String token) {
        return token.matches("0|[1-9][0-9]{0,8}") ? Integer.parseInt(token) : -1;
    }
}
