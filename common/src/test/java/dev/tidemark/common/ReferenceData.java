package dev.tidemark.common;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Data with known results that is too large, or not ours, to be kept with the sources: the directory that the system
 * property {@code tidemark.reference-data} names, or {@code shared/data} beside the project.
 */
public final class ReferenceData {

    private ReferenceData() {}

    /** The file of that name; the calling test is skipped where there is none. */
    public static Path file(String name) {
        String configured = System.getProperty("tidemark.reference-data");
        Path directory = configured != null ? Path.of(configured) : root().resolveSibling("shared/data");
        Path file = directory.resolve(name);
        assumeTrue(Files.exists(file), () -> file + " is missing, so this test is skipped");
        return file;
    }

    private static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("mvnw"))) {
            directory = directory.getParent();
        }
        return directory;
    }
}
