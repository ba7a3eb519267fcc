package dev.tidemark.reconcile;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Sums by window, of any number of windows. Not thread-safe. */
final class WindowSums implements AutoCloseable {

    /** So many are gathered in memory before they go to the disk. */
    private static final int GATHERED = 100_000;

    private final DiskMap map;
    private final Map<WindowKey, WindowSum> gathered = new HashMap<>();

    WindowSums(Path directory) {
        this.map = new DiskMap(directory);
    }

    void add(WindowKey window, long amount, int partition) {
        gathered.merge(window, WindowSum.of(amount, partition), WindowSum::plus);
        if (gathered.size() >= GATHERED) {
            flush();
        }
    }

    /** The sum of a window, or null. */
    WindowSum get(WindowKey window) {
        flush();
        byte[] sum = map.get(window.toBytes());
        return sum == null ? null : WindowSum.of(sum);
    }

    /** All windows, in order; the keys can be read with {@link WindowKey#of}. */
    DiskMap.Cursor cursor() {
        flush();
        return map.cursor();
    }

    private void flush() {
        gathered.forEach((window, sum) -> {
            byte[] key = window.toBytes();
            byte[] before = map.get(key);
            map.put(key, (before == null ? sum : WindowSum.of(before).plus(sum)).toBytes());
        });
        gathered.clear();
    }

    @Override
    public void close() {
        map.close();
    }
}
