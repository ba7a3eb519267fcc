package dev.tidemark.reconcile;

import dev.tidemark.common.Event;
import dev.tidemark.common.EventWindows;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.apache.kafka.common.TopicPartition;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * Looks for an event in the inputs of the pipelines, because one that was simply counted has no row of its own. Where it
 * is found, app and sinks are waited for, so that what is not in the tables by then is counted, or waits.
 */
final class EventSearch {

    /** Whoever asks waits for the answer. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
    /** Enough to see that an id is not one event's. */
    private static final int MOST_FOUND = 100;

    private final Pipelines pipelines;
    private final Duration last;
    private final Surroundings surroundings;
    private final Arrival arrival;

    /**
     * @param last how far back from now the input is read
     * @param sinkGroups what stands before the name of a table in the consumer group of its sink
     */
    EventSearch(Pipelines pipelines, Duration last, Surroundings surroundings, String sinkGroups) {
        this.pipelines = pipelines;
        this.last = last;
        this.surroundings = surroundings;
        Duration patience = surroundings.patience();
        this.arrival = new Arrival(
                surroundings.clients(), sinkGroups, patience.compareTo(LONGEST_WAIT) < 0 ? patience : LONGEST_WAIT);
    }

    /** A window that an event belongs to; its end does not. */
    record Window(Instant start, Instant end) {}

    /**
     * A record of the event.
     *
     * @param settled whether the tables say all that became of it
     * @param windows the windows of a totals pipeline that it belongs to; of pairs, none
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Found(
            String pipeline,
            String subject,
            String topic,
            int partition,
            long offset,
            String key,
            Instant eventTime,
            Instant arrivalTime,
            BigDecimal amount,
            boolean settled,
            List<Window> windows) {}

    /**
     * What was found.
     *
     * @param since records that came before that were not read
     * @param found at most {@value #MOST_FOUND}
     * @param problems what kept it from telling all, in sentences
     */
    record Answer(Instant since, List<Found> found, List<String> problems) {}

    /** Where the inputs of a pipeline end. */
    private record Pinned(Map<InputLog, Map<TopicPartition, Range>> ranges) {

        Map<TopicPartition, Long> ends() {
            Map<TopicPartition, Long> ends = new HashMap<>();
            ranges.values().forEach(some -> some.forEach((partition, range) -> ends.put(partition, range.end())));
            return ends;
        }
    }

    /** Finds the records of an event; one search at a time, because each reads whole inputs. */
    synchronized Answer find(String id) {
        Instant since = Instant.now().minus(last);
        List<String> problems = new ArrayList<>();
        List<Found> found = new ArrayList<>();
        for (Target target : pipelines.targets()) {
            collect(problems, target, () -> {
                Pinned inputs = pin(target, since.toEpochMilli());
                Queue<Event> events = read(inputs, id);
                boolean settled =
                        !events.isEmpty() && collect(problems, target, () -> arrival.await(target, inputs.ends()));
                events.forEach(event -> found.add(found(target, event, settled)));
            });
        }
        List<Found> first = found.stream()
                .sorted(Comparator.comparing(Found::pipeline)
                        .thenComparing(Found::topic)
                        .thenComparingInt(Found::partition)
                        .thenComparingLong(Found::offset))
                .limit(MOST_FOUND)
                .toList();
        return new Answer(since, first, problems);
    }

    private static Queue<Event> read(Pinned inputs, String id) {
        Queue<Event> events = new ConcurrentLinkedQueue<>();
        inputs.ranges.forEach((log, ranges) -> log.read(
                ranges,
                item -> {
                    if (item instanceof Event event && event.id().equals(id)) {
                        events.add(event);
                    }
                },
                Progress.NONE));
        return events;
    }

    /** Whether it could be done; if not, why is added to the problems. */
    private static boolean collect(List<String> problems, Target target, Runnable part) {
        try {
            part.run();
            return true;
        } catch (CouldNotTellException e) {
            problems.add(target.pipeline() + ": " + e.getMessage());
            return false;
        }
    }

    private Pinned pin(Target target, long since) {
        Map<InputLog, Map<TopicPartition, Range>> inputs = new LinkedHashMap<>();
        for (InputLog log : target.inputs().open(surroundings)) {
            Map<TopicPartition, Long> ends = log.ends();
            Map<TopicPartition, Range> ranges = new HashMap<>();
            log.firstSince(since)
                    .forEach((partition, first) ->
                            ranges.put(partition, new Range(first, Math.max(first, ends.get(partition)))));
            inputs.put(log, ranges);
        }
        return new Pinned(inputs);
    }

    private static Found found(Target target, Event event, boolean settled) {
        return new Found(
                target.pipeline(),
                target.subject(),
                event.origin().topic(),
                event.origin().partition(),
                event.origin().offset(),
                event.key(),
                Instant.ofEpochMilli(event.time()),
                Instant.ofEpochMilli(event.arrival()),
                BigDecimal.valueOf(event.amount(), target.scale()),
                settled,
                windows(target, event));
    }

    private static List<Window> windows(Target target, Event event) {
        if (target.totals() == null) {
            return List.of();
        }
        EventWindows windows = target.totals().window().windows(target.totals().grace());
        return LongStream.of(windows.startsOf(event.time()))
                .mapToObj(start -> new Window(Instant.ofEpochMilli(start), Instant.ofEpochMilli(windows.endOf(start))))
                .toList();
    }
}
