package dev.tidemark.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.common.InputMapping.TimeFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoSettingsTest {

    @TempDir
    Path directory;

    @Test
    void theCafesAreReadByStore() {
        DemoSettings settings = DemoSettings.read(Path.of("settings", "cafes.yml"));

        assertThat(settings.pipeline()).isEqualTo("sales");
        assertThat(settings.input().topic()).isEqualTo("sales");
        assertThat(settings.input().key()).containsExactly("/store_id");
        assertThat(settings.acceptEndOfInput()).isFalse();
    }

    @Test
    void theRetailFileIsReadByCountryInLocalTime() {
        DemoSettings settings = DemoSettings.read(Path.of("settings", "online-retail.yml"));

        assertThat(settings.pipeline()).isEqualTo("online-retail");
        assertThat(settings.input().key()).containsExactly("/Country");
        assertThat(settings.input().eventTimeFormat()).isEqualTo(TimeFormat.ISO_8601_LOCAL);
        assertThat(settings.input().eventTimeZone()).isEqualTo(ZoneId.of("UTC"));
        assertThat(settings.input().amount()).containsExactly("/Quantity", "/UnitPrice");
        assertThat(settings.acceptEndOfInput()).isTrue();
    }

    @Test
    void whatIsMissingIsNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("sales.yml"), "tidemark.totals.pipeline: sales\n");

        assertThatThrownBy(() -> DemoSettings.read(file))
                .isInstanceOf(DemoException.class)
                .hasMessage("%s lacks tidemark.totals.input.topic.", file);
    }

    @Test
    void aFileThatIsNoYamlIsNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("sales.yml"), "tidemark: [\n");

        assertThatThrownBy(() -> DemoSettings.read(file))
                .isInstanceOf(DemoException.class)
                .hasMessageStartingWith("%s cannot be read: ", file);
    }
}
