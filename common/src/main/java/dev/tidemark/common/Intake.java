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
 * @param side distinguishes the inputs of a pipeline in the names of operators, stores and topics; empty if it has one
 * @param input where events come from and how they are read
 * @param maxFuture how far beyond its arrival an event time may lie
 * @param acceptEndOfInput whether control records may say that a source partition is complete
 * @param idleAfter wall time without an event after which a source partition is not waited for
 * @param deduplicateFor how long an id is remembered
 * @param scope among which events an id is unique
 * @param slack how far ahead of the clock events that were moved need not wait
 * @param wholePayload whether events keep their payload whole, and are compared by it
 * @param deadLetters topic of what is refused
 */
public record Intake(
        String side,
        InputMapping input,
        Duration maxFuture,
        boolean acceptEndOfInput,
        Duration idleAfter,
        Duration deduplicateFor,
        DeduplicateScope scope,
        Duration slack,
        boolean wholePayload,
        String deadLetters) {

    /** The part of the account that the events returned by {@link #events} are in. */
    public static final String COUNTING = "counting";

    private static final String READING = "reading";
    private static final String DEDUPLICATING = "deduplicating";

    /** Events, what became of those that do not pass, and progress, by the event's key, in the part {@link #COUNTING}. */
    public KStream<String, Item> events(StreamsBuilder builder, Account account, InputPartitions partitions) {
        String counting = account.add(COUNTING);
        if (stays()) {
            KStream<byte[], Item> read = read(builder, counting);
            writeDeadLetters(read);
            KStream<String, Item> reported = KeyInPlace.process(read, reportProgress(true), named("report-progress"));
            return reported.processValues(deduplicate(() -> 1), named("drop-duplicates"));
        }
        IntSupplier sources = partitions.of(input.topic());
        String reading = account.add(name(READING));
        KStream<byte[], Item> read = read(builder, reading);
        writeDeadLetters(read);
        KStream<String, Item> reported = read.process(reportProgress(false), named("report-progress"));
        account.settle(name(READING), outcomes(reported, "refused"));
        if (scope == DeduplicateScope.KEY) {
            return move("by-key", Event::key, reported, reading, counting)
                    .processValues(deduplicate(sources), named("drop-duplicates"));
        }
        String deduplicating = account.add(name(DEDUPLICATING));
        KStream<String, Item> distinct = move("by-event-id", Event::id, reported, reading, deduplicating)
                .processValues(deduplicate(sources), named("drop-duplicates"));
        account.settle(name(DEDUPLICATING), outcomes(distinct, "repeated"));
        return move("by-key", Event::key, distinct, deduplicating, counting);
    }

    /** How the clock behind it has to bring the source partitions together. */
    public Alignment alignment(InputPartitions partitions) {
        return stays() ? Alignment.ofOne(input.topic()) : alignment(partitions, List.of(this));
    }

    /**
     * How one clock behind several intakes has to bring their source partitions together.
     *
     * @param intakes in an order that never changes, with one and the same slack
     */
    public static Alignment alignment(InputPartitions partitions, List<Intake> intakes) {
        return new Alignment(
                bytes(intakes),
                () -> intakes.stream()
                        .mapToInt(intake -> intake.routes(partitions))
                        .sum(),
                intakes.get(0).slack);
    }

    /** How the items of some intakes are written. */
    public static ItemBytes bytes(List<Intake> intakes) {
        List<String> topics =
                intakes.stream().map(intake -> intake.input.topic()).toList();
        return new ItemBytes(topics, intakes.get(0).wholePayload);
    }

    /** How far the operators' time may be ahead of the clock. */
    public Duration lead() {
        return stays() ? Duration.ZERO : slack;
    }

    /** With two moves, each source partition comes through every task between them; there are as many as partitions. */
    private int routes(InputPartitions partitions) {
        if (stays()) {
            return 1;
        }
        int sources = partitions.of(input.topic()).getAsInt();
        return scope == DeduplicateScope.KEY ? sources : sources * sources;
    }

    /** Whether events stay in the partitions that they are read from, and so in one task. */
    public boolean stays() {
        return input.partitionedByKey() && scope == DeduplicateScope.KEY;
    }

    private KStream<byte[], Item> read(StreamsBuilder builder, String ledgerCounts) {
        ReadEvents readEvents = new ReadEvents(new EventReader(input, maxFuture), acceptEndOfInput, ledgerCounts);
        return builder.stream(
                        input.topic(),
                        Consumed.with(Serdes.ByteArray(), Serdes.ByteArray())
                                .withTimestampExtractor(new InputTimestamps())
                                .withName(name("consume-input")))
                .processValues(readEvents, named("read-events"), ledgerCounts);
    }

    private void writeDeadLetters(KStream<byte[], Item> read) {
        read.filter((key, item) -> item instanceof Outcome, named("take-dead-letters"))
                .process(new DeadLetters((int) input.maxSize().toBytes()), named("describe-dead-letters"))
                .to(
                        deadLetters,
                        Produced.with(Serdes.ByteArray(), Serdes.ByteArray()).withName(name("write-dead-letters")));
    }

    private ReportProgress reportProgress(boolean seenByAll) {
        return new ReportProgress(input.topic(), name("progress-hook"), idleAfter, seenByAll);
    }

    private Deduplicate<String> deduplicate(IntSupplier routes) {
        return new Deduplicate<>(name("seen-events"), deduplicateFor, scope, wholePayload, routes);
    }

    private KStream<String, Item> move(
            String name, Function<Event, String> keyOf, KStream<String, Item> events, String sender, String receiver) {
        return new Repartition(name(name), keyOf, bytes(List.of(this)), sender, receiver).of(events);
    }

    private KStream<String, Outcome> outcomes(KStream<String, Item> items, String name) {
        return items.filter((key, item) -> item instanceof Outcome, named("take-" + name))
                .mapValues(Outcome.class::cast, named("as-" + name));
    }

    private Named named(String name) {
        return Named.as(name(name));
    }

    private String name(String name) {
        return side.isEmpty() ? name : name + "-" + side;
    }
}
