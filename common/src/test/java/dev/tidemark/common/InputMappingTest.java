package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.common.InputMapping.RecordKey;
import dev.tidemark.common.InputMapping.TimeFormat;
import java.time.ZoneId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.unit.DataSize;

class InputMappingTest {

    @Test
    void whatIsNotSetHasADefault() {
        InputMapping mapping = bind(Map.of(
                "input.topic", "sales",
                "input.partitioned-by-key", "true",
                "input.event-id", "/event_id",
                "input.key", "/store_id",
                "input.event-time", "/event_time"));

        assertThat(mapping)
                .isEqualTo(new InputMapping(
                        "sales",
                        true,
                        "/event_id",
                        List.of("/store_id"),
                        "/event_time",
                        TimeFormat.ISO_8601,
                        null,
                        List.of(),
                        0,
                        RecordKey.UTF_8,
                        DataSize.ofKilobytes(512)));
    }

    @Test
    void everythingCanBeSet() {
        InputMapping mapping = bind(Map.ofEntries(
                Map.entry("input.topic", "sales"),
                Map.entry("input.event-id", "/id"),
                Map.entry("input.key[0]", "/store"),
                Map.entry("input.key[1]", "/currency"),
                Map.entry("input.event-time", "/at"),
                Map.entry("input.event-time-format", "iso-8601-local"),
                Map.entry("input.event-time-zone", "Asia/Tokyo"),
                Map.entry("input.amount", "/price,/quantity"),
                Map.entry("input.amount-scale", "4"),
                Map.entry("input.record-key", "any"),
                Map.entry("input.max-size", "1MB")));

        assertThat(mapping)
                .isEqualTo(new InputMapping(
                        "sales",
                        false,
                        "/id",
                        List.of("/store", "/currency"),
                        "/at",
                        TimeFormat.ISO_8601_LOCAL,
                        ZoneId.of("Asia/Tokyo"),
                        List.of("/price", "/quantity"),
                        4,
                        RecordKey.ANY,
                        DataSize.ofMegabytes(1)));
    }

    @Test
    void theWordsOfTheManualNameTheTimeFormats() {
        for (String name : List.of("iso-8601", "epoch-seconds", "epoch-millis", "epoch-micros")) {
            assertThat(bind(Map.of(
                                    "input.topic", "sales",
                                    "input.event-id", "/event_id",
                                    "input.key", "/store_id",
                                    "input.event-time", "/event_time",
                                    "input.event-time-format", name))
                            .eventTimeFormat()
                            .name())
                    .isEqualToIgnoringCase(name.replace('-', '_'));
        }
    }

    @Test
    void whatIsMissingIsNamed() {
        Mappings sales = Mappings.sales();

        assertRefused(sales.topic(null), "topic is missing");
        assertRefused(sales.topic(" "), "topic is missing");
        assertRefused(sales.eventId(null), "event-id is missing");
        assertRefused(sales.withoutKey(), "key is missing");
        assertRefused(sales.key(""), "key is missing");
        assertRefused(sales.eventTime(""), "event-time is missing");
        assertRefused(
                sales.format(TimeFormat.ISO_8601_LOCAL, null),
                "event-time-zone is missing, but iso-8601-local needs it");
    }

    @Test
    void aBadValueIsToldWithWhatIsAllowed() {
        Mappings sales = Mappings.sales();

        assertRefused(sales.scale(-1), "amount-scale is -1, but 0 to 18 is allowed");
        assertRefused(sales.scale(19), "amount-scale is 19, but 0 to 18 is allowed");
        assertRefused(sales.maxSize(0), "max-size is 0B, but 1B to 64MB is allowed");
        assertRefused(sales.maxSize(67108865), "max-size is 67108865B, but 1B to 64MB is allowed");
        assertRefused(
                sales.format(TimeFormat.EPOCH_MILLIS, ZoneId.of("Asia/Tokyo")),
                "event-time-zone is Asia/Tokyo, but only iso-8601-local takes a zone");
        assertRefused(
                sales.eventId("event_id"),
                "event-id is event_id, but a JSON pointer such as /amount begins with a slash");
        assertRefused(
                sales.amount("/price", "/a~2"),
                "amount is /a~2, but in a JSON pointer a tilde is written ~0 and a slash within a name ~1");
        assertRefused(
                sales.key(Collections.nCopies(17, "/a").toArray(String[]::new)),
                "key has 17 pointers, but at most 16 are allowed");
    }

    @Test
    void theLimitsThemselvesAreAllowed() {
        Mappings sales = Mappings.sales();

        sales.scale(0).build();
        sales.scale(18).build();
        sales.maxSize(1).build();
        sales.maxSize(67108864).build();
        sales.key(Collections.nCopies(16, "/a").toArray(String[]::new)).build();
    }

    @Test
    void aBadValueStopsTheStart() {
        assertThatThrownBy(() -> bind(Map.of("input.topic", "sales"))).hasRootCauseMessage("event-id is missing");
    }

    private static void assertRefused(Mappings mapping, String message) {
        assertThatIllegalArgumentException().isThrownBy(mapping::build).withMessage(message);
    }

    private static InputMapping bind(Map<String, String> properties) {
        return new Binder(new MapConfigurationPropertySource(properties))
                .bind("input", InputMapping.class)
                .get();
    }
}
