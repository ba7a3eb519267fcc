package dev.tidemark.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.streams.errors.ProductionExceptionHandler.Result;
import org.junit.jupiter.api.Test;

class FailOnMissingTopicTest {

    private static final ProducerRecord<byte[], byte[]> RECORD = new ProducerRecord<>("sales-exceptions", new byte[0]);

    @Test
    void aTopicThatIsGoneIsNotTriedAgain() {
        Exception gone = new TimeoutException("not present in metadata", new UnknownTopicOrPartitionException("gone"));

        assertThat(resultOf(gone)).isEqualTo(Result.FAIL);
    }

    @Test
    void brokersThatAreAwayAreTriedAgain() {
        assertThat(resultOf(new TimeoutException("not present in metadata"))).isEqualTo(Result.RETRY);
    }

    private static Result resultOf(Exception error) {
        return new FailOnMissingTopic().handleError(null, RECORD, error).result();
    }
}
