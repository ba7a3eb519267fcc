package dev.tidemark.demo;

import dev.tidemark.common.InputMapping;
import java.io.IOException;
import java.nio.file.Path;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.FileSystemResource;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * What the demo itself needs of the totals app's settings, {@code tidemark.totals} of a YAML file.
 *
 * @param pipeline names the result topics
 * @param input the input topic and how its records are read
 * @param acceptEndOfInput whether the app closes all windows when it is told that no more will come
 */
record DemoSettings(String pipeline, InputMapping input, boolean acceptEndOfInput) {

    private static final String PREFIX = "tidemark.totals";

    /** Reads what is needed; the app checks everything else. */
    static DemoSettings read(Path file) {
        try {
            var yaml = new YamlPropertySourceLoader().load(file.toString(), new FileSystemResource(file));
            DemoSettings settings = new Binder(
                            ConfigurationPropertySources.from(yaml),
                            null,
                            ApplicationConversionService.getSharedInstance())
                    .bind(PREFIX, Bindable.of(DemoSettings.class))
                    .orElseThrow(() -> new DemoException("%s has no %s.".formatted(file, PREFIX)));
            settings.refuseMissing(file);
            return settings;
        } catch (IOException | BindException | IllegalStateException | YAMLException e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            String reason =
                    String.valueOf(cause.getMessage()).replaceAll("\\s+", " ").strip();
            throw new DemoException("%s cannot be read: %s".formatted(file, reason), e);
        }
    }

    private void refuseMissing(Path file) {
        require(pipeline, "pipeline", file);
        require(input == null ? null : input.topic(), "input.topic", file);
        require(input.key() == null || input.key().isEmpty() ? null : input.key(), "input.key", file);
    }

    private static void require(Object value, String name, Path file) {
        if (value == null) {
            throw new DemoException("%s lacks %s.%s.".formatted(file, PREFIX, name));
        }
    }
}
