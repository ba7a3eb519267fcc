package dev.tidemark.common;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** An app on a real broker in a test: its settings, and the app with them in this JVM. */
public final class TestApp {

    private TestApp() {}

    /**
     * Settings of an app that listens on a free port of the loopback address and does not end the JVM when it fails.
     *
     * @param prefix of the app's own settings
     * @param own the app's own settings, without the prefix
     * @param more further settings, or others in their place, as {@code name=value}
     */
    public static Map<String, String> settings(
            String bootstrapServers, Path state, String prefix, Map<String, String> own, String... more) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("spring.kafka.bootstrap-servers", bootstrapServers);
        settings.put("spring.kafka.streams.properties.state.dir", state.toString());
        settings.put("server.address", "127.0.0.1");
        settings.put("server.port", "0");
        settings.put("tidemark.startup.exit-when-failed", "false");
        own.forEach((key, value) -> settings.put(prefix + "." + key, value));
        for (String setting : more) {
            int equals = setting.indexOf('=');
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return settings;
    }

    /** Starts an app in this JVM. */
    public static ConfigurableApplicationContext start(Class<?> application, Map<String, String> settings) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.SERVLET)
                .run(settings.entrySet().stream()
                        .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                        .toArray(String[]::new));
    }

    /** Does something while an app runs in this JVM. */
    public static void whileRunning(Class<?> application, Map<String, String> settings, Runnable action) {
        ConfigurableApplicationContext app = start(application, settings);
        try {
            action.run();
        } finally {
            app.close();
        }
    }
}
