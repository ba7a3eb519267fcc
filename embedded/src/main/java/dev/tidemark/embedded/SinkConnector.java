package dev.tidemark.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A sink connector as Connect's REST interface takes it: the name and what it does.
 *
 * @param name name of the connector
 * @param config its settings
 */
public record SinkConnector(String name, Map<String, String> config) {

    private static final List<String> SHIPPED =
            List.of("totals", "pairs", "enriched", "profiles", "sessions", "exceptions", "ledger", "lateness");
    private static final ObjectMapper JSON = new ObjectMapper();

    public SinkConnector {
        config = Map.copyOf(config);
    }

    /** The connectors of {@code deploy/connect}, one per table, as they are used everywhere. */
    public static List<SinkConnector> shipped() {
        return SHIPPED.stream().map(SinkConnector::shipped).toList();
    }

    /** This connector with a database in place of the environment variables that the shipped ones name. */
    public SinkConnector writingTo(EmbeddedDatabase database) {
        return with("connection.url", database.jdbcUrl())
                .with("connection.username", database.user())
                .with("connection.password", database.password());
    }

    /** This connector with one setting added or changed. */
    public SinkConnector with(String setting, String value) {
        Map<String, String> changed = new LinkedHashMap<>(config);
        changed.put(setting, value);
        return new SinkConnector(name, changed);
    }

    /** Whether these are its settings as Connect shows them, which has the name among them. */
    boolean isDescribedBy(JsonNode settings) {
        Map<String, String> described = settings(settings);
        return name.equals(described.remove("name")) && config.equals(described);
    }

    private static Map<String, String> settings(JsonNode object) {
        Map<String, String> settings = new LinkedHashMap<>();
        object.properties()
                .forEach(setting ->
                        settings.put(setting.getKey(), setting.getValue().asText()));
        return settings;
    }

    private static SinkConnector shipped(String name) {
        String resource = "/connect/" + name + ".json";
        try (InputStream in = SinkConnector.class.getResourceAsStream(resource)) {
            JsonNode definition = JSON.readTree(in);
            return new SinkConnector(definition.get("name").asText(), settings(definition.get("config")));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + resource + " on the class path", e);
        }
    }
}
