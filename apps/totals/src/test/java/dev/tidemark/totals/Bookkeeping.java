package dev.tidemark.totals;

import dev.tidemark.common.Disposition;
import dev.tidemark.common.Event;
import dev.tidemark.common.EventReader;
import dev.tidemark.common.Item;
import dev.tidemark.common.JsonRow;
import dev.tidemark.common.Origin;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.TotalsProperties;
import dev.tidemark.totals.Windowing.Span;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.test.TestRecord;

/**
 * What ought to become of each record of one source partition, worked out with maps. It forgets no id; what is an event is
 * for {@link EventReader} to say.
 */
final class Bookkeeping {

    /** What was accepted first under an id. */
    private record Content(long time, long amount) {}

    private final EventReader reader;
    private final Windowing windowing;
    private final String topic;
    private final boolean moved;
    private final long graceMillis;
    private final long horizonMillis;
    private final Map<String, Content> accepted = new HashMap<>();
    private final Map<Disposition, Long> counts = new EnumMap<>(Disposition.class);
    private final Map<Disposition, BigDecimal> amounts = new EnumMap<>(Disposition.class);
    private final Map<String, BigDecimal> sums = new HashMap<>();
    private long received;
    private BigDecimal receivedAmount = BigDecimal.valueOf(0, 2);
    private long streamTime = -1;
    private long clock = -1;

    /** @param windowing the windows of these settings */
    Bookkeeping(TotalsProperties settings, Windowing windowing) {
        this.windowing = windowing;
        reader = new EventReader(settings.input(), settings.maxFuture());
        topic = settings.input().topic();
        moved = !settings.input().partitionedByKey();
        graceMillis = settings.grace().toMillis();
        horizonMillis = settings.correctUntil().toMillis();
        for (Disposition disposition : Disposition.values()) {
            counts.put(disposition, 0L);
            amounts.put(disposition, BigDecimal.valueOf(0, 2));
        }
    }

    /** Books the next record and says what becomes of it. */
    Disposition add(TestRecord<byte[], byte[]> record) {
        Item item = reader.read(
                new Origin(topic, 0, received),
                record.key(),
                record.value(),
                record.getRecordTime().toEpochMilli());
        received++;
        Disposition disposition;
        Long amount;
        if (item instanceof Event event) {
            amount = event.amount();
            disposition = settle(event);
        } else {
            Outcome refusal = (Outcome) item;
            amount = refusal.disposition() == Disposition.FUTURE ? refusal.amount() : null;
            disposition = refusal.disposition();
        }
        counts.merge(disposition, 1L, Long::sum);
        if (amount != null) {
            BigDecimal exact = BigDecimal.valueOf(amount, 2);
            receivedAmount = receivedAmount.add(exact);
            amounts.merge(disposition, exact, BigDecimal::add);
        }
        return disposition;
    }

    private Disposition settle(Event event) {
        Content content = new Content(event.time(), event.amount());
        Content earlier = accepted.putIfAbsent(event.key() + '\0' + event.id(), content);
        if (earlier != null) {
            // Of moved input, only the task that counts knows that it is conflicting.
            clock = moved ? Math.max(clock, event.time()) : clock;
            return earlier.equals(content) ? Disposition.DUPLICATE : Disposition.CONFLICTING;
        }
        int open = 0;
        int beyond = 0;
        List<Span> windows = windowing.of(event.time());
        for (Span window : windows) {
            long overdue = clock - graceMillis - window.end();
            open += clock < 0 || overdue < 0 ? 1 : 0;
            beyond += clock >= 0 && overdue >= horizonMillis ? 1 : 0;
            if (clock < 0 || overdue < horizonMillis) {
                sums.merge(
                        windowOf(event.key(), JsonRow.timeText(window.start())),
                        BigDecimal.valueOf(event.amount(), 2),
                        BigDecimal::add);
            }
        }
        streamTime = Math.max(streamTime, event.time());
        clock = Math.max(clock, event.time());
        if (open == windows.size()) {
            return Disposition.COUNTED;
        }
        if (beyond == windows.size()) {
            return Disposition.TOO_LATE;
        }
        return open > 0 ? Disposition.PARTLY_LATE : Disposition.LATE;
    }

    static String windowOf(String key, String start) {
        return start + " " + key;
    }

    /** What each window adds up to in the end. */
    Map<String, BigDecimal> sums() {
        return sums;
    }

    /** Which part of all records had each disposition. */
    Map<String, Double> shares() {
        Map<String, Double> shares = new LinkedHashMap<>();
        counts.forEach((disposition, count) -> shares.put(disposition.label(), (double) count / received));
        return shares;
    }

    /** The row of the ledger as it ought to stand now. */
    String ledger() {
        StringBuilder row = new StringBuilder(
                        "{\"pipeline\":\"sales\",\"source_topic\":\"sales\",\"source_partition\":0")
                .append(",\"received\":")
                .append(received)
                .append(",\"received_amount\":")
                .append(receivedAmount.toPlainString());
        for (Disposition disposition : Disposition.values()) {
            String column = disposition.label().replace('-', '_');
            row.append(",\"").append(column).append("\":").append(counts.get(disposition));
            if (disposition != Disposition.MALFORMED && disposition != Disposition.OUT_OF_RANGE) {
                row.append(",\"")
                        .append(column)
                        .append("_amount\":")
                        .append(amounts.get(disposition).toPlainString());
            }
        }
        return row.append(",\"held\":0,\"held_amount\":0.00,\"stream_time\":")
                .append(streamTime < 0 ? "null" : '"' + JsonRow.timeText(streamTime) + '"')
                .append('}')
                .toString();
    }
}
