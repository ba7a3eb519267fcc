package dev.tidemark.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class ConsolePropertiesTest {

    private final Map<String, String> given = new HashMap<>();

    @Test
    void withoutAPasswordOnlyTheLoopbackAddressIsAllowed() throws UnknownHostException {
        ConsoleProperties settings = read();

        assertThat(settings.refusal(InetAddress.getByName("127.0.0.1"))).isNull();
        assertThat(settings.refusal(InetAddress.getByName("::1"))).isNull();
        assertThat(settings.refusal(InetAddress.getByName("0.0.0.0")))
                .isEqualTo("server.address is 0.0.0.0, where others could read every number, and"
                        + " tidemark.console.password is missing; set a password, or server.address=127.0.0.1.");
        assertThat(settings.refusal(null)).startsWith("server.address is empty, ");
    }

    @Test
    void withAPasswordEveryAddressIsAllowed() throws UnknownHostException {
        given.put("password", "correct horse battery");

        assertThat(read().refusal(InetAddress.getByName("0.0.0.0"))).isNull();
    }

    @Test
    void aPasswordIsShownNowhere() {
        given.put("password", "correct horse battery");

        assertThat(read().toString()).doesNotContain("horse");
    }

    @Test
    void aRefusedPasswordIsNotRepeated() {
        given.put("password", "short");

        assertThatThrownBy(this::read)
                .rootCause()
                .hasMessage(
                        "tidemark.console.password is not allowed; it needs 12 to 72 bytes, or a hash that starts with"
                                + " {bcrypt}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            language      | de    | tidemark.console.language is de; it needs en or ja
            refresh       | 0s    | tidemark.console.refresh is 0s; it needs 1s to 1h
            budget        | -1    | tidemark.console.budget is -1; it needs an amount of 0 or more
            budgets.sales | -1    | tidemark.console.budgets.sales is -1; it needs an amount of 0 or more
            events        | x     | tidemark.console.events is x; it needs a URL such as http://host:8086/events
            profiles      | x     | tidemark.console.profiles is x; it needs a URL such as http://host:8085/profiles
            apps[0].name  | a     | tidemark.console.apps[].url is missing; it needs the URL of an actuator, such as http://host:8081/actuator
            """)
    void aBadValueIsOneSentence(String key, String value, String sentence) {
        given.put(key, value);

        assertThatThrownBy(this::read).rootCause().hasMessage(sentence);
    }

    @Test
    void aPipelinesOwnBudgetWins() {
        given.put("budget", "100");
        given.put("budgets.sales", "250.50");

        assertThat(read().budgetOf("sales")).isEqualTo(new BigDecimal("250.50"));
        assertThat(read().budgetOf("refunds")).isEqualTo(new BigDecimal("100"));
    }

    private ConsoleProperties read() {
        Map<String, String> properties = new HashMap<>();
        given.forEach((key, value) -> properties.put("tidemark.console." + key, value));
        return new Binder(new MapConfigurationPropertySource(properties))
                .bindOrCreate("tidemark.console", ConsoleProperties.class);
    }
}
