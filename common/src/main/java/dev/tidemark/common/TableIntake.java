package dev.tidemark.common;

import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;

/**
 * The way of the records of a table topic to where they are needed: read and brought to the partition of their key. What
 * is refused on the way goes to the dead letters and to the {@link Account}. They are not deduplicated, because a record
 * that comes twice says the same twice.
 *
 * @param side distinguishes the inputs of a pipeline in the names of operators, stores and topics
 * @param table where records come from and how they are read
 * @param maxFuture how far beyond its arrival a time may lie
 * @param acceptEndOfInput whether control records may say that a source partition is complete
 * @param idleAfter wall time without a record after which a source partition is not waited for
 * @param deadLetters topic of what is refused
 */
public record TableIntake(
        String side,
        TableMapping table,
        Duration maxFuture,
        boolean acceptEndOfInput,
        Duration idleAfter,
        String deadLetters) {

    /** Records, refusals and progress, by the record's key, in the part {@link Intake#COUNTING}. */
    public KStream<String, Item> records(StreamsBuilder builder, Account account) {
        return records(builder, account, null);
    }

    /** The same; what is there when a task starts is read before any clock goes on that {@link Alignment#first} tells so. */
    public KStream<String, Item> recordsFirst(StreamsBuilder builder, Account account, InputPartitions partitions) {
        return records(builder, account, partitions);
    }

    private KStream<String, Item> records(StreamsBuilder builder, Account account, InputPartitions first) {
        String counting = account.add(Intake.COUNTING);
        if (table.partitionedByKey()) {
            KStream<byte[], Item> read = read(builder, counting);
            return KeyInPlace.process(read, reportProgress(true, first), named("report-progress"));
        }
        String reading = account.add("reading-" + side);
        KStream<String, Item> reported =
                read(builder, reading).process(reportProgress(false, first), named("report-progress"));
        account.settle(
                "reading-" + side,
                reported.filter((key, item) -> item instanceof Outcome, named("take-refused"))
                        .mapValues(Outcome.class::cast, named("as-refused")));
        ItemBytes bytes = new ItemBytes(List.of(table.topic()), true);
        return new Repartition("by-key-" + side, Event::key, bytes, reading, counting).of(reported);
    }

    /** On how many routes records come to a clock. */
    public IntSupplier routes(InputPartitions partitions) {
        return table.partitionedByKey() ? () -> 1 : partitions.of(table.topic());
    }

    private KStream<byte[], Item> read(StreamsBuilder builder, String ledgerCounts) {
        ReadEvents readRecords = new ReadEvents(new TableReader(table, maxFuture), acceptEndOfInput, ledgerCounts);
        KStream<byte[], Item> read = builder.stream(
                        table.topic(),
                        Consumed.with(Serdes.ByteArray(), Serdes.ByteArray())
                                .withTimestampExtractor(new InputTimestamps())
                                .withName("consume-input-" + side))
                .processValues(readRecords, named("read-records"), ledgerCounts);
        read.filter((key, item) -> item instanceof Outcome, named("take-dead-letters"))
                .process(new DeadLetters((int) table.maxSize().toBytes()), named("describe-dead-letters"))
                .to(
                        deadLetters,
                        Produced.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("write-dead-letters-" + side));
        return read;
    }

    private ReportProgress reportProgress(boolean seenByAll, InputPartitions first) {
        return new ReportProgress(table.topic(), "progress-hook-" + side, idleAfter, seenByAll, first);
    }

    private Named named(String name) {
        return Named.as(name + "-" + side);
    }
}
