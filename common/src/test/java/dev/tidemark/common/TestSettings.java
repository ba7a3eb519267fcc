package dev.tidemark.common;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/**
 * Settings of an app as a user would write them.
 *
 * @param prefix what all of them begin with, such as {@code tidemark.totals}
 * @param usual those of the test, without the prefix
 */
public record TestSettings(String prefix, Map<String, String> usual) {

    /**
     * Binds them, with some replaced, {@code "grace=0m"}, or left out, {@code "grace="}.
     *
     * @param type the app's properties
     */
    public <T> T bind(Class<T> type, String... replaced) {
        Map<String, String> settings = new LinkedHashMap<>(usual);
        for (String setting : replaced) {
            int equals = setting.indexOf('=');
            String value = setting.substring(equals + 1);
            if (value.isEmpty()) {
                settings.remove(setting.substring(0, equals));
            } else {
                settings.put(setting.substring(0, equals), value);
            }
        }
        Map<String, String> prefixed = new LinkedHashMap<>();
        settings.forEach((key, value) -> prefixed.put(prefix + "." + key, value));
        return new Binder(new MapConfigurationPropertySource(prefixed))
                .bind(prefix, type)
                .get();
    }
}
