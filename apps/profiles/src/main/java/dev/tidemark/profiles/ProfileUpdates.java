package dev.tidemark.profiles;

import dev.tidemark.common.Account;
import dev.tidemark.common.DeadLetters;
import dev.tidemark.common.Event;
import dev.tidemark.common.InputTimestamps;
import dev.tidemark.common.Intake;
import dev.tidemark.common.Item;
import dev.tidemark.common.ItemBytes;
import dev.tidemark.common.KeyInPlace;
import dev.tidemark.common.Outcome;
import dev.tidemark.common.Repartition;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/**
 * The way of updates from the profile table's topic to where the events of their key are counted. What is refused goes to
 * the dead letters and to the {@link Account}.
 *
 * @param settings the app's settings
 * @param reader reads the updates
 */
record ProfileUpdates(ProfilesProperties settings, TableReader reader) {

    private static final String READING = "reading-profiles";

    /** Updates by key in the part {@link Intake#COUNTING} and, if they were not moved there, what was refused of them. */
    KStream<String, Item> of(StreamsBuilder builder, Account account) {
        String counting = account.add(Intake.COUNTING);
        boolean stay = settings.table().partitionedByKey();
        String reading = stay ? counting : account.add(READING);
        KStream<byte[], Item> read = builder.stream(
                        settings.table().topic(),
                        Consumed.with(Serdes.ByteArray(), Serdes.ByteArray())
                                .withTimestampExtractor(new InputTimestamps())
                                .withName("consume-profiles"))
                .processValues(new ReadProfiles(reader, reading), Named.as("read-profiles"), reading);
        writeDeadLetters(read);
        if (stay) {
            return KeyInPlace.process(read, SetKey::new, Named.as("key-profiles"));
        }
        KStream<String, Item> keyed = read.process(SetKey::new, Named.as("key-profiles"));
        account.settle(
                READING,
                keyed.filter((key, item) -> item instanceof Outcome, Named.as("take-refused-profiles"))
                        .mapValues(Outcome.class::cast, Named.as("as-refused-profiles")));
        ItemBytes bytes = new ItemBytes(List.of(settings.table().topic()), true);
        return new Repartition("by-profile-key", Event::key, bytes, reading, counting).of(keyed);
    }

    private void writeDeadLetters(KStream<byte[], Item> read) {
        read.filter((key, item) -> item instanceof Outcome, Named.as("take-dead-profiles"))
                .process(
                        new DeadLetters((int) settings.table().maxSize().toBytes()), Named.as("describe-dead-profiles"))
                .to(
                        settings.deadLettersTopic(),
                        Produced.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("write-dead-profiles"));
    }

    private static final class SetKey extends ContextualProcessor<byte[], Item, String, Item> {

        @Override
        public void process(Record<byte[], Item> record) {
            String key = record.value() instanceof Event update ? update.key() : null;
            context().forward(record.withKey(key));
        }
    }
}
