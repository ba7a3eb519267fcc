package dev.tidemark.reconcile;

import dev.tidemark.common.RecountCommand;
import dev.tidemark.common.TotalsProperties;
import dev.tidemark.reconcile.Break.Kind;
import dev.tidemark.reconcile.Break.Numbers;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;

/**
 * Asks the app to publish what was recounted, where it is certain which events count in a closed window. The app obeys if
 * it has published what the table says, so that it has counted wrongly, or if it has counted what was recounted, so that the
 * table has lost or changed what it has published.
 */
final class Corrections {

    private static final int MOST_NAMED = 10;
    private static final Numbers NO_FINAL = new Numbers(0, BigDecimal.ZERO, 0);

    private final TotalsProperties settings;
    private final Map<String, Object> clients;
    private final boolean moved;
    private final Predicate<Break> isCertain;

    /**
     * @param clients what every client needs to reach the brokers
     * @param moved whether a key is counted where its hash says, and not where its events are
     * @param isCertain whether it is certain which events count in the window
     */
    Corrections(TotalsProperties settings, Map<String, Object> clients, boolean moved, Predicate<Break> isCertain) {
        this.isCertain = isCertain;
        this.settings = settings;
        this.clients = clients;
        this.moved = moved;
    }

    /** Where only a version is missing, what is left may leave out events that came too late, and rightly. */
    static boolean mayBeAsked(Break found) {
        return switch (found.kind()) {
            case DIFFERENT, MISSING -> true;
            case VERSION_MISSING ->
                found.published().count() == found.recounted().count()
                        && found.published().total().compareTo(found.recounted().total()) == 0;
            case UNEXPECTED, LEDGER -> false;
        };
    }

    /**
     * Asks for all that can be proved, and returns when the brokers have it.
     *
     * @param sums what the windows add up to
     * @return the breaks, with those that were asked for marked
     */
    List<Break> request(List<Break> breaks, Map<WindowKey, WindowSum> sums) {
        Map<String, Object> config = new HashMap<>(clients);
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        String topic = settings.recountsTopic();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            int partitions = producer.partitionsFor(topic).size();
            List<Break> marked = new ArrayList<>();
            List<Future<?>> sent = new ArrayList<>();
            for (Break found : breaks) {
                WindowSum sum = mayBeAsked(found) && isCertain.test(found)
                        ? sums.get(found.subject().window())
                        : null;
                if (sum != null) {
                    byte[] key = found.subject().key().getBytes(StandardCharsets.UTF_8);
                    int partition = moved ? Utils.toPositive(Utils.murmur2(key)) % partitions : sum.partition();
                    sent.add(producer.send(new ProducerRecord<>(
                            topic, partition, key, command(found, sum).toJson())));
                }
                marked.add(sum == null ? found : found.requested());
            }
            for (Future<?> each : sent) {
                each.get();
            }
            return marked;
        } catch (ExecutionException e) {
            throw refused(topic, e.getCause());
        } catch (KafkaException e) {
            throw refused(topic, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refused(topic, e);
        }
    }

    private RecountCommand command(Break found, WindowSum sum) {
        int scale = settings.input().amountScale();
        Numbers published = found.kind() == Kind.MISSING ? NO_FINAL : found.published();
        return new RecountCommand(
                settings.fingerprint(),
                found.subject().key(),
                found.subject().time(),
                published.version(),
                published.total(),
                published.count(),
                sum.total().toDecimal(scale),
                sum.count(),
                BigDecimal.valueOf(sum.minimum(), scale),
                BigDecimal.valueOf(sum.maximum(), scale),
                found.eventIds().stream().limit(MOST_NAMED).toList());
    }

    private static CouldNotTellException refused(String topic, Throwable cause) {
        return new CouldNotTellException(
                "The corrections cannot be written to " + topic + " (" + cause.getMessage()
                        + "); see whether the brokers run and this program may write to it, and whether the app, which"
                        + " makes the topic, is of a version that knows it.",
                cause);
    }
}
