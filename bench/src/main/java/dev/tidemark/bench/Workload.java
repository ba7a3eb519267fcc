package dev.tidemark.bench;

import java.util.List;

/** A day of events, and the settings of the app that has to get through them. */
interface Workload {

    /** The app's name, which is that of its module and the end of its consumer group. */
    String app();

    /** The topics that it reads. */
    List<String> topics();

    /**
     * Its settings, as YAML.
     *
     * @param keyed whether the topics are partitioned by key as they are, or have to be moved first
     */
    String settings(boolean keyed);

    /**
     * Sends the events with the numbers from {@code first} up to {@code end}, of which {@code perDay} make a day.
     *
     * @param keyed whether the records are partitioned by key, or spread over the partitions in turn
     */
    void produce(String bootstrapServers, int first, int end, int perDay, boolean keyed);

    /** The app's consumer group. */
    String group();

    /** The workload of an app. */
    static Workload of(String app) {
        return switch (app) {
            case "totals" -> new Sales();
            case "pairs" -> new Orders();
            case "enrich" -> Activities.forEnrich();
            case "profiles" -> Activities.forProfiles();
            default ->
                throw new IllegalArgumentException(
                        "bench.app is \"%s\", but totals, pairs, enrich or profiles is allowed.".formatted(app));
        };
    }
}
