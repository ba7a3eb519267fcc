package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.RecordComponent;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Which settings of the totals app state depends on, and which may be changed at any time. */
class TotalsTermsTest {

    private static final TestSettings USUAL = new TestSettings(
            "tidemark.totals",
            Map.of(
                    "pipeline", "sales",
                    "input.topic", "sales",
                    "input.partitioned-by-key", "true",
                    "input.event-id", "/event_id",
                    "input.key", "/store_id",
                    "input.event-time", "/event_time",
                    "input.amount", "/amount",
                    "window.size", "10m"));

    private static final String NONE = "";
    private static final String MOVED = "input.partitioned-by-key=false";
    private static final String WEEKS = "window.size= window.calendar=week window.zone=UTC";
    private static final String LOCAL = "input.event-time-format=iso-8601-local input.event-time-zone=Asia/Tokyo";

    /** Under which settings, which one is changed, and what is said of it. */
    static final String[][] BINDING = {
        {NONE, "window.size=20m", "window 10m and is now 20m"},
        {NONE, "window.advance=5m", "window 10m and is now 10m advance 5m"},
        {NONE, "window.offset=1m", "window 10m and is now 10m offset 1m"},
        {WEEKS, "window.calendar=month", "window week in UTC and is now month in UTC"},
        {WEEKS, "window.zone=Asia/Tokyo", "window week in UTC and is now week in Asia/Tokyo"},
        {WEEKS, "window.week-starts=sunday", "window week in UTC and is now week in UTC week-starts sunday"},
        {WEEKS, "window.offset=4h", "window week in UTC and is now week in UTC offset 4h"},
        {NONE, WEEKS, "window 10m and is now week in UTC"},
        {NONE, "grace=0s", "grace 5m and is now 0s"},
        {NONE, "correct-until=8d", "correct-until 7d and is now 8d"},
        {NONE, "deduplicate-scope=global", "deduplicate-scope not set and is now global, slack not set and is now 5m"},
        {MOVED, "deduplicate-scope=global", "deduplicate-scope not set and is now global"},
        {MOVED, "slack=6m", "slack 5m and is now 6m"},
        {NONE, "input.topic=sold", "topic sales and is now sold"},
        {NONE, MOVED, "partitioned-by-key true and is now false, slack not set and is now 5m"},
        {NONE, "input.event-id=/id", "event-id /event_id and is now /id"},
        {NONE, "input.key=/store_id,/till", "key [/store_id] and is now [/store_id, /till]"},
        {NONE, "input.event-time=/at", "event-time /event_time as iso-8601 and is now /at as iso-8601"},
        {
            NONE,
            "input.event-time-format=epoch-millis",
            "event-time /event_time as iso-8601 and is now /event_time as epoch-millis"
        },
        {
            LOCAL,
            "input.event-time-zone=UTC",
            "event-time /event_time as iso-8601-local in Asia/Tokyo and is now /event_time as iso-8601-local in UTC"
        },
        {NONE, "input.amount=/amount,/price", "amount [/amount] and is now [/amount, /price]"},
        {NONE, "input.amount=", "amount [/amount] and is now []"},
        {NONE, "input.amount-scale=2", "amount-scale 0 and is now 2"},
    };

    static final String[][] FREE = {
        {NONE, "correct-every=1h"},
        {NONE, "deduplicate-for=2d"},
        {NONE, "slack=6m"}, // nothing is moved
        {MOVED, "idle-after=1m"},
        {NONE, "max-future=1h"},
        {NONE, "accept-end-of-input=true"},
        {NONE, "provisional=false"},
        {NONE, "topics.partitions=3"},
        {NONE, "topics.replication-factor=2"},
        {NONE, "input.record-key=any"},
        {NONE, "input.max-size=1MB"},
    };

    @ParameterizedTest
    @FieldSource("BINDING")
    void aSettingThatStateDependsOnIsRefusedWithItsOldAndItsNewValue(String usual, String changed, String said) {
        StateTerms written = StateTerms.fromText(terms(usual).toText());
        StateTerms now = terms(usual + " " + changed);

        assertThatThrownBy(() -> now.requireSameAs(written, "sales-totals"))
                .isInstanceOf(StartRefusedException.class)
                .hasMessage("The state of sales-totals was written with " + said
                        + "; set it back, use a new pipeline name, or reset the pipeline as the README says.");
    }

    @ParameterizedTest
    @FieldSource("FREE")
    void anyOtherMayBeChanged(String usual, String changed) {
        assertThat(terms(usual + " " + changed)).isEqualTo(terms(usual));
    }

    /** So that whoever adds a setting has to decide which of the two it is. */
    @Test
    void eachSettingIsOneOrTheOther() {
        Set<String> known = new TreeSet<>();
        known.add("pipeline"); // names the state
        Stream.of(BINDING, FREE)
                .flatMap(Stream::of)
                .flatMap(change -> Stream.of(change[1].split(" ")))
                .forEach(setting -> known.add(setting.substring(0, setting.indexOf('='))));

        assertThat(settings("", TotalsProperties.class)).containsExactlyInAnyOrderElementsOf(known);
    }

    private static Stream<String> settings(String prefix, Class<?> type) {
        return Stream.of(type.getRecordComponents())
                .flatMap(component -> component.getType().isRecord()
                        ? settings(prefix + name(component) + ".", component.getType())
                        : Stream.of(prefix + name(component)));
    }

    private static String name(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static StateTerms terms(String changes) {
        String[] replaced = Stream.of(changes.split(" "))
                .filter(change -> !change.isEmpty())
                .toArray(String[]::new);
        return USUAL.bind(TotalsProperties.class, replaced).stateTerms();
    }
}
