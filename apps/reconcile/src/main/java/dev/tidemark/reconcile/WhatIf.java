package dev.tidemark.reconcile;

import dev.tidemark.common.SettingRules;
import dev.tidemark.common.TotalsProperties;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.springframework.boot.convert.DurationStyle;

/** Answers what another grace would have made of the input, beside what is published and what the present one makes of it. */
final class WhatIf {

    private static final String PREFIX = "grace=";
    private static final SettingRules RULES = new SettingRules("--replay-with ");

    private final TotalsProperties settings;
    private final Surroundings surroundings;
    private final InputLog log;

    WhatIf(TotalsProperties settings, Surroundings surroundings) {
        this.settings = settings;
        this.surroundings = surroundings;
        this.log = InputLog.of(settings.input(), settings.maxFuture(), settings.acceptEndOfInput(), surroundings);
    }

    /** Reads {@code grace=10m}. */
    static Duration grace(String text) {
        try {
            if (text.startsWith(PREFIX)) {
                Duration grace = DurationStyle.detectAndParse(text.substring(PREFIX.length()));
                RULES.requireBetween("grace", grace, Duration.ZERO, Duration.ofDays(366));
                return grace;
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(unknown(text), e);
        }
        throw new IllegalArgumentException(unknown(text));
    }

    private static String unknown(String text) {
        return "--replay-with is " + text + "; it needs a grace from 0s to 366d, such as grace=10m";
    }

    /** Replays and prints the table. */
    void print(Duration grace, Span span, Path directory, Progress progress, PrintStream out) {
        ReplayCounts published = published(span);
        List<ReplayCounts> replayed = replay(List.of(settings.grace(), grace), span, directory, progress);
        out.printf("totals of %s, %s%n", settings.pipeline(), span);
        String format = "  %-42s %16s %16s %16s%n";
        out.printf(
                format,
                "",
                "published",
                "grace " + SettingRules.show(settings.grace()),
                "grace " + SettingRules.show(grace));
        List<ReplayCounts> columns = new ArrayList<>(List.of(published));
        columns.addAll(replayed);
        line(out, format, "windows with a final", columns, counts -> count(counts.finals));
        line(out, format, "windows that are open", columns, counts -> count(counts.open));
        line(out, format, "corrections", columns, counts -> count(counts.corrections));
        line(out, format, "late events", columns, counts -> count(counts.late));
        line(out, format, "their amount", columns, counts -> amount(counts.lateAmount));
        line(out, format, "events that were too late for all", columns, counts -> count(counts.tooLate));
        line(out, format, "their amount", columns, counts -> amount(counts.tooLateAmount));
        line(out, format, "stream time behind the window's end: mean", columns, counts -> time(counts.meanDelay));
        line(out, format, "                                 longest", columns, counts -> time(counts.maxDelay));
        out.flush();
    }

    private interface Cell {
        String of(ReplayCounts counts);
    }

    private static void line(PrintStream out, String format, String name, List<ReplayCounts> columns, Cell cell) {
        out.printf(format, name, cell.of(columns.get(0)), cell.of(columns.get(1)), cell.of(columns.get(2)));
    }

    private static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** Where nothing was added up, nothing tells the decimal places. */
    private String amount(BigDecimal amount) {
        int scale = Math.max(amount.scale(), settings.input().amountScale());
        return amount.setScale(scale).toPlainString();
    }

    private static String time(double millis) {
        return SettingRules.show(Duration.ofSeconds(Math.round(millis / 1_000)));
    }

    private List<ReplayCounts> replay(List<Duration> graces, Span span, Path directory, Progress progress) {
        long needed = span.hasStart() ? span.from() - settings.maxFuture().toMillis() : 0;
        Map<TopicPartition, Long> begins =
                log.begins(needed, needed - TotalsRecount.remembered(settings.deduplicateFor()));
        Map<TopicPartition, Long> ends = log.ends();
        Map<TopicPartition, Range> ranges = new HashMap<>();
        begins.forEach((partition, begin) -> ranges.put(partition, new Range(begin, ends.get(partition))));
        List<Replay> replays = new ArrayList<>();
        try {
            for (int i = 0; i < graces.size(); i++) {
                Path place = TotalsRecount.round(directory, i);
                replays.add(new Replay(settings, graces.get(i), span, withRecords(ranges), place));
            }
            read(ranges, replays, progress);
            return replays.stream().map(Replay::counts).toList();
        } finally {
            replays.forEach(Replay::close);
        }
    }

    private static Set<Integer> withRecords(Map<TopicPartition, Range> ranges) {
        return ranges.entrySet().stream()
                .filter(range -> range.getValue().size() > 0)
                .map(range -> range.getKey().partition())
                .collect(Collectors.toSet());
    }

    private record Head(PartitionLog log, ConsumerRecord<byte[], byte[]> record) {}

    /** All partitions in the order of the timestamps; within a partition, in its own. */
    private void read(Map<TopicPartition, Range> ranges, List<Replay> replays, Progress progress) {
        progress.begin(
                "replaying", ranges.values().stream().mapToLong(Range::size).sum());
        List<PartitionLog> logs = new ArrayList<>();
        PriorityQueue<Head> heads = new PriorityQueue<>(
                Comparator.comparingLong((Head head) -> head.record().timestamp())
                        .thenComparingInt(head -> head.record().partition()));
        try {
            ranges.forEach((partition, range) -> logs.add(log.open(partition, range, progress)));
            logs.forEach(partition -> push(partition, heads));
            while (!heads.isEmpty()) {
                Head first = heads.poll();
                var item = log.read(first.record());
                replays.forEach(replay -> replay.take(item));
                push(first.log(), heads);
            }
        } catch (KafkaException e) {
            throw new CouldNotTellException(
                    "The input " + settings.input().topic() + " cannot be read (" + e.getMessage()
                            + "); check that the brokers run.",
                    e);
        } finally {
            logs.forEach(PartitionLog::close);
            progress.end();
        }
    }

    private static void push(PartitionLog partition, PriorityQueue<Head> heads) {
        ConsumerRecord<byte[], byte[]> next = partition.next();
        if (next != null) {
            heads.add(new Head(partition, next));
        }
    }

    private ReplayCounts published(Span span) {
        ReplayCounts counts = new PublishedTotals(surroundings, settings.pipeline()).versions(span);
        new Exceptions(surroundings.jdbc(), settings.pipeline()).count(span, counts);
        return counts;
    }
}
