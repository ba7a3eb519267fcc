package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.InputMapping.TimeFormat;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Two hundred thousand damaged events: the reader never throws, and accepts just what a slow oracle reads likewise. */
class EventReaderMutationTest {

    private static final Origin ORIGIN = new Origin("sales", 0, 0);
    private static final long ARRIVAL = Instant.parse("2026-07-01T10:03:00Z").toEpochMilli();
    private static final Duration MAX_FUTURE = Duration.ofMinutes(5);
    private static final int MUTANTS = 100_000;

    @Test
    void damagedSalesAreReadAsTheOracleDoes() {
        Mappings mapping = Mappings.sales();
        List<String> sales = List.of(
                "{\"event_id\":\"e-123456\",\"store_id\":\"S001\",\"event_time\":\"2026-07-01T10:02:00.000Z\",\"amount\":12.34,\"note\":\"x\"}",
                "{\"note\":\"日本 ☕ 🎈\",\"amount\":\"-5.00\",\"event_time\":\"2026-07-01T12:02:00+02:00\",\"store_id\":7,\"event_id\":9007199254740993}",
                " { \"a\" : [ 1 , { \"amount\" : 2 } ] , \"event_id\" : \"\\u00e9\\\"\" , \"store_id\" : \"\\ud83c\\udf88\" , \"event_time\" : \"2026-07-01T10:02Z\" , \"amount\" : 1e2 } ");

        assertReadAsTheOracleDoes(mapping, sales, 1);
    }

    @Test
    void damagedOrderLinesAreReadAsTheOracleDoes() {
        Mappings mapping = Mappings.sales()
                .eventId("/ids/0")
                .key("/store/id", "/a~1b", "/ids/1/n")
                .eventTime("/meta/at")
                .format(TimeFormat.EPOCH_MILLIS, null)
                .amount("/line/price", "/line/quantity");
        List<String> lines = List.of(
                "{\"ids\":[\"l-1\",{\"n\":3}],\"store\":{\"id\":\"S001\",\"city\":\"x\"},\"a/b\":\"EUR\",\"meta\":{\"at\":1782900120000},\"line\":{\"price\":\"2.50\",\"quantity\":3}}",
                "{\"line\":{\"quantity\":0.5,\"price\":12.3},\"meta\":{\"at\":\"1782900120000\"},\"a/b\":\"\\n\",\"store\":{\"id\":\"é\"},\"ids\":[12,{\"m\":[],\"n\":\"t\"},[]]}");

        assertReadAsTheOracleDoes(mapping, lines, 2);
    }

    private static void assertReadAsTheOracleDoes(Mappings mapping, List<String> valid, long seed) {
        EventReader reader = new EventReader(mapping.build(), MAX_FUTURE);
        EventOracle oracle = new EventOracle(mapping.build(), MAX_FUTURE);
        Random random = new Random(seed);
        Mutator mutator = new Mutator(random);
        Map<Disposition, Integer> seen = new EnumMap<>(Disposition.class);
        for (int i = 0; i < MUTANTS; i++) {
            byte[] value =
                    mutator.mutate(valid.get(random.nextInt(valid.size())).getBytes(StandardCharsets.UTF_8));

            Item item = reader.read(ORIGIN, null, value, ARRIVAL);

            String shown = new String(value, StandardCharsets.ISO_8859_1);
            if (item instanceof Event event) {
                seen.merge(Disposition.COUNTED, 1, Integer::sum);
                if (!oracle.accepts(event) && !EventOracle.isBeyond(shown)) {
                    throw new AssertionError(
                            "mutant " + i + ": " + event + " of " + shown + ", but " + oracle.read(value, ARRIVAL));
                }
            } else {
                Outcome outcome = (Outcome) item;
                seen.merge(outcome.disposition(), 1, Integer::sum);
                if (oracle.accepts(value, ARRIVAL) && !EventOracle.mayBeBounded(shown)) {
                    throw new AssertionError("mutant " + i + ": " + outcome.reason() + " in " + shown);
                }
                assertPresentable(outcome.reason());
            }
        }
        assertThat(seen.keySet())
                .containsExactlyInAnyOrder(
                        Disposition.COUNTED, Disposition.FUTURE, Disposition.MALFORMED, Disposition.OUT_OF_RANGE);
        assertThat(seen.get(Disposition.COUNTED)).isBetween(MUTANTS / 10, MUTANTS * 9 / 10);
        assertThat(seen.get(Disposition.FUTURE)).isGreaterThan(MUTANTS / 1000);
        assertThat(seen.get(Disposition.OUT_OF_RANGE)).isGreaterThan(MUTANTS / 1000);
    }

    private static void assertPresentable(String reason) {
        boolean text = reason.codePoints().noneMatch(c -> Character.isISOControl(c) || c >= 0xD800 && c <= 0xDFFF);
        boolean clean = List.of("Source", "Exception", "Feature", "REDACTED", "tools.jackson", "failed at").stream()
                .noneMatch(reason::contains);
        if (!text || !clean || reason.isBlank() || reason.length() > 400) {
            throw new AssertionError("not presentable: " + reason);
        }
    }
}
