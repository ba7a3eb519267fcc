package dev.tidemark.common;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.internals.StreamsConfigUtils;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.internals.ClientUtils;
import org.apache.kafka.streams.processor.internals.InternalTopologyBuilder;
import org.apache.kafka.streams.processor.internals.ProcessorContextImpl;
import org.apache.kafka.streams.processor.internals.ProcessorStateManager;
import org.apache.kafka.streams.processor.internals.ProcessorTopology;
import org.apache.kafka.streams.processor.internals.RecordCollectorImpl;
import org.apache.kafka.streams.processor.internals.StateDirectory;
import org.apache.kafka.streams.processor.internals.StateRestoration;
import org.apache.kafka.streams.processor.internals.StreamTask;
import org.apache.kafka.streams.processor.internals.StreamsProducer;
import org.apache.kafka.streams.processor.internals.Task.TaskType;
import org.apache.kafka.streams.processor.internals.metrics.StreamsMetricsImpl;
import org.apache.kafka.streams.state.internals.CachedStateStore;
import org.apache.kafka.streams.state.internals.ThreadCache;

/**
 * Runs one task of a topology without a broker, as {@link TopologyFixture} does, but commits when it is told to, and can
 * be restarted and crash in between. Input is read from a {@link MemoryLog}, and what is committed is appended to it:
 * results, changelogs and what other tasks are to read.
 *
 * <p>A new start goes on from the last commit with a new topology. Stores on disk are as they were then, those in memory
 * are restored from their changelogs, and what the operators keep in fields is lost.
 */
public final class TaskFixture implements AutoCloseable {

    private final Consumer<StreamsBuilder> topology;
    private final StreamsConfig config;
    private final TaskId id;
    private final MemoryLog log;
    private final ManualTime time;
    private final Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
    private final Map<TopicPartition, Integer> fetched = new HashMap<>();
    private List<StateStore> stores;
    private MockConsumer<byte[], byte[]> consumer;
    private StreamsProducer producer;
    private StreamTask task;

    /** Runs the only task of a topology that has one input partition. */
    public TaskFixture(Consumer<StreamsBuilder> topology, Properties properties, MemoryLog log, ManualTime time) {
        this(topology, properties, new TaskId(0, 0), log, time);
    }

    /**
     * @param topology adds the topology to a builder
     * @param properties settings of the streams client, see {@link TopologyFixture#properties}
     * @param id which subtopology on which partition
     * @param log where it reads and writes
     * @param time the wall time
     */
    public TaskFixture(
            Consumer<StreamsBuilder> topology, Properties properties, TaskId id, MemoryLog log, ManualTime time) {
        this.topology = topology;
        Properties whole = new Properties();
        whole.putAll(properties);
        // There is no broker that could tell how far an empty partition is.
        whole.put(StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, StreamsConfig.MAX_TASK_IDLE_MS_DISABLED);
        this.config = new ClientUtils.QuietStreamsConfig(whole);
        this.id = id;
        this.log = log;
        this.time = time;
        start();
    }

    /** Whether it reads a partition. */
    boolean reads(TopicPartition partition) {
        return fetched.containsKey(partition);
    }

    /** Processes the next record of the input; false if there is none. */
    public boolean process() {
        fetch();
        if (!task.hasRecordsQueued() || !task.isProcessable(time.milliseconds())) {
            return false;
        }
        boolean processed = task.process(time.milliseconds());
        task.maybePunctuateStreamTime();
        return processed;
    }

    /** Processes all records that are there. */
    public void drain() {
        while (process()) {
            // What it does is in the condition.
        }
    }

    /** Runs the punctuations that are due at the present wall time. */
    public void punctuate() {
        task.maybePunctuateSystemTime();
    }

    public void commit() {
        commit(false);
    }

    /** Commits and stops. */
    public void stop() {
        commit(true);
        task.suspend();
        task.closeClean();
    }

    /** Stops without a commit, as if the process had been killed. */
    public void kill() {
        for (StateStore store : stores) {
            if (store instanceof CachedStateStore<?, ?> cached) {
                cached.clearCache(); // When a store is closed, it would write and forward what its cache holds.
            }
        }
        task.suspend();
        task.closeDirty();
    }

    /** Stops and starts again. */
    public void restart() {
        stop();
        start();
    }

    /** Is killed and starts again. */
    public void crash() {
        kill();
        start();
    }

    /** Ends without a commit; the state directory stays. */
    @Override
    public void close() {
        kill();
    }

    /** Starts from the last commit. */
    public void start() {
        LogContext context = new LogContext(id + " ");
        InternalTopologyBuilder builder = builder();
        ProcessorTopology processors = builder.buildSubtopology(id.subtopology());
        Set<TopicPartition> inputs = processors.sourceTopics().stream()
                .map(topic -> new TopicPartition(topic, id.partition()))
                .collect(Collectors.toSet());
        StreamsMetricsImpl metrics = new StreamsMetricsImpl(new Metrics(time), "fixture", time);
        ThreadCache cache =
                new ThreadCache(context, config.getLong(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG), metrics);
        StateDirectory directory = new StateDirectory(config, time, processors.hasPersistentLocalStore(), false);
        ProcessorStateManager manager = new ProcessorStateManager(
                id,
                TaskType.ACTIVE,
                true,
                config.getBoolean(StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG),
                context,
                directory,
                time,
                processors.storeToChangelogTopic(),
                inputs);
        consumer = consumer(inputs);
        producer = new StreamsProducer(new Transactions(), StreamsConfigUtils.processingMode(config), time, context);
        stores = processors.stateStores();
        task = new StreamTask(
                id,
                inputs,
                processors,
                consumer,
                builder.topologyConfigs().getTaskConfig(),
                metrics,
                directory,
                cache,
                time,
                manager,
                new RecordCollectorImpl(
                        context, id, producer, config.productionExceptionHandler(), metrics, processors),
                new ProcessorContextImpl(id, config, manager, metrics, cache),
                context,
                false);
        task.initializeIfNeeded();
        StateRestoration.restore(manager, log::records);
        task.completeRestoration(unknown -> {});
        for (TopicPartition input : inputs) {
            OffsetAndMetadata next = committed.getOrDefault(input, new OffsetAndMetadata(0));
            fetched.put(input, Math.toIntExact(next.offset()));
            task.updateNextOffsets(input, next);
        }
    }

    private InternalTopologyBuilder builder() {
        OpenBuilder builder = new OpenBuilder(config);
        topology.accept(builder);
        return builder.finish();
    }

    private MockConsumer<byte[], byte[]> consumer(Set<TopicPartition> inputs) {
        MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
        consumer.assign(inputs);
        consumer.updateBeginningOffsets(inputs.stream().collect(Collectors.toMap(input -> input, input -> 0L)));
        consumer.commitSync(committed);
        return consumer;
    }

    private void fetch() {
        fetched.replaceAll((input, from) -> {
            List<ConsumerRecord<byte[], byte[]>> records = log.records(input);
            if (from < records.size()) {
                task.updateNextOffsets(input, new OffsetAndMetadata(records.size(), Optional.empty(), ""));
                task.addRecords(input, records.subList(from, records.size()));
            }
            return records.size();
        });
    }

    private void commit(boolean closing) {
        Map<TopicPartition, OffsetAndMetadata> offsets = task.prepareCommit(true);
        producer.commitTransaction(offsets, consumer.groupMetadata());
        committed.putAll(offsets);
        task.postCommit(closing);
    }

    /** The DSL keeps what it builds to itself and its subclasses. */
    private static final class OpenBuilder extends StreamsBuilder {

        private final StreamsConfig config;

        OpenBuilder(StreamsConfig config) {
            super(new TopologyConfig(config));
            this.config = config;
        }

        InternalTopologyBuilder finish() {
            Properties properties = new Properties();
            properties.putAll(config.originals());
            build(properties);
            return internalTopologyBuilder.rewriteTopology(config);
        }
    }

    /** Appends to the log what is sent, when it is committed. */
    private final class Transactions extends MockProducer<byte[], byte[]> {

        private final List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();
        private final Map<TopicPartition, Long> nextOffsets = new HashMap<>();

        Transactions() {
            super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public List<PartitionInfo> partitionsFor(String topic) {
            return IntStream.range(0, log.partitions(topic))
                    .mapToObj(partition -> new PartitionInfo(topic, partition, null, null, null))
                    .toList();
        }

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
            TopicPartition place = place(record);
            long timestamp = record.timestamp() == null ? time.milliseconds() : record.timestamp();
            sent.add(new ProducerRecord<>(
                    place.topic(), place.partition(), timestamp, record.key(), record.value(), record.headers()));
            long offset =
                    nextOffsets.getOrDefault(place, (long) log.records(place).size());
            nextOffsets.put(place, offset + 1);
            RecordMetadata metadata = new RecordMetadata(place, offset, 0, timestamp, 0, 0);
            callback.onCompletion(metadata, null);
            return CompletableFuture.completedFuture(metadata);
        }

        private TopicPartition place(ProducerRecord<byte[], byte[]> record) {
            if (record.partition() != null) {
                return new TopicPartition(record.topic(), record.partition());
            }
            int partition = record.key() == null
                    ? 0
                    : Utils.toPositive(Utils.murmur2(record.key())) % log.partitions(record.topic());
            return new TopicPartition(record.topic(), partition);
        }

        @Override
        public void commitTransaction() {
            super.commitTransaction();
            sent.forEach(record -> log.append(record));
            sent.clear();
            nextOffsets.clear();
        }
    }
}
