package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A map that is larger than the memory that it takes. */
class DiskMapTest {

    private static final int ENTRIES = 2_000;
    private static final int BYTES = 100_000;
    private static final long LIMIT = 100L << 20;

    @TempDir
    Path directory;

    @Test
    void itTakesNoMoreMemoryHoweverMuchIsPutAndReadAndAllOfItIsThere() throws IOException {
        Path place = directory.resolve("map");
        try (DiskMap map = new DiskMap(place)) {
            byte[] value = new byte[BYTES];
            for (int i = 0; i < ENTRIES; i++) {
                new Random(i).nextBytes(value); // so that it cannot be compressed
                map.put(key(i), value);
                assertThat(map.memory()).isLessThan(LIMIT);
            }
            assertThat(bytesOnDisk(place)).isGreaterThan((long) ENTRIES * BYTES - LIMIT);

            for (int i = 0; i < ENTRIES; i++) {
                new Random(i).nextBytes(value);
                assertThat(map.get(key(i))).isEqualTo(value);
            }
            assertThat(map.get(key(ENTRIES))).isNull();
            int read = 0;
            try (DiskMap.Cursor all = map.cursor()) {
                for (; all.hasNext(); read++) {
                    assertThat(all.next().key()).isEqualTo(key(read));
                }
            }
            assertThat(read).isEqualTo(ENTRIES);
            assertThat(map.memory()).isLessThan(LIMIT);
        }
    }

    @Test
    void aPlaceThatIsTakenIsRefusedByNameAndLeftAsItIs() throws IOException {
        Path file = Files.writeString(directory.resolve("map"), "not a map");

        assertThatThrownBy(() -> new DiskMap(file))
                .isInstanceOf(CouldNotTellException.class)
                .hasMessageStartingWith("Cannot keep events in " + directory + " (")
                .hasMessageEndingWith(
                        "; set tidemark.reconcile.directory to one with enough space that this process may"
                                + " write to.");
        assertThat(file).hasContent("not a map");
    }

    static long bytesOnDisk(Path place) throws IOException {
        try (Stream<Path> files = Files.list(place)) {
            return files.filter(file -> file.toString().endsWith(".sst"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }
}
