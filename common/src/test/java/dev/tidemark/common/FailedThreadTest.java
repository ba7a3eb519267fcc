package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.Test;

class FailedThreadTest {

    @Test
    void aThreadIsReplacedWhenTheBrokersWereAwayForLongerThanItWaits() {
        Throwable away = new TransactionAbortableException(
                "aborted after exhausting retries", new TimeoutException("not present in metadata after 60000 ms"));

        assertThat(FailedThread.canBeReplaced(new StreamsException("send", new KafkaException("error state", away))))
                .isTrue();
        assertThat(FailedThread.canBeReplaced(new TimeoutException("commit"))).isTrue();
    }

    @Test
    void aThreadIsReplacedWhenItsWritesWereNotAcknowledgedInTime() {
        Throwable unacknowledged = new KafkaException("It is safe to abort the transaction and continue.");

        assertThat(FailedThread.canBeReplaced(
                        new StreamsException("commit", new KafkaException("error state", unacknowledged))))
                .isTrue();
    }

    @Test
    void aThreadIsReplacedWhenItsTaskMayNotGoOnWithItsOldProcessors() {
        assertThat(FailedThread.canBeReplaced(new StreamsException(new RevivedTaskException())))
                .isTrue();
    }

    @Test
    void aThreadIsNotReplacedWhenATopicIsGone() {
        Throwable gone = new TimeoutException(
                "not present in metadata after 60000 ms", new UnknownTopicOrPartitionException("no such topic"));

        assertThat(FailedThread.canBeReplaced(new StreamsException("send", gone)))
                .isFalse();
    }

    @Test
    void aThreadIsNotReplacedAfterWhatWouldFailAgain() {
        assertThat(FailedThread.canBeReplaced(new StreamsException(new RecordTooLargeException("1 MB"))))
                .isFalse();
        assertThat(FailedThread.canBeReplaced(new IllegalStateException("a bug")))
                .isFalse();
    }
}
