package dev.tidemark.reconcile;

import dev.tidemark.common.SettingRules;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;

/** Recounts all pipelines again and again, one after the other, and never two at a time. */
final class Schedule implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Schedule.class);
    private static final SettingRules RULES = new SettingRules("tidemark.reconcile.");

    private final ReconcileProperties properties;
    private final Pipelines pipelines;
    private final Reconciler reconciler;
    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

    Schedule(ReconcileProperties properties, Pipelines pipelines, Reconciler reconciler) {
        this.properties = properties;
        this.pipelines = pipelines;
        this.reconciler = reconciler;
    }

    /** @throws IllegalArgumentException if {@code tidemark.reconcile.every} is missing or no time */
    void start() {
        Trigger trigger = trigger(properties.every());
        scheduler.setThreadNamePrefix("recount-");
        scheduler.initialize();
        scheduler.schedule(this::recountAll, trigger);
    }

    static Trigger trigger(String every) {
        RULES.require(every != null, "every", null, "a duration, 1h, or a cron expression; or use --once");
        if (CronExpression.isValidExpression(every)) {
            return new CronTrigger(every, ZoneOffset.UTC);
        }
        try {
            Duration period = DurationStyle.detectAndParse(every);
            RULES.requireBetween("every", period, Duration.ofSeconds(1), Duration.ofDays(366));
            return new PeriodicTrigger(period);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "tidemark.reconcile.every is " + every + "; it needs a duration from 1s to 366d, or a cron"
                            + " expression of six fields, 0 30 * * * *",
                    e);
        }
    }

    private void recountAll() {
        long now = Instant.now().toEpochMilli();
        for (Target target : pipelines.targets()) {
            // A window that is longer is not closed before it has begun so long ago.
            Span span = new Span(now - properties.last().plus(target.longest()).toMillis(), now);
            say(reconciler.recount(target, span, false, Progress.NONE));
        }
    }

    private static void say(Run run) {
        switch (run.exitCode()) {
            case Run.EQUAL -> LOG.info("{} of {}: nothing differs.", run.subject(), run.pipeline());
            case Run.DIFFERENT ->
                LOG.warn(
                        "{} of {} differ: see reconciliation_breaks, run {}.", run.subject(), run.pipeline(), run.id());
            default -> LOG.warn("{} of {}: could not tell. {}", run.subject(), run.pipeline(), run.unknown());
        }
    }

    @Override
    public void close() {
        scheduler.shutdown();
    }
}
