package dev.tidemark.bench;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.WindowStore;

/**
 * What one would write without Tidemark, to compare with: the DSL's windowed sum and suppress over Jackson's data binding,
 * exactly once. It counts duplicates twice, drops late events and forgets its time at a restart.
 */
final class PlainTotals {

    private PlainTotals() {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    record Sale(
            @JsonProperty("store_id") String store,
            @JsonProperty("event_time") String time,
            @JsonProperty("amount") BigDecimal amount) {}

    record Total(
            @JsonProperty("total") BigDecimal total,
            @JsonProperty("count") long count) {

        Total plus(Sale sale) {
            return new Total(total.add(sale.amount()), count + 1);
        }
    }

    /**
     * Arguments: application id, bootstrap servers, state directory, whether the input is partitioned by key. Runs until it
     * is killed.
     */
    public static void main(String[] args) {
        Properties config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, args[0]);
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[1]);
        config.put(StreamsConfig.STATE_DIR_CONFIG, Path.of(args[2]).toString());
        config.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        config.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1_000);
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 64L << 20);
        config.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, Runtime.getRuntime().availableProcessors());
        config.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
        KafkaStreams streams = new KafkaStreams(topology(Boolean.parseBoolean(args[3])), config);
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
    }

    private static Topology topology(boolean keyed) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, Sale> sales = builder.stream(
                Sales.TOPIC,
                Consumed.with(Serdes.String(), json(Sale.class))
                        .withTimestampExtractor((sale, before) ->
                                Instant.parse(((Sale) sale.value()).time()).toEpochMilli()));
        Grouped<String, Sale> serdes = Grouped.with(Serdes.String(), json(Sale.class));
        (keyed ? sales.groupByKey(serdes) : sales.groupBy((key, sale) -> sale.store(), serdes))
                .windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMinutes(10), Duration.ofMinutes(5)))
                .aggregate(
                        () -> new Total(BigDecimal.ZERO, 0),
                        (store, sale, total) -> total.plus(sale),
                        Materialized.<String, Total, WindowStore<Bytes, byte[]>>as("totals")
                                .withKeySerde(Serdes.String())
                                .withValueSerde(json(Total.class)))
                .suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded()))
                .toStream(
                        (window, total) -> window.key() + "@" + window.window().startTime())
                .to("plain-totals", Produced.with(Serdes.String(), json(Total.class)));
        return builder.build();
    }

    private static <T> Serde<T> json(Class<T> type) {
        ObjectReader reader = new ObjectMapper().readerFor(type);
        ObjectWriter writer = new ObjectMapper().writerFor(type);
        return Serdes.serdeFrom(
                (topic, value) -> {
                    try {
                        return value == null ? null : writer.writeValueAsBytes(value);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                (topic, bytes) -> {
                    try {
                        return bytes == null ? null : reader.readValue(bytes);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }
}
