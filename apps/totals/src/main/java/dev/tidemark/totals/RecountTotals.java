package dev.tidemark.totals;

import dev.tidemark.common.Closing;
import dev.tidemark.common.EventClock;
import dev.tidemark.common.EventWindows;
import dev.tidemark.common.ExactSum;
import dev.tidemark.common.RecordCache;
import dev.tidemark.common.RecountCommand;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.stream.LongStream;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.TimeWindow;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.WindowStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes what a recount has shown the next version of a closed window, on which later corrections build. Either the tables
 * say what the app has published last, and the input says something else; or the input agrees with the app, and the tables
 * have lost or changed what was published: then the version only says it again. Any other command, because it was obeyed
 * already or because the window has changed since, changes nothing and is logged.
 */
final class RecountTotals extends ContextualProcessor<byte[], byte[], TotalRow.Id, TotalRow> {

    private static final Logger LOG = LoggerFactory.getLogger(RecountTotals.class);

    private final EventWindows windows;
    private final int scale;
    private final String settings;
    private final long retentionMillis;
    private WindowStore<String, ValueAndTimestamp<WindowTotal>> finals;
    private WindowStore<String, VersionedTotal> corrections;
    private KeyValueStore<Windowed<String>, Correction> pending;
    private KeyValueStore<Long, Closing> closings;

    /**
     * @param scale decimal places of amounts
     * @param settings fingerprint of the app's settings
     * @param retention how far behind the latest window it is known what was published
     */
    RecountTotals(EventWindows windows, int scale, String settings, Duration retention) {
        this.windows = windows;
        this.scale = scale;
        this.settings = settings;
        this.retentionMillis = retention.toMillis();
    }

    @Override
    public void init(ProcessorContext<TotalRow.Id, TotalRow> context) {
        super.init(context);
        finals = context.getStateStore(TotalsTopology.TOTALS);
        corrections = context.getStateStore(CorrectTotals.STORE);
        pending = context.getStateStore(CorrectTotals.PENDING);
        closings = context.getStateStore(EventClock.CLOSINGS);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        try {
            RecountCommand command = RecountCommand.parse(record.value() == null ? new byte[0] : record.value());
            obey(command, record);
        } catch (IllegalArgumentException e) {
            String place =
                    context().recordMetadata().map(RecordMetadata::toString).orElse("unknown");
            LOG.warn("The recount at {} changes nothing: {}.", place, e.getMessage());
        }
    }

    /** @throws IllegalArgumentException if the command does not fit; the message says why */
    private void obey(RecountCommand command, Record<byte[], byte[]> record) {
        WindowTotal recounted = new WindowTotal(
                ExactSum.of(integer(command.total())),
                command.count(),
                units(command.minimum()),
                units(command.maximum()));
        require(command.settings().equals(settings), "it was made with other settings than those of the app");
        require(command.count() > 0, "a window has an event at least");
        long start = command.windowStart();
        require(LongStream.of(windows.startsOf(start)).anyMatch(begin -> begin == start), "no window begins then");
        // A closed window's sum, and the tick that closes it, may still be in the record cache.
        RecordCache.flush(finals);
        Closing closing = Closing.of(start, closings);
        require(closing != null, "the window is open");
        Windowed<String> window = new Windowed<>(command.key(), new TimeWindow(start, start + windows.size()));
        // The stores forget each at its own pace, and what is forgotten looks like what never was.
        require(start >= lastClosed() - retentionMillis, "the window is so old that it is forgotten");
        require(pending.get(window) == null, "late events wait to become a version of the window");
        VersionedTotal published = published(command.key(), start);
        requireProof(command, published, recounted);
        Correction correction =
                new Correction(published, recounted, command.eventIds(), closing.streamTime(), closing.cause());
        VersionedTotal now = correction.now().byRecount();
        corrections.put(command.key(), now, start);
        require(now.equals(corrections.fetch(command.key(), start)), "the window is so old that it is forgotten");
        TotalRow row = TotalRow.recounted(command.key(), start, windows.endOf(start), correction);
        context().forward(new Record<>(row.id(), row, record.timestamp()));
    }

    private long lastClosed() {
        try (KeyValueIterator<Long, Closing> latestFirst = closings.reverseAll()) {
            return latestFirst.hasNext() ? latestFirst.next().key : Long.MIN_VALUE + retentionMillis;
        }
    }

    private VersionedTotal published(String key, long start) {
        VersionedTotal corrected = corrections.fetch(key, start);
        if (corrected != null) {
            return corrected;
        }
        ValueAndTimestamp<WindowTotal> closed = finals.fetch(key, start);
        return new VersionedTotal(VersionedTotal.FINAL, closed == null ? WindowTotal.EMPTY : closed.value());
    }

    private void requireProof(RecountCommand command, VersionedTotal published, WindowTotal recounted) {
        boolean nothing = published.total().count() == 0;
        int version = nothing ? 0 : published.version();
        BigDecimal total = published.total().total().toDecimal(scale);
        boolean tablesAgree = version == command.version()
                && published.total().count() == command.publishedCount()
                && total.compareTo(command.publishedTotal()) == 0;
        // The tables may have lost the latest versions. If a recount has led to the last one, it has not come to them
        // yet: the command is an older one.
        boolean mayBeLost = version == command.version() || version > command.version() && !published.recounted();
        boolean inputAgrees = published.total().equals(recounted) && mayBeLost;
        require(
                tablesAgree || inputAgrees,
                "it was made for version " + command.version() + " with " + command.publishedTotal() + " of "
                        + command.publishedCount() + " events, but version " + version + " with " + total + " of "
                        + published.total().count() + " is published");
    }

    private long units(BigDecimal amount) {
        BigInteger units = integer(amount);
        require(units.bitLength() < Long.SIZE, amount + " is no amount");
        return units.longValue();
    }

    private BigInteger integer(BigDecimal amount) {
        BigDecimal units = amount.movePointRight(scale);
        require(units.stripTrailingZeros().scale() <= 0, amount + " has more than " + scale + " decimal places");
        return units.toBigInteger();
    }

    private static void require(boolean allowed, String otherwise) {
        if (!allowed) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
