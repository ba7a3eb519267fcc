package dev.tidemark.demo;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.utils.Utils;

/**
 * What the tables must say about sales when their input has ended, worked out in one pass over all of them in memory, by
 * other means than the app's.
 */
final class Expected {

    private static final Pattern SALE = Pattern.compile("\\{\"event_id\":\"(\\w+)\",\"store_id\":\"(\\w+)\","
            + "\"event_time\":\"([-\\d]+T[:.\\d]+Z)\",\"amount\":(-?\\d+\\.\\d\\d)}");

    private final long windowMillis;
    private final long graceMillis;
    private final Map<String, String> contents = new HashMap<>();
    private final Map<Integer, Long> clocks = new HashMap<>();
    private final Map<String, Window> windows = new TreeMap<>();
    private final Map<String, Long> dispositions = new TreeMap<>();
    private final List<Accepted> accepted = new ArrayList<>();

    /** An event and the time between the end of its window and the stream time, in milliseconds. */
    private record Accepted(long requiredGrace, BigDecimal amount) {}

    /** The sums of a window: what came while it was open, and all. */
    private static final class Window {
        private BigDecimal onTime;
        private BigDecimal all = new BigDecimal("0.00");
        private BigDecimal least;
        private BigDecimal most;
        private int count;
        private int late;
    }

    Expected(List<Sale> sales, Duration window, Duration grace) {
        this.windowMillis = window.toMillis();
        this.graceMillis = grace.toMillis();
        sales.forEach(sale -> dispositions.merge(take(sale), 1L, Long::sum));
    }

    private String take(Sale sale) {
        Matcher fields = SALE.matcher(sale.json());
        if (!fields.matches()) {
            return "malformed";
        }
        String content = fields.group(3) + " " + fields.group(4);
        String before = contents.putIfAbsent(fields.group(2) + " " + fields.group(1), content);
        if (before != null) {
            return before.equals(content) ? "duplicate" : "conflicting";
        }
        return add(fields.group(2), Instant.parse(fields.group(3)).toEpochMilli(), new BigDecimal(fields.group(4)));
    }

    private String add(String store, long time, BigDecimal amount) {
        int partition =
                Utils.toPositive(Utils.murmur2(store.getBytes(StandardCharsets.UTF_8))) % SalesPipeline.PARTITIONS;
        long clock = clocks.getOrDefault(partition, Long.MIN_VALUE / 2);
        long start = time - time % windowMillis;
        boolean late = start + windowMillis <= clock - graceMillis;
        accepted.add(new Accepted(clock - start - windowMillis, amount));
        clocks.put(partition, Math.max(clock, time));
        Window window = windows.computeIfAbsent(store + "|" + start / 1000, key -> new Window());
        window.all = window.all.add(amount);
        window.least = window.least == null ? amount : window.least.min(amount);
        window.most = window.most == null ? amount : window.most.max(amount);
        window.count++;
        if (late) {
            window.late++;
            return "late";
        }
        window.onTime = window.onTime == null ? amount : window.onTime.add(amount);
        return "counted";
    }

    long count(String disposition) {
        return dispositions.getOrDefault(disposition, 0L);
    }

    /** As {@link #CURRENT} finds them. */
    List<String> current() {
        List<String> rows = new ArrayList<>();
        windows.forEach((key, window) -> rows.add(key + "|" + (1 + window.late) + "|" + window.all + "|" + window.count
                + "|" + window.least + "|" + window.most));
        return rows;
    }

    static final String CURRENT = """
            select key, extract(epoch from window_start)::bigint, version, total, count, minimum, maximum
            from totals_current where pipeline = ? order by key, extract(epoch from window_start)::bigint::text""";

    /** As {@link #FINALS} finds them. */
    List<String> finals() {
        List<String> rows = new ArrayList<>();
        windows.forEach((key, window) -> {
            if (window.onTime != null) {
                rows.add(key + "|" + window.onTime);
            }
        });
        return rows;
    }

    static final String FINALS = """
            select key, extract(epoch from window_start)::bigint, total
            from totals where pipeline = ? and version = 1
            order by key, extract(epoch from window_start)::bigint::text""";

    /** As {@link #EXCEPTIONS} finds them. */
    List<String> exceptions() {
        return dispositions.entrySet().stream()
                .filter(count -> !count.getKey().equals("counted"))
                .map(count -> count.getKey() + "|" + count.getValue())
                .toList();
    }

    static final String EXCEPTIONS = """
            select disposition, count(*) from exceptions where pipeline = ? group by disposition order by disposition""";

    /** As {@link #LEDGER} finds it. */
    List<String> ledger() {
        return List.of(dispositions.values().stream().mapToLong(Long::longValue).sum() + "|" + count("counted") + "|"
                + count("late") + "|" + count("duplicate") + "|" + count("conflicting") + "|" + count("malformed")
                + "|0");
    }

    static final String LEDGER = """
            select sum(received), sum(counted), sum(late), sum(duplicate), sum(conflicting), sum(malformed),
                   sum(partly_late + too_late + future + out_of_range + held)
            from ledger where pipeline = ?""";

    /** As {@link #WHAT_IF} finds it. */
    List<String> whatIf() {
        List<String> rows = new ArrayList<>();
        for (int second = 0; second <= 3600; second++) {
            long grace = second * 1000L;
            List<BigDecimal> late = accepted.stream()
                    .filter(event -> event.requiredGrace >= grace)
                    .map(Accepted::amount)
                    .toList();
            rows.add(second + "|" + accepted.size() + "|" + late.size() + "|" + sum(late) + "|"
                    + sum(late.stream().map(BigDecimal::abs).toList()));
        }
        return rows;
    }

    private static BigDecimal sum(List<BigDecimal> amounts) {
        return amounts.stream().reduce(new BigDecimal("0.00"), BigDecimal::add);
    }

    static final String WHAT_IF = """
            select extract(epoch from grace)::integer, events, late_events, late_amount, late_absolute_amount
            from grace_what_if where pipeline = ? and grace <= '1 h' order by grace""";

    /** What the ledger does not account for: no record, and no amount. */
    static final String BALANCE = """
            select sum(abs(difference)), sum(abs(difference_amount)) from ledger_balance where pipeline = ?""";
}
