package dev.tidemark.common;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;

/**
 * Sets the event's key, and adds to the events of a source partition what they cannot say themselves: that it is quiet,
 * that it is complete and, for those who do not see all of its events, how far it has come by each commit. A source
 * partition whose task does not run says nothing, so nobody takes it for a quiet one.
 */
public final class ReportProgress implements ProcessorSupplier<byte[], Item, String, Item> {

    private final String topic;
    private final String hook;
    private final Duration idleAfter;
    private final boolean seenByAll;
    /** Null unless what is there has to be read before others go on. */
    private final InputPartitions first;

    /**
     * @param topic the input topic
     * @param hook name of its {@link CommitHook}
     * @param idleAfter wall time without an event after which the source partition is idle
     * @param seenByAll whether whoever is told sees all of the events, too, and so knows the stream time better
     */
    public ReportProgress(String topic, String hook, Duration idleAfter, boolean seenByAll) {
        this(topic, hook, idleAfter, seenByAll, null);
    }

    /** @param first knows what is there, which has to be read before others go on; null: they need not wait for it */
    ReportProgress(String topic, String hook, Duration idleAfter, boolean seenByAll, InputPartitions first) {
        this.first = first;
        this.topic = topic;
        this.hook = hook;
        this.idleAfter = idleAfter;
        this.seenByAll = seenByAll;
    }

    @Override
    public Processor<byte[], Item, String, Item> get() {
        return new Task();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(CommitHook.named(hook));
    }

    private final class Task extends ContextualProcessor<byte[], Item, String, Item> {

        private final IdleTimer idleTimer = new IdleTimer(idleAfter.toMillis());
        private Route route;
        private long streamTime = -1;
        private long reported = -1;
        private boolean idle;

        /** Tells the last record that has to be read before others go on; null if they may. */
        private CompletableFuture<Long> lastUnread;

        private boolean behindTold;
        private long lastRead = InputPartitions.NOTHING;

        @Override
        public void init(ProcessorContext<String, Item> context) {
            if (route != null) {
                throw new RevivedTaskException();
            }
            super.init(context);
            int partition = context.taskId().partition();
            route = new Route(topic, partition, partition);
            idleTimer.start(context.currentSystemTimeMs());
            if (first != null) {
                lastUnread = first.lastUnread(new TopicPartition(topic, partition));
            }
            context.schedule(idleTimer.interval(), PunctuationType.WALL_CLOCK_TIME, this::reportIdle);
            context.<CommitHook>getStateStore(hook).beforeCommit(context, this::reportStreamTime);
        }

        @Override
        public void process(Record<byte[], Item> record) {
            tellWhetherBehind(record.timestamp());
            pass(record);
            if (lastUnread != null) {
                lastRead = context().recordMetadata().orElseThrow().offset();
                tellWhetherBehind(record.timestamp());
            }
        }

        /** Until it is known what has to be read, that is all there is. */
        private void tellWhetherBehind(long timestamp) {
            if (lastUnread == null) {
                return;
            }
            if (lastUnread.isCompletedExceptionally()) {
                lastUnread = first.lastUnread(new TopicPartition(topic, route.partition()));
            }
            boolean known = lastUnread.isDone() && !lastUnread.isCompletedExceptionally();
            if (known && lastUnread.join() <= lastRead) {
                lastUnread = null;
                idleTimer.sawEvent(context().currentSystemTimeMs());
                report(0, false, timestamp);
            } else if (!behindTold) {
                behindTold = true;
                report(Progress.BEHIND, false, timestamp);
            }
        }

        private void pass(Record<byte[], Item> record) {
            if (record.value() instanceof Event event) {
                idleTimer.sawEvent(context().currentSystemTimeMs());
                if (idle) {
                    idle = false;
                    report(0, false, record.timestamp());
                }
                if (!seenByAll) {
                    streamTime = Math.max(streamTime, event.time());
                }
                context().forward(record.withKey(event.key()));
            } else if (record.value() instanceof EndOfInput) {
                lastUnread = null;
                report(0, true, record.timestamp());
            } else {
                context().forward(record.withKey(null));
            }
        }

        private void reportIdle(long now) {
            Origin source = new Origin(topic, route.partition(), -1);
            long idleMillis = idleTimer.check(now);
            if (lastUnread != null) {
                SourceContext.run(context(), source, () -> tellWhetherBehind(now));
            } else if (idleMillis > 0) {
                idle = true;
                reported = streamTime;
                SourceContext.run(context(), source, () -> report(idleMillis, false, now));
            }
        }

        private void reportStreamTime() {
            if (!idle && streamTime > reported) {
                reported = streamTime;
                long idleMillis = lastUnread == null ? 0 : Progress.BEHIND;
                report(idleMillis, false, context().currentSystemTimeMs());
            }
        }

        private void report(long idleMillis, boolean ended, long timestamp) {
            long now = context().currentSystemTimeMs();
            context()
                    .forward(new Record<>(
                            Progress.KEY, new Progress(route, streamTime, idleMillis, ended, now), timestamp));
        }
    }
}
