package dev.tidemark.common;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;

/**
 * What became of every input record: writes the exceptions and the ledger of a pipeline. It has one part for each task
 * that an event passes on its way, because each task can only speak of what it has committed itself.
 */
public final class Account {

    private final StreamsBuilder builder;
    private final String pipeline;
    private final int amountScale;
    private final MeterRegistry meters;
    private final Set<String> parts = new HashSet<>();
    private final Map<String, KStream<String, Outcome>> outcomes = new TreeMap<>();
    private boolean inOneTask;

    /**
     * @param builder builds the topology
     * @param pipeline the pipeline's name
     * @param amountScale decimal places of amounts
     * @param meters where what the ledger says is metered, too
     */
    public Account(StreamsBuilder builder, String pipeline, int amountScale, MeterRegistry meters) {
        this.builder = builder;
        this.pipeline = pipeline;
        this.amountScale = amountScale;
        this.meters = meters;
    }

    /** Gathers what several tasks say in one, for inputs whose numbers of partitions may differ. */
    public Account inOneTask() {
        inOneTask = true;
        return this;
    }

    /** Adds a part, unless it is there, and returns the name of its {@link LedgerCounts}, with which the processors in it are connected. */
    public String add(String part) {
        if (parts.add(part)) {
            builder.addStateStore(LedgerCounts.named(countsOf(part)));
        }
        return countsOf(part);
    }

    /** Notes what was not simply counted in a part; once for each part. */
    public void settle(String part, KStream<String, Outcome> settled) {
        outcomes.put(part, settled);
    }

    /** Writes what all parts have settled. */
    public void write(String exceptionsTopic, String ledgerTopic) {
        outcomes.forEach((part, settled) -> writeExceptions(part, settled, exceptionsTopic));
        LedgerRows rows = new LedgerRows(pipeline, amountScale);
        KStream<LedgerSource, LedgerRow> entries = null;
        for (String part : outcomes.keySet()) {
            KStream<LedgerSource, LedgerRow> more = ledgerOf(part);
            entries = entries == null ? more : entries.merge(more, Named.as("gather-ledger-with-" + part));
        }
        entries.process(new Ledger(pipeline, meters), Named.as("keep-ledger"))
                .map(rows::of, Named.as("describe-ledger"))
                .to(ledgerTopic, asBytes("write-ledger"));
    }

    private void writeExceptions(String part, KStream<String, Outcome> settled, String topic) {
        ExceptionRows rows = new ExceptionRows(pipeline, amountScale);
        settled.map((key, outcome) -> rows.of(outcome), Named.as("describe-exceptions-" + part))
                .to(topic, asBytes("write-exceptions-" + part));
    }

    private KStream<LedgerSource, LedgerRow> ledgerOf(String part) {
        String counts = countsOf(part);
        KStream<LedgerSource, LedgerRow> entries =
                outcomes.get(part).process(new GatherLedger(counts), Named.as("account-for-" + part), counts);
        if (outcomes.size() == 1) {
            return entries;
        }
        Repartitioned<LedgerSource, LedgerRow> repartitioned = Repartitioned.<LedgerSource, LedgerRow>as(
                        "ledger-of-" + part)
                .withKeySerde(LedgerSource.serde())
                .withValueSerde(LedgerRow.serde());
        return entries.repartition(inOneTask ? repartitioned.withNumberOfPartitions(1) : repartitioned);
    }

    /** Name of the {@link LedgerCounts} of a part. */
    public static String countsOf(String part) {
        return "ledger-counts-" + part;
    }

    private static Produced<byte[], byte[]> asBytes(String name) {
        return Produced.with(Serdes.ByteArray(), Serdes.ByteArray()).withName(name);
    }
}
