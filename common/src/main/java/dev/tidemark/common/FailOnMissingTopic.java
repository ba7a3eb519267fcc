package dev.tidemark.common;

import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.streams.errors.DefaultProductionExceptionHandler;
import org.apache.kafka.streams.errors.ErrorHandlerContext;

/**
 * Ends the app when a topic that it writes is gone. By default Kafka Streams takes that for something that passes by itself
 * and begins the task anew, again and again.
 */
public final class FailOnMissingTopic extends DefaultProductionExceptionHandler {

    @Override
    public Response handleError(
            ErrorHandlerContext context, ProducerRecord<byte[], byte[]> record, Exception exception) {
        return FailedThread.isBehind(exception, UnknownTopicOrPartitionException.class)
                ? Response.fail(List.of())
                : super.handleError(context, record, exception);
    }
}
