package dev.tidemark.console;

import dev.tidemark.common.SettingRules;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the console, {@code tidemark.console}.
 *
 * @param apps the instances that the page about health asks
 * @param profiles where the profiles app answers; {@code ?key=…} is added. Null: only the table is read
 * @param events where the reconcile app looks for events; {@code ?id=…} is added. Null: an event that was simply counted is
 *     not found
 * @param language {@code en} or {@code ja}; null: what the browser asks for
 * @param refresh how often an open page asks for what is new
 * @param budget how much late money a day may have to be published, unless {@code budgets} has one for the pipeline; null: no
 *     limit
 * @param budgets budgets of single pipelines
 * @param quietAfter a source partition without records for so long is not waited for when a day is asked for
 * @param user name to log in with
 * @param password what to log in with, itself or as {@code {bcrypt}…}; null: nobody has to
 * @param hosts names besides those of the loopback address under which the console answers without a password
 */
@ConfigurationProperties(prefix = "tidemark.console", ignoreUnknownFields = false)
record ConsoleProperties(
        @DefaultValue List<App> apps,
        URI profiles,
        URI events,
        String language,
        @DefaultValue("5s") Duration refresh,
        BigDecimal budget,
        @DefaultValue Map<String, BigDecimal> budgets,
        @DefaultValue("5m") Duration quietAfter,
        @DefaultValue("tidemark") String user,
        String password,
        @DefaultValue Set<String> hosts) {

    private static final SettingRules RULES = new SettingRules("tidemark.console.");
    private static final int SHORTEST_PASSWORD = 12;
    private static final int LONGEST_PASSWORD = 72;

    /**
     * An instance of an app.
     *
     * @param name what the page calls it
     * @param url its actuator, such as {@code http://host:8081/actuator}
     */
    record App(String name, URI url) {

        App {
            RULES.require(name != null && !name.isBlank(), "apps[].name", name, "a name for the page");
            RULES.require(isHttp(url), "apps[].url", url, "the URL of an actuator, such as http://host:8081/actuator");
        }
    }

    ConsoleProperties {
        language = blankToNull(language);
        password = blankToNull(password);
        RULES.require(
                profiles == null || isHttp(profiles), "profiles", profiles, "a URL such as http://host:8085/profiles");
        RULES.require(events == null || isHttp(events), "events", events, "a URL such as http://host:8086/events");
        RULES.require(language == null || language.matches("en|ja"), "language", language, "en or ja");
        RULES.requireBetween("refresh", refresh, Duration.ofSeconds(1), Duration.ofHours(1));
        RULES.requireBetween("quiet-after", quietAfter, Duration.ofSeconds(1), Duration.ofDays(366));
        RULES.require(budget == null || budget.signum() >= 0, "budget", budget, "an amount of 0 or more");
        budgets.forEach((pipeline, amount) -> RULES.require(
                amount != null && amount.signum() >= 0, "budgets." + pipeline, amount, "an amount of 0 or more"));
        // What was given is not repeated: it is a secret.
        RULES.require(
                isPassword(password), "password", "not allowed", "12 to 72 bytes, or a hash that starts with {bcrypt}");
        Set<String> names = new HashSet<>(hosts);
        names.addAll(Set.of("localhost", "127.0.0.1", "::1", "[::1]", "0:0:0:0:0:0:0:1", "[0:0:0:0:0:0:0:1]"));
        hosts = Set.copyOf(names);
    }

    /** What late money a day of the pipeline may have, or null if nothing was said. */
    BigDecimal budgetOf(String pipeline) {
        return budgets.getOrDefault(pipeline, budget);
    }

    /** Why the console may not listen on this address, or null if it may. */
    String refusal(InetAddress address) {
        if (password != null || address != null && address.isLoopbackAddress()) {
            return null;
        }
        return "server.address is " + (address == null ? "empty" : address.getHostAddress())
                + ", where others could read every number, and tidemark.console.password is missing; "
                + "set a password, or server.address=127.0.0.1.";
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "ConsoleProperties[apps=" + apps + ", profiles=" + profiles + ", events=" + events + ", hosts=" + hosts
                + "]";
    }

    private static boolean isPassword(String password) {
        if (password == null || password.startsWith("{bcrypt}")) {
            return true;
        }
        int length = password.getBytes(StandardCharsets.UTF_8).length;
        return length >= SHORTEST_PASSWORD && length <= LONGEST_PASSWORD;
    }

    private static boolean isHttp(URI url) {
        return url != null
                && url.getHost() != null
                && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()));
    }

    private static String blankToNull(String text) {
        return text == null || text.isBlank() ? null : text;
    }
}
