package dev.tidemark.totals;

import dev.tidemark.totals.Expected.Accepted;
import dev.tidemark.totals.Expected.Cause;
import dev.tidemark.totals.Expected.Settled;
import dev.tidemark.totals.Expected.Window;
import dev.tidemark.totals.Step.EndOfInput;
import dev.tidemark.totals.Step.FutureSale;
import dev.tidemark.totals.Step.Input;
import dev.tidemark.totals.Step.Refused;
import dev.tidemark.totals.Step.Sale;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Says from the rules of the README alone what the app owes for what happens to it: what becomes of each record, which
 * windows are closed and what they contain. It shares no code with the app.
 *
 * <p>What a restart does not forget is in {@link Expected}; of it a crash leaves what was there at the last commit.
 */
final class TotalsOracle {

    private static final long SECOND = Duration.ofSeconds(1).toMillis();
    /** An id is remembered for so many quarters of {@code deduplicate-for} beyond the one in which it was accepted. */
    private static final int QUARTERS = 4;

    private final RunSettings settings;
    private final List<Input> sinceCommit = new ArrayList<>();
    private Expected committed;
    private Expected now;

    /** When the input was last known not to be quiet, in wall time, less the time in which the process was frozen. */
    private long quietSince;

    private long lastCheck;

    TotalsOracle(RunSettings settings, Instant start) {
        this.settings = settings;
        this.committed = new Expected(settings);
        this.now = committed.copy();
        start(start);
    }

    /** A record was appended to the input and read. */
    void read(Input input, Instant at) {
        sinceCommit.add(input);
        if (input instanceof Sale sale) {
            now.settled.add(read(sale));
            notQuiet(at);
        } else if (input instanceof FutureSale) {
            now.settled.add(Settled.as("future"));
        } else if (input instanceof Refused refused) {
            now.settled.add(Settled.as(refused.disposition()));
        } else if (input instanceof EndOfInput) {
            now.settled.add(Settled.as("control"));
            now.end();
        }
    }

    /** Everything up to here was committed; returns what is owed by now. */
    Expected commit() {
        sinceCommit.clear();
        now.rememberClock();
        committed = now.copy();
        return committed;
    }

    /** The process was started again after a commit. */
    void restart(Instant at) {
        now.restoreClock();
        start(at);
    }

    /** The process was killed and started again, and has read again what was not committed. */
    void crash(Instant at) {
        List<Input> again = List.copyOf(sinceCommit);
        sinceCommit.clear();
        now = committed.copy();
        restart(at);
        again.forEach(input -> read(input, at));
    }

    /** A second, or a time in which the process was frozen, has passed without input. */
    void quiet(Instant at) {
        long wall = at.toEpochMilli();
        long frozen = wall - lastCheck - SECOND;
        if (frozen > SECOND) {
            quietSince += frozen;
        }
        lastCheck = wall;
        long quiet = wall - quietSince;
        if (now.latest >= 0 && quiet >= settings.idleAfter().toMillis()) {
            now.advance(now.latest + quiet, Cause.IDLE);
        }
    }

    private void start(Instant at) {
        lastCheck = at.toEpochMilli();
        notQuiet(at);
    }

    private void notQuiet(Instant at) {
        quietSince = at.toEpochMilli();
    }

    private Settled read(Sale sale) {
        Accepted earlier = remember(sale);
        if (earlier != null) {
            boolean same = earlier.sale().time() == sale.time()
                    && earlier.sale().amount().compareTo(sale.amount()) == 0;
            return Settled.as(same ? "duplicate" : "conflicting");
        }
        now.latest = Math.max(now.latest, sale.time());
        now.advanceAfterTheEnd(sale.time());
        List<Window> windows = settings.windowing().of(sale.time()).stream()
                .map(span -> new Window(sale.store(), span))
                .toList();
        List<Window> open =
                windows.stream().filter(window -> !now.isClosed(window.span())).toList();
        List<Window> correctable = windows.stream()
                .filter(window -> now.isClosed(window.span()) && !now.isBeyondHorizon(window.span()))
                .toList();
        if (open.size() + correctable.size() < windows.size()) {
            now.hasTold();
        }
        List<Integer> versions =
                correctable.stream().map(window -> now.correct(window, sale)).toList();
        open.forEach(window -> now.count(window, sale));
        now.advance(sale.time(), Cause.WATERMARK);
        if (open.size() == windows.size()) {
            return Settled.as("counted");
        }
        if (correctable.isEmpty()) {
            return Settled.as(open.isEmpty() ? "too-late" : "partly-late");
        }
        return new Settled(
                open.isEmpty() ? "late" : "partly-late",
                correctable.get(0).span().start(),
                versions.get(0));
    }

    /** The earlier sale with the same store and id, if it is still remembered; else this one is remembered. */
    private Accepted remember(Sale sale) {
        now.newest = Math.max(now.newest, sale.time());
        long quarter = Math.max(1, (settings.deduplicateFor().toMillis() + QUARTERS - 1) / QUARTERS);
        long current = now.newest / quarter;
        Accepted earlier = now.accepted.get(sale.store() + " " + sale.id());
        if (earlier != null && current - earlier.quarter() <= QUARTERS) {
            return earlier;
        }
        now.accepted.put(sale.store() + " " + sale.id(), new Accepted(sale, current));
        return null;
    }
}
