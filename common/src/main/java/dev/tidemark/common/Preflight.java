package dev.tidemark.common;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyDescription;
import org.apache.kafka.streams.TopologyDescription.Subtopology;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the brokers before the streams client starts: refuses with one sentence what would end in silence or in a
 * stack trace later, and creates missing result topics.
 */
final class Preflight {

    private static final Logger LOG = LoggerFactory.getLogger(Preflight.class);

    private final Pipeline pipeline;
    private final Topology topology;
    private final Properties streamsProperties;
    private final Duration timeout;

    /**
     * @param streamsProperties the settings that the streams client will be given
     * @param timeout how long the brokers may be unreachable
     */
    Preflight(Pipeline pipeline, Topology topology, Properties streamsProperties, Duration timeout) {
        this.pipeline = pipeline;
        this.topology = topology;
        this.streamsProperties = streamsProperties;
        this.timeout = timeout;
    }

    /** @throws StartRefusedException if the app cannot run as things are */
    void check() {
        checkProducer(ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
        checkProducer(ProducerConfig.BUFFER_MEMORY_CONFIG);
        Map<String, Object> config = new StreamsConfig(streamsProperties).getAdminConfigs("preflight");
        config.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        config.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, (int)
                Math.min(timeout.toMillis(), Duration.ofSeconds(15).toMillis()));
        try (Admin admin = Admin.create(config)) {
            waitForBrokers(admin);
            Map<String, Integer> inputs = checkInputs(admin);
            pipeline.wholeTables().forEach(topic -> requireTopic(admin, topic));
            for (Subtopology part : topology.describe().subtopologies()) {
                Map<String, Integer> read = new TreeMap<>(inputs);
                read.keySet().retainAll(sources(part));
                requireSameNumber(read);
                checkInternalTopics(admin, stores(part), read.isEmpty() ? mostOf(inputs) : read);
            }
            checkTerms(admin);
            createResults(admin, Collections.max(inputs.values()));
            pipeline.inputPartitions()
                    .askForUnread(
                            new UnreadInput(streamsProperties, pipeline.applicationId())::last,
                            System.currentTimeMillis());
        }
    }

    /** A user may have set less than one dead letter takes. */
    private void checkProducer(String setting) {
        String name = StreamsConfig.producerPrefix(setting);
        long allowed =
                (long) ConfigDef.parseType(name, streamsProperties.get(name).toString(), ConfigDef.Type.LONG);
        long needed = pipeline.largestRecord().toBytes();
        if (allowed < needed) {
            throw new StartRefusedException("The setting " + name + " is " + allowed + ", but records of up to "
                    + needed + " bytes have to be sent; raise it, or lower the input's max-size.");
        }
    }

    private void waitForBrokers(Admin admin) {
        get(admin.describeCluster().nodes(), "reach the Kafka brokers");
    }

    private Map<String, Integer> checkInputs(Admin admin) {
        Map<String, Integer> partitions = new TreeMap<>();
        for (String input : pipeline.inputs()) {
            partitions.put(input, requireTopic(admin, input));
        }
        partitions.forEach(pipeline.inputPartitions()::set);
        return partitions;
    }

    /** How many partitions it has. */
    private int requireTopic(Admin admin, String topic) {
        return partitionsOf(admin, topic)
                .orElseThrow(() -> new StartRefusedException("The input topic " + topic + " does not exist on "
                        + brokers() + "; create it, or correct the setting."));
    }

    /** What one task reads of several inputs has to be of the same partition. */
    private static void requireSameNumber(Map<String, Integer> partitions) {
        if (Set.copyOf(partitions.values()).size() > 1) {
            throw new StartRefusedException("The input topics have different numbers of partitions, " + show(partitions)
                    + ", so not all events of a key are in the same partition of each, as partitioned-by-key: true"
                    + " says; set it to false, or give them the same number.");
        }
    }

    /** What comes from several inputs has as many partitions as the one with most of them. */
    private static Map<String, Integer> mostOf(Map<String, Integer> inputs) {
        int most = Collections.max(inputs.values());
        Map<String, Integer> largest = new TreeMap<>(inputs);
        largest.values().removeIf(partitions -> partitions < most);
        return largest;
    }

    private static String show(Map<String, Integer> partitions) {
        return partitions.entrySet().stream()
                .map(topic -> topic.getKey() + " " + topic.getValue())
                .collect(Collectors.joining(" and "));
    }

    private void checkInternalTopics(Admin admin, Set<String> stores, Map<String, Integer> inputs) {
        Set<String> existing = get(admin.listTopics().names(), "list the topics");
        for (String store : stores) {
            String topic = pipeline.applicationId() + "-" + store + "-changelog";
            if (!existing.contains(topic)) {
                continue;
            }
            int partitions = partitionsOf(admin, topic).orElse(0);
            int expected = Collections.max(inputs.values());
            if (partitions != expected) {
                throw new StartRefusedException("The topic " + topic + " has " + partitions
                        + " partitions, but the input " + String.join(", ", inputs.keySet()) + " has " + expected
                        + "; state cannot follow a changed input: use a new pipeline name, or reset"
                        + " the pipeline as the README says.");
            }
        }
    }

    /** Tasks without state would work under changed settings before one that has state could refuse them. */
    private void checkTerms(Admin admin) {
        String changelog = pipeline.applicationId() + "-" + StoredClock.STORE + "-changelog";
        List<TopicPartition> partitions = IntStream.range(
                        0, partitionsOf(admin, changelog).orElse(0))
                .mapToObj(partition -> new TopicPartition(changelog, partition))
                .toList();
        if (partitions.isEmpty()) {
            return;
        }
        Map<String, Object> config = new StreamsConfig(streamsProperties).getRestoreConsumerConfigs("preflight");
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        try (Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    StoredClock.termsIn(record.key(), record.value())
                            .ifPresent(written -> pipeline.terms().requireSameAs(written, pipeline.applicationId()));
                }
            }
        } catch (KafkaException e) {
            throw refused("read the topic " + changelog, e);
        }
    }

    private static Set<String> sources(Subtopology part) {
        return part.nodes().stream()
                .filter(TopologyDescription.Source.class::isInstance)
                .flatMap(node -> ((TopologyDescription.Source) node).topicSet().stream())
                .collect(Collectors.toSet());
    }

    /** The ledger may be kept in a task of its own, which other stores speak for. */
    private static Set<String> stores(Subtopology part) {
        return part.nodes().stream()
                .filter(TopologyDescription.Processor.class::isInstance)
                .flatMap(node -> ((TopologyDescription.Processor) node).stores().stream())
                .filter(store -> !store.equals(Ledger.STORE))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void createResults(Admin admin, int inputPartitions) {
        List<NewTopic> missing = new ArrayList<>();
        for (Pipeline.ResultTopic topic : pipeline.results()) {
            int configured = topic.asInput() ? inputPartitions : pipeline.partitions();
            Optional<Integer> partitions = partitionsOf(admin, topic.name());
            if (partitions.isEmpty()) {
                missing.add(new NewTopic(
                                topic.name(),
                                Optional.of(configured == 0 ? inputPartitions : configured),
                                pipeline.replicationFactor() < 0
                                        ? Optional.empty()
                                        : Optional.of(pipeline.replicationFactor()))
                        .configs(topic.config()));
                continue;
            }
            checkTakesRecords(admin, topic);
            if (configured != 0 && partitions.get() != configured) {
                throw new StartRefusedException("The topic " + topic.name() + " has " + partitions.get()
                        + " partitions, but " + configured
                        + (topic.asInput()
                                ? " are needed, as many as the input has; delete the topic."
                                : " are configured (topics.partitions); correct the setting, or delete the topic."));
            }
        }
        admin.createTopics(missing).values().forEach(this::awaitCreation);
    }

    /** A topic that was made otherwise may not take the records that the app has to write. */
    private void checkTakesRecords(Admin admin, Pipeline.ResultTopic topic) {
        String needed = topic.config().get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
        if (needed == null) {
            return;
        }
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
        Config config =
                get(admin.describeConfigs(List.of(resource)).values().get(resource), "describe " + topic.name());
        String allowed = config.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG).value();
        if (Long.parseLong(allowed) < Long.parseLong(needed)) {
            throw new StartRefusedException(
                    "The topic " + topic.name() + " takes records of up to " + allowed + " bytes, but up to " + needed
                            + " are needed; raise its max.message.bytes, or lower the input's max-size.");
        }
        String oldest =
                config.get(TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG).value();
        if (config.get(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG).value().equals(TimestampType.CREATE_TIME.name)
                && Long.parseLong(oldest) < Long.MAX_VALUE) {
            throw new StartRefusedException("The topic " + topic.name() + " refuses records older than " + oldest
                    + " ms (message.timestamp.before.max.ms), but rows bear the times of their events; set its"
                    + " message.timestamp.type to LogAppendTime.");
        }
    }

    private void awaitCreation(String topic, KafkaFuture<Void> creation) {
        try {
            creation.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            LOG.info("Created the topic {}.", topic);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) { // another instance may be as quick
                throw refused("create the topic " + topic, e.getCause());
            }
        } catch (TimeoutException e) {
            throw refused("create the topic " + topic, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refused("create the topic " + topic, e);
        }
    }

    private Optional<Integer> partitionsOf(Admin admin, String topic) {
        try {
            return Optional.of(admin.describeTopics(List.of(topic))
                    .topicNameValues()
                    .get(topic)
                    .get(timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .partitions()
                    .size());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return Optional.empty();
            }
            throw refused("describe the topic " + topic, e.getCause());
        } catch (TimeoutException e) {
            throw refused("describe the topic " + topic, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refused("describe the topic " + topic, e);
        }
    }

    private <T> T get(KafkaFuture<T> future, String what) {
        try {
            return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw refused(what, e.getCause());
        } catch (TimeoutException e) {
            throw refused(what, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refused(what, e);
        }
    }

    private StartRefusedException refused(String what, Throwable cause) {
        boolean late =
                cause instanceof TimeoutException || cause instanceof org.apache.kafka.common.errors.TimeoutException;
        return new StartRefusedException(
                "Cannot " + what + " at " + brokers()
                        + (late ? " within " + timeout.toSeconds() + " seconds" : ": " + cause.getMessage())
                        + "; check spring.kafka.bootstrap-servers, the security settings, and that the brokers run.",
                cause);
    }

    private String brokers() {
        Object brokers = streamsProperties.get(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG);
        return brokers instanceof Collection<?> several
                ? several.stream().map(String::valueOf).collect(Collectors.joining(","))
                : String.valueOf(brokers);
    }
}
