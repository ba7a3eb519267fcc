package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.InputMapping.TimeFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Two hundred thousand damaged events: the reader never throws, and accepts just what a slow oracle reads likewise. */
class EventReaderMutationTest {

    private static final Origin ORIGIN = new Origin("sales", 0, 0);
    private static final long ARRIVAL = Instant.parse("2026-07-01T10:03:00Z").toEpochMilli();
    private static final Duration MAX_FUTURE = Duration.ofMinutes(5);
    private static final int MUTANTS = 100_000;

    private static final List<String> ODD = List.of(
            "null",
            "true",
            "false",
            "{}",
            "[]",
            "\"\"",
            "\" \"",
            "0",
            "-0",
            "-0.00",
            "1e2",
            "1E+2",
            "1e-2",
            "12.300",
            "12.345",
            "1e1000000000",
            "1e-100000000",
            "9007199254740993",
            "92233720368547758.07",
            "92233720368547758.08",
            "-92233720368547758.08",
            "99999999999999999999999999",
            "NaN",
            "-Infinity",
            "01",
            "+1",
            ".5",
            "\"12.30\"",
            "\"12,30\"",
            "\" 12.30\"",
            "\"1e2\"",
            "\"\\u0031\"",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "\"\\ud83c\\udf88\"",
            "\"日本\"",
            "\"🎈\"",
            "\"e\u0301\"",
            "\"\u00a0\"",
            "\"\uFEFF\"",
            "\"2026-07-01T10:02:00Z\"",
            "\"2026-07-01T10:02:00.123456789+02:00\"",
            "\"2035-01-01T00:00:00Z\"",
            "\"2026-02-29T10:02:00Z\"",
            "\"1969-12-31T23:59:59Z\"",
            "\"2026-07-01T10:02:60Z\"",
            "\"yesterday\"",
            "1782900120000",
            "\"1782900120000\"",
            "1782900120000.0",
            "-1",
            "253402300800000",
            "1782900999999",
            "[[[[[[[[[[1]]]]]]]]]]",
            "{\"a\":{\"a\":{\"a\":1}}}",
            "{\"price\":1}",
            "{\"at\":1782900120000}",
            "[\"x\",{\"n\":3}]",
            "[".repeat(70),
            "1".repeat(70),
            "1".repeat(1001));

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
        Map<Disposition, Integer> seen = new EnumMap<>(Disposition.class);
        for (int i = 0; i < MUTANTS; i++) {
            byte[] value = mutate(valid.get(random.nextInt(valid.size())), random);

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

    private static byte[] mutate(String valid, Random random) {
        byte[] value = valid.getBytes(StandardCharsets.UTF_8);
        for (int steps = random.nextInt(3) == 0 ? 2 : 1; steps > 0; steps--) {
            value = mutateOnce(value, random);
        }
        return value;
    }

    private static byte[] mutateOnce(byte[] value, Random random) {
        if (value.length == 0) {
            return value;
        }
        int at = random.nextInt(value.length);
        return switch (random.nextInt(12)) {
            case 0 -> {
                byte[] flipped = value.clone();
                flipped[at] ^= (byte) (1 << random.nextInt(8));
                yield flipped;
            }
            case 1 -> random.nextInt(5) == 0 ? splice(value, at, value.length - at, new byte[0]) : value;
            case 2 -> splice(value, at, Math.min(1 + random.nextInt(3), value.length - at), new byte[0]);
            case 3 -> splice(value, at, 0, new byte[] {(byte) random.nextInt(256)});
            case 4 ->
                splice(
                        value,
                        at,
                        0,
                        List.of(" ", ",", "0", "\"", "}", "{", "\\", "é", "\0", "\n")
                                .get(random.nextInt(10))
                                .getBytes(StandardCharsets.UTF_8));
            case 5 -> swapMembers(value, random);
            case 6 -> repeatMember(value, random);
            case 7 -> changeDigit(value, at, random);
            default -> replaceScalar(value, random);
        };
    }

    private static byte[] replaceScalar(byte[] value, Random random) {
        String text = new String(value, StandardCharsets.UTF_8);
        int colon = nth(text, ':', random);
        if (colon < 0) {
            return value;
        }
        int end = endOfScalar(text, colon + 1);
        String odd = ODD.get(random.nextInt(ODD.size()));
        return (text.substring(0, colon + 1) + odd + text.substring(end)).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] swapMembers(byte[] value, Random random) {
        String text = new String(value, StandardCharsets.UTF_8);
        int first = nth(text, ':', random);
        int second = nth(text, ':', random);
        if (first < 0 || second < 0 || endOfScalar(text, first + 1) > second) {
            return value;
        }
        int firstEnd = endOfScalar(text, first + 1);
        int secondEnd = endOfScalar(text, second + 1);
        return (text.substring(0, first + 1)
                        + text.substring(second + 1, secondEnd)
                        + text.substring(firstEnd, second + 1)
                        + text.substring(first + 1, firstEnd)
                        + text.substring(secondEnd))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] repeatMember(byte[] value, Random random) {
        String text = new String(value, StandardCharsets.UTF_8);
        int colon = nth(text, ':', random);
        int name = colon < 0 ? -1 : text.lastIndexOf('"', Math.max(colon - 3, 0));
        if (name < 0) {
            return value;
        }
        String member = text.substring(name, endOfScalar(text, colon + 1));
        String renamed = random.nextBoolean() ? member : "\"x" + member.substring(1);
        return (text.substring(0, name) + renamed + "," + text.substring(name)).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] changeDigit(byte[] value, int from, Random random) {
        for (int i = from; i < value.length; i++) {
            if (value[i] >= '0' && value[i] <= '9') {
                byte[] changed = value.clone();
                changed[i] = (byte) ('0' + random.nextInt(10));
                return changed;
            }
        }
        return value;
    }

    private static int endOfScalar(String text, int from) {
        int i = from;
        while (i < text.length() && ",}]".indexOf(text.charAt(i)) < 0) {
            i++;
        }
        return i;
    }

    private static int nth(String text, char c, Random random) {
        int count = (int) text.chars().filter(other -> other == c).count();
        int at = -1;
        for (int n = count == 0 ? -1 : random.nextInt(count); n >= 0; n--) {
            at = text.indexOf(c, at + 1);
        }
        return at;
    }

    private static byte[] splice(byte[] value, int at, int removed, byte[] inserted) {
        Objects.checkFromIndexSize(at, removed, value.length);
        return ByteBuffer.allocate(value.length - removed + inserted.length)
                .put(value, 0, at)
                .put(inserted)
                .put(value, at + removed, value.length - at - removed)
                .array();
    }
}
