package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.common.EndOfInput;
import dev.tidemark.common.Event;
import dev.tidemark.common.Origin;
import dev.tidemark.common.TestSettings;
import dev.tidemark.common.TotalsProperties;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** What a grace of five minutes makes of sales in windows of ten minutes. */
class ReplayTest {

    private static final TestSettings USUAL = new TestSettings(
            "tidemark.totals",
            Map.ofEntries(
                    Map.entry("pipeline", "sales"),
                    Map.entry("input.topic", "sales"),
                    Map.entry("input.partitioned-by-key", "true"),
                    Map.entry("input.event-id", "/event_id"),
                    Map.entry("input.key", "/store_id"),
                    Map.entry("input.event-time", "/event_time"),
                    Map.entry("input.amount", "/amount"),
                    Map.entry("input.amount-scale", "2"),
                    Map.entry("window.size", "10m"),
                    Map.entry("correct-until", "1h")));

    @TempDir
    Path directory;

    private Replay replay;
    private long offset;

    @AfterEach
    void close() {
        if (replay != null) {
            replay.close();
        }
    }

    @Test
    void aWindowIsFinalWhenTimeHasPassedItsEndByTheGraceAndCorrectedAfterThat() {
        replay = replay();
        sale(0, "A", "e1", "10:01", 100);
        sale(0, "A", "e2", "10:14", 100); // 10:00 is open for a minute more
        sale(0, "A", "e3", "10:02", 1);
        sale(0, "A", "e3", "10:02", 1); // a duplicate
        sale(0, "A", "e4", "10:17", 100);
        sale(0, "A", "e5", "10:03", 10);
        sale(0, "B", "e6", "10:04", 20); // B has no final
        sale(0, "A", "e7", "11:20", 100);
        sale(0, "A", "e8", "10:05", 7); // beyond the horizon
        sale(0, "A", "e9", "10:15", 3);

        ReplayCounts counts = replay.counts();
        assertThat(counts)
                .extracting(all -> all.finals, all -> all.open, all -> all.corrections)
                .containsExactly(2L, 1L, 3L);
        assertThat(counts).extracting(all -> all.late, all -> all.tooLate).containsExactly(3L, 1L);
        assertThat(counts.lateAmount).isEqualByComparingTo("0.33");
        assertThat(counts.tooLateAmount).isEqualByComparingTo("0.07");
        // 10:00 was final at 10:17 and 10:10 at 11:20.
        assertThat(counts.maxDelay).isEqualTo(Duration.ofMinutes(60).toMillis());
        assertThat(counts.meanDelay).isEqualTo(Duration.ofSeconds(2010).toMillis());
    }

    @Test
    void ofOverlappingWindowsSomeMayBeCorrectedAndOthersNot() {
        replay = replay("window.advance=5m");
        sale(0, "A", "e1", "10:16", 100);
        sale(0, "A", "e2", "10:04", 1); // 09:55 and 10:00 are closed
        sale(0, "A", "e3", "10:06", 1); // 10:00 is, 10:05 is open

        ReplayCounts counts = replay.counts();
        assertThat(counts)
                .extracting(all -> all.finals, all -> all.open, all -> all.corrections)
                .containsExactly(0L, 3L, 3L);
        assertThat(counts.late).isEqualTo(2);
    }

    @Test
    void lateSalesOfAnIntervalAreOneVersion() {
        replay = replay("correct-every=1h");
        sale(0, "A", "e1", "10:01", 100);
        sale(0, "A", "e2", "10:20", 100);
        sale(0, "A", "e3", "10:02", 1);
        sale(0, "A", "e4", "10:03", 1);
        sale(0, "A", "e5", "11:00", 100);
        sale(0, "A", "e6", "10:04", 1);

        ReplayCounts counts = replay.counts();
        assertThat(counts).extracting(all -> all.corrections, all -> all.late).containsExactly(2L, 3L);
    }

    @Test
    void ofMovedInputTheSlowestPartitionIsTheClockAndTheEndClosesAll() {
        replay = replay("input.partitioned-by-key=false");
        sale(0, "A", "e1", "10:01", 100);
        sale(0, "A", "e2", "12:00", 100);
        sale(1, "A", "e3", "10:02", 100); // not late, because nothing has been closed
        replay.take(new EndOfInput(new Origin("sales", 0, offset++)));
        sale(1, "A", "e4", "10:16", 100);
        sale(1, "A", "e5", "10:03", 1);
        assertThat(replay.counts())
                .extracting(all -> all.finals, all -> all.open, all -> all.late)
                .containsExactly(1L, 2L, 1L);

        replay.take(new EndOfInput(new Origin("sales", 1, offset++)));
        assertThat(replay.counts())
                .extracting(all -> all.finals, all -> all.open)
                .containsExactly(3L, 0L);
    }

    /** RocksDB lets nobody else open what is open in this process. */
    @Test
    void whatIsOpenIsClosedWhenTheRestCannotBeOpened() throws IOException, RocksDBException {
        Files.createFile(directory.resolve("corrected"));

        assertThatThrownBy(this::replay)
                .isInstanceOf(CouldNotTellException.class)
                .hasMessageStartingWith("Cannot keep events in " + directory + " (");
        try (Options options = new Options();
                RocksDB events =
                        RocksDB.open(options, directory.resolve("replayed").toString())) {
            assertThat(events.isOwningHandle()).isTrue();
        }
    }

    private Replay replay(String... settings) {
        return new Replay(
                USUAL.bind(TotalsProperties.class, settings), Duration.ofMinutes(5), Span.ALL, Set.of(0, 1), directory);
    }

    private void sale(int partition, String store, String id, String time, long amount) {
        replay.take(new Event(
                new Origin("sales", partition, offset),
                id,
                store,
                Instant.parse("2026-07-01T" + time + ":00Z").toEpochMilli(),
                ++offset,
                amount,
                new byte[0]));
    }
}
