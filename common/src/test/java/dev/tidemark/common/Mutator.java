package dev.tidemark.common;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/**
 * Damages JSON objects as bugs, bad lines and attackers do: flipped bits, cut and inserted bytes, fields swapped, repeated
 * or given odd values, and now and then something huge. The same random numbers give the same damage.
 */
public final class Mutator {

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
            "1".repeat(1001),
            "1".repeat(768),
            "1".repeat(769),
            quoted("i".repeat(768)),
            quoted("i".repeat(769)),
            quoted("é".repeat(384)),
            quoted("é".repeat(384) + "i"),
            quoted("i".repeat(1024)),
            quoted("i".repeat(1025)),
            quoted("é".repeat(512)),
            quoted("é".repeat(512) + "i"));

    /** What no text contains, or what does not show in it. */
    private static final List<byte[]> ODD_BYTES = List.of(
            bytes(" "),
            bytes(","),
            bytes("0"),
            bytes("\""),
            bytes("}"),
            bytes("{"),
            bytes("\\"),
            bytes("é"),
            bytes("\0"),
            bytes("\n"),
            bytes("\\u0000"),
            bytes("\\udfff"),
            bytes("\u202E"), // what follows is shown from right to left
            bytes("\u2066"),
            bytes("\u200B"),
            bytes("\uFEFF"),
            new byte[] {(byte) 0xC0, (byte) 0x80}, // overlong
            new byte[] {(byte) 0xE0, (byte) 0x80, (byte) 0xAF},
            new byte[] {(byte) 0xF0, (byte) 0x80, (byte) 0x80, (byte) 0xAF},
            new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80}, // half of a surrogate pair
            new byte[] {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80}, // beyond Unicode
            new byte[64]);

    private static final int ONE_IN_HUGE = 500;

    private final Random random;

    public Mutator(Random random) {
        this.random = random;
    }

    /** The value with one fault or two. */
    public byte[] mutate(byte[] value) {
        byte[] mutant = value;
        for (int steps = random.nextInt(3) == 0 ? 2 : 1; steps > 0; steps--) {
            mutant = mutateOnce(mutant);
        }
        return mutant;
    }

    private byte[] mutateOnce(byte[] value) {
        if (value.length == 0) {
            return value;
        }
        if (random.nextInt(ONE_IN_HUGE) == 0) {
            return inflate(value);
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
                splice(value, random.nextInt(8) == 0 ? 0 : at, 0, ODD_BYTES.get(random.nextInt(ODD_BYTES.size())));
            case 5 -> swapMembers(value);
            case 6 -> repeatMember(value);
            case 7 -> changeDigit(value, at);
            default -> replaceScalar(value, ODD.get(random.nextInt(ODD.size())));
        };
    }

    /** What takes a careless reader time, memory or its stack. */
    private byte[] inflate(byte[] value) {
        int deep = 10_000 + random.nextInt(20_000);
        return switch (random.nextInt(7)) {
            case 0 -> replaceScalar(value, quoted("x".repeat(300_000 + random.nextInt(1_200_000))));
            case 1 -> replaceScalar(value, quoted("\\u00e9".repeat(50_000 + random.nextInt(200_000))));
            case 2 -> replaceScalar(value, "9".repeat(100_000));
            case 3 -> replaceScalar(value, "0." + "9".repeat(100_000) + "e-999999999");
            case 4 -> replaceScalar(value, "[".repeat(deep) + "]".repeat(random.nextInt(2) * deep));
            case 5 -> replaceScalar(value, "{\"a\":".repeat(deep) + "1" + "}".repeat(random.nextInt(2) * deep));
            default -> splice(value, Math.min(1, value.length), 0, bytes(members(5_000 + random.nextInt(30_000))));
        };
    }

    private String members(int count) {
        StringBuilder members = new StringBuilder();
        for (int i = 0; i < count; i++) {
            members.append(quoted(Integer.toString(random.nextInt(), Character.MAX_RADIX)))
                    .append(":0,");
        }
        return members.toString();
    }

    private byte[] replaceScalar(byte[] value, String replacement) {
        String text = text(value);
        int colon = nth(text, ':');
        if (colon < 0) {
            return value;
        }
        return bytes(text.substring(0, colon + 1) + replacement + text.substring(endOfScalar(text, colon + 1)));
    }

    private byte[] swapMembers(byte[] value) {
        String text = text(value);
        int first = nth(text, ':');
        int second = nth(text, ':');
        if (first < 0 || second < 0 || endOfScalar(text, first + 1) > second) {
            return value;
        }
        int firstEnd = endOfScalar(text, first + 1);
        int secondEnd = endOfScalar(text, second + 1);
        return bytes(text.substring(0, first + 1)
                + text.substring(second + 1, secondEnd)
                + text.substring(firstEnd, second + 1)
                + text.substring(first + 1, firstEnd)
                + text.substring(secondEnd));
    }

    private byte[] repeatMember(byte[] value) {
        String text = text(value);
        int colon = nth(text, ':');
        int name = colon < 0 ? -1 : text.lastIndexOf('"', Math.max(colon - 3, 0));
        if (name < 0) {
            return value;
        }
        String member = text.substring(name, endOfScalar(text, colon + 1));
        String renamed = random.nextBoolean() ? member : "\"x" + member.substring(1);
        return bytes(text.substring(0, name) + renamed + "," + text.substring(name));
    }

    private byte[] changeDigit(byte[] value, int from) {
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

    private int nth(String text, char c) {
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

    private static String quoted(String text) {
        return '"' + text + '"';
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] value) {
        return new String(value, StandardCharsets.UTF_8);
    }
}
