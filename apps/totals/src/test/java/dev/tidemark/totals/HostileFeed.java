package dev.tidemark.totals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.common.Disposition;
import dev.tidemark.common.Rows;
import dev.tidemark.common.StreamsSettings;
import dev.tidemark.common.TotalsProperties;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.AbstractRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.streams.test.TestRecord;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;

/**
 * Sends {@link HostileSales} through a topology, and after each record compares what came out with {@link Bookkeeping}:
 * the row of the ledger, the exception, the dead letter, and the versions of windows.
 */
final class HostileFeed implements AutoCloseable {

    private static final Duration STALL = Duration.ofMillis(50);
    /** What is slow for reasons of its own is slow each time. */
    private static final int REPETITIONS = 10;
    /** What a topic takes by default. */
    private static final int MAX_MESSAGE_BYTES = 1_048_588;

    private static final int MAX_DEAD_LETTER =
            (int) StreamsSettings.maxRecord(DataSize.ofKilobytes(512)).toBytes();
    /** What is kept of a key, and of headers. */
    private static final int MAX_REST = 256 * 1024;

    private final TotalsProperties settings;
    private final int maxValue;
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Bookkeeping books;
    private final Map<String, Integer> versions = new HashMap<>();
    private final Map<String, BigDecimal> sums = new HashMap<>();
    private final HostileSales sales;
    private final String name;
    private final Totals totals;
    private int sent;
    private final List<TestRecord<byte[], byte[]>> slow = new ArrayList<>();
    private long slowest;
    private String slowestRecord;

    /**
     * @param sales the records to be sent
     * @param windowing the windows that they are counted in
     * @param moved whether they are moved to the partition of their key first
     * @param name tells people which records these are
     * @param state where the topology keeps its state
     */
    HostileFeed(HostileSales sales, Windowing windowing, boolean moved, String name, Path state) {
        List<String> more = new ArrayList<>(windowing.settings());
        more.addAll(List.of(
                "correct-until=1h", "deduplicate-for=3660d", "input.partitioned-by-key=" + (moved ? "false" : "true")));
        this.settings = Totals.settings(more.toArray(String[]::new));
        this.maxValue = (int) settings.input().maxSize().toBytes();
        this.books = new Bookkeeping(settings, windowing);
        this.sales = sales;
        this.name = name;
        this.totals = new Totals(state, settings);
    }

    /** Sends records until so many of them are damaged, and those again that were slow. */
    void run(int damaged) {
        send(sales.first());
        while (sales.damaged() < damaged) {
            TestRecord<byte[], byte[]> record = sales.next();
            long cpu = send(record);
            if (cpu > STALL.toNanos()) {
                slow.add(record);
            } else {
                note(cpu, record);
            }
            if (sent % 1000 == 0) {
                checkInternalRecords();
            }
        }
        slow.forEach(this::checkStall);
        totals.endInput();
        checkVersions();
        assertThat(sums).as(name).isEqualTo(books.sums());
    }

    private void checkStall(TestRecord<byte[], byte[]> record) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < REPETITIONS; i++) {
            least = Math.min(least, send(record));
        }
        note(least, record);
        assertThat(Duration.ofNanos(least)).as(describe(record)).isLessThanOrEqualTo(STALL);
    }

    private void note(long cpu, TestRecord<byte[], byte[]> record) {
        if (cpu > slowest) {
            slowest = cpu;
            slowestRecord = HostileSales.show(record);
        }
    }

    /** What the records were, and how long the slowest took. */
    String report() {
        return "%s: %,d hostile records, %,d of them damaged, %s; the slowest took %d ms: %s"
                .formatted(
                        name,
                        sent,
                        sales.damaged(),
                        books.shares(),
                        TimeUnit.NANOSECONDS.toMillis(slowest),
                        slowestRecord);
    }

    /** Which part of the records had each disposition. */
    Map<String, Double> shares() {
        return books.shares();
    }

    /** Returns how many nanoseconds the topology took, without those in which other threads ran. */
    private long send(TestRecord<byte[], byte[]> record) {
        Disposition expected = books.add(record);
        long before = threads.getCurrentThreadCpuTime();
        totals.fixture().send(record.key(), record.value(), record.headers(), record.getRecordTime());
        long cpu = threads.getCurrentThreadCpuTime() - before;
        check(record, expected);
        sent++;
        return cpu;
    }

    private void check(TestRecord<byte[], byte[]> record, Disposition expected) {
        checkLedger(record);
        assertThat(read(settings.exceptionsTopic()))
                .as(() -> describe(record))
                .extracting(row -> brief(Totals.json(text(row.value()))))
                .isEqualTo(
                        expected == Disposition.COUNTED
                                ? List.of()
                                : List.of(sent + " " + expected.label() + " in text that PostgreSQL takes"));
        List<TestRecord<byte[], byte[]>> deadLetters = read(settings.deadLettersTopic());
        assertThat(deadLetters).as(() -> describe(record)).hasSize(expected.isRefusal() ? 1 : 0);
        if (expected.isRefusal()) {
            checkDeadLetter(record, deadLetters.get(0));
        }
        checkVersions();
    }

    /** What is moved is first in the ledger as being on its way. */
    private void checkLedger(TestRecord<byte[], byte[]> record) {
        List<String> rows = read(settings.ledgerTopic()).stream()
                .map(row -> text(row.value()))
                .toList();
        if (settings.input().partitionedByKey()) {
            assertThat(rows).as(() -> describe(record)).containsExactly(books.ledger());
        } else {
            assertThat(rows).as(() -> describe(record)).last().isEqualTo(books.ledger());
            Rows.assertLedgerBalances(rows.stream().map(Totals::json).toList(), sent + 1);
        }
    }

    private static String brief(JsonNode row) {
        boolean hasNul = row.valueStream()
                .anyMatch(field -> field.isString() && field.asString().indexOf(0) >= 0);
        return row.get("source_offset") + " " + row.get("disposition").asString() + " in text that PostgreSQL "
                + (hasNul ? "refuses" : "takes");
    }

    private void checkDeadLetter(TestRecord<byte[], byte[]> record, TestRecord<byte[], byte[]> letter) {
        assertThat(letter.value()).as(() -> describe(record)).isEqualTo(cut(record.value(), maxValue));
        assertThat(letter.key()).as(() -> describe(record)).isEqualTo(cut(record.key(), MAX_REST));
        List<Header> foreign = foreign(record);
        List<Header> kept = foreign(letter);
        if (letter.headers().lastHeader("tidemark-headers-size") == null) {
            assertThat(kept).as(() -> describe(record)).isEqualTo(foreign);
        } else {
            assertThat(kept).as(() -> describe(record)).isEmpty();
            assertThat(sizeInBytes(record) - sizeInBytes(letter)).isGreaterThan(MAX_REST / 2);
        }
    }

    private static List<Header> foreign(TestRecord<byte[], byte[]> record) {
        return Arrays.stream(record.headers().toArray())
                .filter(header -> !header.key().startsWith("tidemark-"))
                .toList();
    }

    private static byte[] cut(byte[] bytes, int most) {
        return bytes == null || bytes.length <= most ? bytes : Arrays.copyOf(bytes, most);
    }

    /** The versions of a window have no gap, and its latest total counts. */
    private void checkVersions() {
        for (TestRecord<byte[], byte[]> record : read(settings.totalsTopic())) {
            JsonNode row = Totals.json(text(record.value()));
            int version = row.get("version").intValue();
            if (version == 0) {
                continue;
            }
            String window = Bookkeeping.windowOf(
                    row.get("key").asString(), row.get("window_start").asString());
            Integer before = versions.put(window, version);
            assertThat(version).as(window).isBetween(before == null ? 1 : before + 1, before == null ? 2 : before + 1);
            sums.put(window, row.get("total").decimalValue());
        }
    }

    /** Looks at what has been written to changelogs, and lets go of it. */
    private void checkInternalRecords() {
        totals.fixture().driver().producedTopicNames().forEach(this::read);
    }

    private List<TestRecord<byte[], byte[]>> read(String topic) {
        List<TestRecord<byte[], byte[]>> records = totals.fixture().read(topic);
        int most = topic.equals(settings.deadLettersTopic()) ? MAX_DEAD_LETTER : MAX_MESSAGE_BYTES;
        records.forEach(record -> assertThat(sizeInBytes(record)).as(topic).isLessThanOrEqualTo(most));
        return records;
    }

    private static int sizeInBytes(TestRecord<byte[], byte[]> record) {
        return AbstractRecords.estimateSizeInBytesUpperBound(
                RecordBatch.CURRENT_MAGIC_VALUE,
                Compression.NONE.type(),
                record.key(),
                record.value(),
                record.headers().toArray());
    }

    private String describe(TestRecord<byte[], byte[]> record) {
        return "record " + sent + " of " + name + ": " + HostileSales.show(record);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        totals.close();
    }
}
