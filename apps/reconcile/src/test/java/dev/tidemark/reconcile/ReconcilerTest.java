package dev.tidemark.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.common.DeduplicateScope;
import dev.tidemark.common.Event;
import dev.tidemark.common.Origin;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** A recount that fails while its events are on disk, beside a database that is away. */
class ReconcilerTest {

    @TempDir
    Path directory;

    @Test
    void whatItHasKeptIsDeletedWhenItCannotTell() {
        Run run = recount(new CouldNotTellException("The brokers are away."));

        assertThat(run.unknown()).isEqualTo("The brokers are away.");
        assertThat(run.exitCode()).isEqualTo(Run.UNKNOWN);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void whatItHasKeptIsDeletedWhenItEndsInAWayThatNobodyHasForeseen() {
        assertThatThrownBy(() -> recount(new IllegalStateException("a bug"))).hasMessage("a bug");
        assertThat(directory).isEmptyDirectory();
        assertThatThrownBy(() -> recount(new OutOfMemoryError("no heap"))).hasMessage("no heap");
        assertThat(directory).isEmptyDirectory();
    }

    private Run recount(Throwable trouble) {
        ReconcileProperties properties = new ReconcileProperties(
                List.of(), null, Duration.ofDays(2), Duration.ofSeconds(1), "connect-", directory);
        TransactionTemplate transactions = new TransactionTemplate(new NoDatabase());
        Surroundings surroundings = new Surroundings(Map.of(), Duration.ofSeconds(1), null, transactions);
        Target target = new Target(
                "sales",
                Target.TOTALS,
                "settings",
                "sales-totals",
                Map.of(),
                ZoneOffset.UTC,
                Duration.ofMinutes(10),
                2,
                around -> List.of(),
                (span, place, around) -> new Broken(place, trouble),
                null);
        return new Reconciler(properties, surroundings, new RunStore(new NothingFound(), transactions))
                .recount(target, Span.ALL, false, Progress.NONE);
    }

    /** Keeps an event, and fails when it should read on. */
    private final class Broken implements Recount {

        private final Throwable trouble;
        private final DistinctEvents events;

        Broken(Path place, Throwable trouble) {
            this.trouble = trouble;
            this.events = new DistinctEvents(place.resolve("events"), DeduplicateScope.KEY);
            events.add(new Event(new Origin("sales", 0, 0), "e1", "A", 1_000, 10, 100, new byte[0]), 0);
        }

        @Override
        public Map<TopicPartition, Long> ends() {
            assertThat(directory).isNotEmptyDirectory();
            if (trouble instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) trouble;
        }

        @Override
        public void readTo(Map<TopicPartition, Long> ends, Progress progress) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Tally compare(Set<Break.Subject> doubted, Progress progress) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Break> lookInto(List<Break> breaks, boolean correct) {
            throw new UnsupportedOperationException();
        }

        @Override
        public LogCounts counts() {
            return LogCounts.NONE;
        }

        @Override
        public void close() {
            events.close();
        }
    }

    private static final class NothingFound extends JdbcTemplate {

        @Override
        public <T> List<T> query(String sql, RowMapper<T> rows, Object... arguments) {
            return List.of();
        }
    }

    private static final class NoDatabase implements PlatformTransactionManager {

        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            throw new CannotCreateTransactionException("no database");
        }

        @Override
        public void commit(TransactionStatus status) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void rollback(TransactionStatus status) {
            throw new UnsupportedOperationException();
        }
    }
}
