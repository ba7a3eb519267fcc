package dev.tidemark.console;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * How an app is, as it says itself.
 *
 * @param name what the settings call it
 * @param answers whether it answered at all; all else is empty if not
 * @param up whether it is ready to be relied on
 * @param state state of the streams client, such as RUNNING; null if it does not say
 * @param troubles components of its health that are not up
 * @param lags source partitions with how many records are still to be read
 * @param dispositions how many events it has counted in this life, by disposition
 * @param topology its topology; null if it does not say
 * @param description the same in words, as {@code Topology.describe()} prints it; null if it does not say
 */
record AppStatus(
        String name,
        boolean answers,
        boolean up,
        String state,
        List<String> troubles,
        List<Meters.Lag> lags,
        List<Meters.Count> dispositions,
        TopologyPicture topology,
        String description) {

    static AppStatus silent(String name) {
        return new AppStatus(name, false, false, null, List.of(), List.of(), List.of(), null, null);
    }

    /** @param description what {@code Topology.describe()} prints; null or empty if unknown */
    static AppStatus of(String name, JsonNode health, Meters meters, String description) {
        JsonNode components = health.path("components");
        List<String> troubles = new ArrayList<>();
        components.propertyNames().forEach(component -> {
            String status = components.path(component).path("status").asString("UP");
            if (!status.equals("UP")) {
                troubles.add(component + " " + status);
            }
        });
        String state = components.path("streams").path("details").path("state").asString(null);
        return new AppStatus(
                name,
                true,
                health.path("status").asString("").equals("UP"),
                state,
                troubles,
                meters.lags(),
                meters.dispositions(),
                description == null || description.isEmpty() ? null : TopologyPicture.of(description),
                description);
    }

    /** Records still to be read, of all partitions; null if the app does not say. */
    public Long lag() {
        return lags.isEmpty()
                ? null
                : lags.stream().mapToLong(Meters.Lag::records).sum();
    }
}
