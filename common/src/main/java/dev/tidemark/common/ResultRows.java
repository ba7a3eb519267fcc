package dev.tidemark.common;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.StreamPartitioner;

/**
 * How result rows are written: all rows of a key to one partition, so that a reader of the topic meets them in order.
 *
 * @param <I> the primary key of a row
 * @param <R> the row
 * @param keyOf the key that a row is about
 * @param idToJson what a record's key is
 * @param rowToJson what a record's value is
 */
public record ResultRows<I, R>(Function<I, String> keyOf, Function<I, byte[]> idToJson, Function<R, byte[]> rowToJson) {

    /** @param name names the operator that writes */
    public Produced<I, R> named(String name) {
        return Produced.<I, R>with(
                        Serdes.serdeFrom((topic, id) -> idToJson.apply(id), unread()),
                        Serdes.serdeFrom((topic, row) -> rowToJson.apply(row), unread()))
                .withStreamPartitioner(new TogetherByKey())
                .withName(name);
    }

    private static <T> Deserializer<T> unread() {
        return (topic, bytes) -> {
            throw new UnsupportedOperationException("results are not read by the app that writes them");
        };
    }

    private final class TogetherByKey implements StreamPartitioner<I, R> {

        @Override
        public Optional<Set<Integer>> partitions(String topic, I id, R row, Headers headers, int partitions) {
            byte[] key = keyOf.apply(id).getBytes(StandardCharsets.UTF_8);
            return Optional.of(Set.of(Utils.toPositive(Utils.murmur2(key)) % partitions));
        }

        @Override
        @Deprecated
        @SuppressWarnings("removal")
        public Optional<Set<Integer>> partitions(String topic, I id, R row, int partitions) {
            return partitions(topic, id, row, new RecordHeaders(), partitions);
        }
    }
}
