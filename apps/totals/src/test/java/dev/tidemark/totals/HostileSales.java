package dev.tidemark.totals;

import dev.tidemark.common.Mutator;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;

/**
 * Records as no producer should send them: nearly all are damaged sales, a few are noise or nothing, and the rest are
 * sales in order, late, repeated or contradictory, with keys, headers and timestamps to match. The same seed gives the
 * same records.
 */
final class HostileSales {

    static final Instant START = Instant.parse("2026-07-01T00:00:00Z");
    private static final int REMEMBERED = 100;

    private final Random random;
    private final Mutator mutator;
    private final byte[][] sent = new byte[REMEMBERED][];
    private Instant now = START;
    private int count;
    private int damaged;

    HostileSales(long seed) {
        this.random = new Random(seed);
        this.mutator = new Mutator(random);
    }

    /** A sale as it ought to be, so that the clock has begun to go before the first damaged date comes. */
    TestRecord<byte[], byte[]> first() {
        return new TestRecord<>(null, sale(), new RecordHeaders(), now);
    }

    TestRecord<byte[], byte[]> next() {
        now = now.plusMillis(random.nextInt(200));
        byte[] value = value();
        sent[count++ % REMEMBERED] = value;
        return new TestRecord<>(key(), value, headers(), arrival());
    }

    /** How many records so far are sales of which the damage has changed a byte at least; repetitions do not count. */
    int damaged() {
        return damaged;
    }

    private byte[] value() {
        int choice = random.nextInt(1000);
        if (choice < 20 && count >= REMEMBERED) {
            return sent[random.nextInt(REMEMBERED)];
        }
        if (choice < 22) {
            return null;
        }
        if (choice < 30) {
            byte[] noise = new byte[random.nextInt(50)];
            random.nextBytes(noise);
            return noise;
        }
        return choice < 50 ? sale() : damage(sale());
    }

    private byte[] damage(byte[] sale) {
        byte[] mutant = mutator.mutate(sale);
        damaged += Arrays.equals(mutant, sale) ? 0 : 1;
        return mutant;
    }

    private byte[] sale() {
        String id = random.nextInt(100) == 0 ? "e" + random.nextInt(100) : "e-" + count;
        Instant time = now.minusMillis(lateness());
        int cents = random.nextInt(10_000) - 500;
        String json =
                switch (random.nextInt(3)) {
                    case 0 ->
                        "{\"event_id\":\"%s\",\"store_id\":\"S%d\",\"event_time\":\"%s\",\"amount\":%d.%02d,\"note\":\"x\"}"
                                .formatted(id, random.nextInt(10), time, Math.abs(cents / 100), Math.abs(cents % 100));
                    case 1 ->
                        "{\"note\":\"日本 ☕ 🎈\",\"amount\":\"%s\",\"event_time\":\"%s\",\"store_id\":%d,\"event_id\":%d}"
                                .formatted(
                                        cents,
                                        time.atOffset(ZoneOffset.ofHours(2)),
                                        random.nextInt(10),
                                        9_007_199_254_740_993L + count);
                    default ->
                        " { \"lines\" : [ 1 , { \"amount\" : 2 } ] , \"event_id\" : \"\\u00e9\\\"%s\" , \"store_id\" : \"\\ud83c\\udf88\" , \"event_time\" : \"%s\" , \"amount\" : %de-1 } "
                                .formatted(id, time, cents);
                };
        return bytes(json);
    }

    private long lateness() {
        int choice = random.nextInt(1000);
        Duration most = choice < 900
                ? Duration.ofMinutes(2)
                : choice < 990 ? Duration.ofHours(1) : choice < 999 ? Duration.ofHours(3) : Duration.ofDays(20_000);
        return (long) (random.nextDouble() * most.toMillis());
    }

    private byte[] key() {
        int choice = random.nextInt(2000);
        if (choice == 0) {
            return new byte[random.nextInt(400_000)];
        }
        if (choice < 60) {
            byte[] noise = new byte[random.nextInt(8)];
            random.nextBytes(noise);
            return noise;
        }
        return choice < 1000 ? null : bytes(choice < 1010 ? "k".repeat(1024 + choice % 2) : "S" + random.nextInt(10));
    }

    private Headers headers() {
        Headers headers = new RecordHeaders();
        int choice = random.nextInt(5000);
        if (choice == 0) {
            headers.add("huge", new byte[random.nextInt(400_000)]);
        } else if (choice == 1) {
            IntStream.range(0, 200_000).forEach(i -> headers.add("", null));
        } else if (choice < 500) {
            for (int i = random.nextInt(20); i >= 0; i--) {
                headers.add("own-" + random.nextInt(5), random.nextInt(5) == 0 ? null : bytes("v" + i));
            }
        } else if (choice < 600) {
            headers.add("tidemark-attempts", bytes(Integer.toString(random.nextInt(), 12)));
            headers.add("tidemark-control", bytes("end-of-inpu"));
            headers.add("tidemark-reason", null);
        }
        return headers;
    }

    private Instant arrival() {
        return switch (random.nextInt(1000)) {
            case 0 -> Instant.EPOCH;
            case 1 -> Instant.ofEpochMilli(Long.MAX_VALUE);
            default -> now;
        };
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A record in short, for people. */
    static String show(TestRecord<byte[], byte[]> record) {
        byte[] value = record.value();
        return value == null
                ? "no value"
                : value.length + " bytes: "
                        + new String(Arrays.copyOf(value, Math.min(value.length, 300)), StandardCharsets.UTF_8);
    }
}
