package dev.tidemark.common;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;

/**
 * The way of events from the input topic to where they are counted: read, brought to the partition of their key, each
 * passing once. What is refused on the way goes to the dead letters and to the {@link Account}.
 *
 * @param input where events come from and how they are read
 * @param maxFuture how far beyond its arrival an event time may lie
 * @param acceptEndOfInput whether control records may say that a source partition is complete
 * @param idleAfter wall time without an event after which a source partition is not waited for
 * @param deduplicateFor how long an id is remembered
 * @param scope among which events an id is unique
 * @param slack how far ahead of the clock events that were moved need not wait
 * @param deadLetters topic of what is refused
 */
public record Intake(
        InputMapping input,
        Duration maxFuture,
        boolean acceptEndOfInput,
        Duration idleAfter,
        Duration deduplicateFor,
        DeduplicateScope scope,
        Duration slack,
        String deadLetters) {

    /** The part of the account that the events returned by {@link #events} are in. */
    public static final String COUNTING = "counting";

    private static final String READING = "reading";
    private static final String DEDUPLICATING = "deduplicating";

    /** Events, what became of those that do not pass, and progress, by the event's key, in the part {@link #COUNTING}. */
    public KStream<String, Item> events(StreamsBuilder builder, Account account, InputPartitions partitions) {
        IntSupplier sources = partitions.of(input.topic());
        String counting = account.add(COUNTING);
        if (staysInOneTask()) {
            KStream<byte[], Item> read = read(builder, counting);
            writeDeadLetters(read);
            KStream<String, Item> reported =
                    KeyInPlace.process(read, reportProgress(true), Named.as("report-progress"));
            return reported.processValues(deduplicate(() -> 1), Named.as("drop-duplicates"));
        }
        String reading = account.add(READING);
        KStream<byte[], Item> read = read(builder, reading);
        writeDeadLetters(read);
        KStream<String, Item> reported = read.process(reportProgress(false), Named.as("report-progress"));
        account.settle(READING, outcomes(reported, "refused"));
        if (scope == DeduplicateScope.KEY) {
            return move("by-key", Event::key, reported, reading, counting)
                    .processValues(deduplicate(sources), Named.as("drop-duplicates"));
        }
        String deduplicating = account.add(DEDUPLICATING);
        KStream<String, Item> distinct = move("by-event-id", Event::id, reported, reading, deduplicating)
                .processValues(deduplicate(sources), Named.as("drop-duplicates"));
        account.settle(DEDUPLICATING, outcomes(distinct, "repeated"));
        return move("by-key", Event::key, distinct, deduplicating, counting);
    }

    /** How the clock behind it has to bring the source partitions together. */
    public Alignment alignment(InputPartitions partitions) {
        IntSupplier sources = partitions.of(input.topic());
        if (staysInOneTask()) {
            return Alignment.ofOne(input.topic());
        }
        return new Alignment(List.of(input.topic()), () -> routes(sources.getAsInt()), slack);
    }

    /** How far the operators' time may be ahead of the clock. */
    public Duration lead() {
        return staysInOneTask() ? Duration.ZERO : slack;
    }

    /** With two moves, each source partition comes through every task between them; there are as many as partitions. */
    private int routes(int sources) {
        return scope == DeduplicateScope.KEY ? sources : sources * sources;
    }

    private boolean staysInOneTask() {
        return input.partitionedByKey() && scope == DeduplicateScope.KEY;
    }

    private KStream<byte[], Item> read(StreamsBuilder builder, String ledgerCounts) {
        ReadEvents readEvents = new ReadEvents(new EventReader(input, maxFuture), acceptEndOfInput, ledgerCounts);
        return builder.stream(
                        input.topic(),
                        Consumed.with(Serdes.ByteArray(), Serdes.ByteArray())
                                .withTimestampExtractor(new InputTimestamps())
                                .withName("consume-input"))
                .processValues(readEvents, Named.as("read-events"), ledgerCounts);
    }

    private void writeDeadLetters(KStream<byte[], Item> read) {
        read.filter((key, item) -> item instanceof Outcome, Named.as("take-dead-letters"))
                .process(new DeadLetters((int) input.maxSize().toBytes()), Named.as("describe-dead-letters"))
                .to(
                        deadLetters,
                        Produced.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("write-dead-letters"));
    }

    private ReportProgress reportProgress(boolean seenByAll) {
        return new ReportProgress(input.topic(), idleAfter, seenByAll);
    }

    private Deduplicate<String> deduplicate(IntSupplier routes) {
        return new Deduplicate<>(deduplicateFor, scope, routes);
    }

    private KStream<String, Item> move(
            String name, Function<Event, String> keyOf, KStream<String, Item> events, String sender, String receiver) {
        return new Repartition(name, keyOf, List.of(input.topic()), sender, receiver).of(events);
    }

    private static KStream<String, Outcome> outcomes(KStream<String, Item> items, String name) {
        return items.filter((key, item) -> item instanceof Outcome, Named.as("take-" + name))
                .mapValues(Outcome.class::cast, Named.as("as-" + name));
    }
}
