package dev.tidemark.reconcile;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.util.FileSystemUtils;

/**
 * Recounts a pipeline and writes down what it found.
 *
 * <p>The ends of the input are pinned first; then the app and the sinks are waited for; then the input is read up to there
 * and compared with what the tables say. They may be ahead of that by then, so what differs is looked at once more: the
 * input is read on, and what still differs is a break.
 */
final class Reconciler {

    private final ReconcileProperties properties;
    private final Surroundings surroundings;
    private final Arrival arrival;
    private final RunStore store;

    Reconciler(ReconcileProperties properties, Surroundings surroundings, RunStore store) {
        this.properties = properties;
        this.surroundings = surroundings;
        this.arrival = new Arrival(surroundings.clients(), properties.sinkGroups(), properties.patience());
        this.store = store;
    }

    /**
     * Recounts. What keeps it from telling is in the result; only what is not foreseen is thrown.
     *
     * @param correct whether the app is asked to publish what was recounted, where it is proved
     */
    Run recount(Target target, Span span, boolean correct, Progress progress) {
        Instant started = Instant.now();
        Run run;
        try {
            run = inDirectory(directory -> {
                try (Recount recount = target.opener().open(span, directory, surroundings)) {
                    List<EarlierBreak> earlier = store.unresolved(target, span);
                    Set<Break.Subject> doubted =
                            earlier.stream().map(EarlierBreak::subject).collect(Collectors.toSet());
                    Found found = find(target, recount, doubted, correct, progress);
                    List<EarlierBreak> judged = earlier.stream()
                            .filter(one -> found.tally().hasJudged(one.subject()))
                            .toList();
                    return Run.of(target, span, started, found.tally(), recount.counts(), found.ledger(), judged);
                }
            });
        } catch (CouldNotTellException e) {
            run = Run.unknown(target, span, started, e.getMessage());
        } catch (DataAccessException | TransactionException e) {
            run = Run.unknown(target, span, started, databaseTrouble(e));
        } finally {
            progress.end();
        }
        return written(run);
    }

    /**
     * Prints what another grace would have made of the input.
     *
     * @throws CouldNotTellException if it cannot be replayed
     */
    void replay(Target target, Span span, Duration grace, Progress progress, PrintStream out) {
        if (target.totals() == null) {
            throw new CouldNotTellException(
                    "The pipeline " + target.pipeline() + " is one of pairs; only totals can be replayed.");
        }
        try {
            inDirectory(directory -> {
                new WhatIf(target.totals(), surroundings).print(grace, span, directory, progress, out);
                return null;
            });
        } catch (DataAccessException | TransactionException e) {
            throw new CouldNotTellException(databaseTrouble(e), e);
        }
    }

    private record Found(Tally tally, LedgerSides ledger) {}

    private Found find(Target target, Recount recount, Set<Break.Subject> doubted, boolean correct, Progress progress) {
        Found found = look(target, recount, doubted, progress);
        if (found.tally().hasBreaks()) {
            Found again = look(target, recount, doubted, progress);
            found = new Found(found.tally().confirm(again.tally()), again.ledger());
            found.tally().replace(recount.lookInto(found.tally().breaks(), correct));
        }
        return found;
    }

    private Found look(Target target, Recount recount, Set<Break.Subject> doubted, Progress progress) {
        Map<TopicPartition, Long> ends = recount.ends();
        progress.begin("waiting", 1);
        arrival.await(target, ends);
        recount.readTo(ends, progress);
        LedgerSides ledger = LedgerSides.of(surroundings.jdbc(), target.pipeline());
        Tally tally = recount.compare(doubted, progress);
        ledger.compare(recount.counts()).ifPresent(tally::add);
        return new Found(tally, ledger);
    }

    private Run written(Run run) {
        try {
            store.write(run);
            return run;
        } catch (DataAccessException | TransactionException e) {
            return run.notWritten("it cannot be written down: " + databaseTrouble(e));
        }
    }

    private static String databaseTrouble(RuntimeException e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return "PostgreSQL cannot be read or written (" + root.getMessage()
                + "); check spring.datasource, that it runs," + " and that the migrations of deploy/sql were applied.";
    }

    private interface InDirectory {
        Run run(Path directory);
    }

    private Run inDirectory(InDirectory action) {
        Path directory = null;
        try {
            directory = Files.createTempDirectory(Files.createDirectories(properties.directory()), "tidemark-recount");
            return action.run(directory);
        } catch (IOException e) {
            throw new CouldNotTellException(
                    "Cannot write to " + properties.directory() + " (" + e.getMessage()
                            + "); set tidemark.reconcile.directory to one that this process may write to.",
                    e);
        } finally {
            FileSystemUtils.deleteRecursively(directory == null ? null : directory.toFile());
        }
    }
}
