package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class ReconcilePropertiesTest {

    /** Spring resolves no placeholder in a default; there would be a directory of that name. */
    @Test
    void eventsAreKeptAmongTemporaryFilesUnlessToldOtherwise() {
        assertThat(directory(Map.of())).isEqualTo(Path.of(System.getProperty("java.io.tmpdir")));
        assertThat(directory(Map.of("tidemark.reconcile.directory", "/data"))).isEqualTo(Path.of("/data"));
    }

    private static Path directory(Map<String, String> properties) {
        return new Binder(new MapConfigurationPropertySource(properties))
                .bindOrCreate("tidemark.reconcile", ReconcileProperties.class)
                .directory();
    }
}
