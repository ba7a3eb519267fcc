package dev.tidemark.profiles;

import dev.tidemark.common.InputPartitions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyQueryMetadata;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.StreamsMetadata;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.StreamsNotStartedException;
import org.apache.kafka.streams.query.KeyQuery;
import org.apache.kafka.streams.query.QueryResult;
import org.apache.kafka.streams.query.StateQueryRequest;
import org.apache.kafka.streams.query.StateQueryResult;
import org.apache.kafka.streams.state.HostInfo;
import org.springframework.kafka.config.StreamsBuilderFactoryBean;

/**
 * The rows of the keys whose partitions this instance has, at most as far as the commit that is being made, and where
 * the others are. Nothing is said of a partition that is being moved or restored.
 */
final class Profiles {

    /** Nothing can be said at the moment. */
    static final class NotNow extends Exception {

        private static final long serialVersionUID = 1;

        NotNow(String reason) {
            super(reason, null, false, false);
        }
    }

    private final ProfilesProperties settings;
    private final InputPartitions partitions;
    private final StreamsBuilderFactoryBean streams;
    private final ProfileRow.Form form;
    private volatile HostInfo self;

    Profiles(ProfilesProperties settings, InputPartitions partitions, StreamsBuilderFactoryBean streams) {
        this.settings = settings;
        this.partitions = partitions;
        this.streams = streams;
        this.form = ProfileRow.Form.of(settings);
    }

    /** Says where this instance is found; to be called before the streams client starts. */
    void listenAt(String host, int port) {
        Properties properties = streams.getStreamsConfiguration();
        properties.putIfAbsent(StreamsConfig.APPLICATION_SERVER_CONFIG, host + ":" + port);
        streams.setStreamsConfiguration(properties); // What it gave is a copy.
        self = HostInfo.buildFromEndpoint(properties.getProperty(StreamsConfig.APPLICATION_SERVER_CONFIG));
    }

    /** What all instances that share the rows have in common, and nobody else has. */
    String applicationId() {
        return settings.applicationId();
    }

    /** Where this instance is found. */
    HostInfo self() {
        return self;
    }

    /**
     * The partitions that a key may be in, by the instance that has them. Where the app moved the events itself it is
     * one; else only the producer knows, and it may be any.
     */
    Map<HostInfo, Set<Integer>> owners(String key) throws NotNow {
        KafkaStreams client = running();
        try {
            return settings.eventsStay() ? ownersOfAll(client) : ownerOf(key, client);
        } catch (IllegalStateException | StreamsNotStartedException e) {
            throw new NotNow("the instance is not ready");
        }
    }

    private Map<HostInfo, Set<Integer>> ownerOf(String key, KafkaStreams client) throws NotNow {
        KeyQueryMetadata owner = client.queryMetadataForKey(ProfilesTopology.STATISTICS, key, new StringSerializer());
        if (owner == null || owner.equals(KeyQueryMetadata.NOT_AVAILABLE)) {
            throw new NotNow("no instance has the partition of the key");
        }
        return Map.of(owner.activeHost(), Set.of(owner.partition()));
    }

    private Map<HostInfo, Set<Integer>> ownersOfAll(KafkaStreams client) throws NotNow {
        String topic = settings.input().topic();
        Map<HostInfo, Set<Integer>> owners = new HashMap<>();
        Set<Integer> owned = new TreeSet<>();
        for (StreamsMetadata instance : client.streamsMetadataForStore(ProfilesTopology.STATISTICS)) {
            for (TopicPartition partition : instance.topicPartitions()) {
                if (partition.topic().equals(topic)) {
                    owned.add(partition.partition());
                    owners.computeIfAbsent(instance.hostInfo(), host -> new TreeSet<>())
                            .add(partition.partition());
                }
            }
        }
        if (owned.size() < partitions.of(topic).getAsInt()) {
            throw new NotNow("no instance has some of the partitions");
        }
        return owners;
    }

    /**
     * The row of a key in some partitions, which must all be here.
     *
     * @return the row as JSON, or empty if there is none
     */
    Optional<byte[]> find(String key, Set<Integer> in) throws NotNow {
        KafkaStreams client = running();
        for (int partition : in) {
            Statistics statistics = get(client, ProfilesTopology.STATISTICS, key, partition);
            Profile profile = get(client, ProfilesTopology.PROFILES, key, partition);
            if (statistics != null || profile != null) {
                ProfileRow row = form.row(statistics, profile);
                return Optional.ofNullable(row).map(found -> found.toJson(key, form));
            }
        }
        return Optional.empty();
    }

    private static <V> V get(KafkaStreams client, String store, String key, int partition) throws NotNow {
        StateQueryRequest<V> request = StateQueryRequest.inStore(store)
                .withQuery(KeyQuery.<String, V>withKey(key).skipCache())
                .withPartitions(Set.of(partition))
                .requireActive()
                .withIsolationLevel(IsolationLevel.READ_COMMITTED);
        try {
            StateQueryResult<V> result = client.query(request);
            QueryResult<V> answer = result.getPartitionResults().get(partition);
            if (answer == null || answer.isFailure()) {
                throw new NotNow("partition " + partition + " is not here, or not restored yet");
            }
            return answer.getResult();
        } catch (InvalidStateStoreException | IllegalStateException e) {
            throw new NotNow("the state of partition " + partition + " cannot be read now");
        }
    }

    private KafkaStreams running() throws NotNow {
        KafkaStreams client = streams.getKafkaStreams();
        if (client == null || client.state() != KafkaStreams.State.RUNNING) {
            throw new NotNow("the instance is starting, or partitions are being moved");
        }
        return client;
    }
}
